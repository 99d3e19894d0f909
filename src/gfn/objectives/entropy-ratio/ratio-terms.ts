// The entropy ratio of the steps of a batch, and its use in the terms of a balance: as a potential, which preserves the
// target, or as a margin, which changes it.

import { lax, numpy as np } from "@jax-js/jax";
import type { PolicyOutputs } from "../../policy/networks.ts";
import type { Batch } from "../../sampling/batch.ts";
import type { SplitBalanceTerms } from "../balance-terms.ts";
import type { EntropyRatioUse } from "./choices.ts";
import type { EntropyRatioOptions } from "./options.ts";
import { type EntropyRatio, entropyRatio, normalisedEntropy } from "./ratio.ts";

export interface StepEntropies extends EntropyRatio {
  /** Normalised entropy h of the policy at each step, [N]. */
  readonly entropy: np.Array;
}

/** Entropies of the policy at the steps of a batch, and their ratio. */
export function stepEntropies(
  options: EntropyRatioOptions,
  { T, B, allowed, running }: Batch,
  { forward }: PolicyOutputs,
  gamma: np.Array,
): StepEntropies {
  const [stepLogits] = np.split(forward, [T * B], 0); // [N, actions]
  const entropy = normalisedEntropy(stepLogits, allowed); // [N]
  return { entropy, ...entropyRatio(options, entropy, running, gamma) };
}

/**
 * Adds log r of the steps to the terms of a balance. A potential adds log r(s') − log r(s) to the residual of every step,
 * with log r = 0 at the start and at terminals. It is added to the flows, so that it is consistent over trajectories and
 * their parts. A margin subtracts log r(s) from the residual. No gradient flows through r: otherwise the policy would
 * lower its entropies to reduce the residuals, and lose states before it converges.
 */
export function withEntropyRatio(
  terms: SplitBalanceTerms,
  use: EntropyRatioUse,
  { T, B }: Batch,
  { logRatio }: EntropyRatio,
): SplitBalanceTerms {
  const fixed = lax.stopGradient(logRatio); // [N]
  if (use === "margin") {
    const forwardParts = { ...terms.forwardParts, margin: np.negative(fixed) }; // [N] each
    return { ...terms, forward: np.subtract(terms.forward, fixed), forwardParts }; // [N]
  }
  if (use !== "potential" || T === 1) return terms;
  const [, inner] = np.split(fixed, [B], 0); // [(T − 1)·B]
  // The balance replaces the flow of a terminal by its reward, so the potential of a terminal is 0.
  const potential = np.concatenate([np.zeros([B]), inner, np.zeros([B])], 0); // [(T + 1)·B]
  return { ...terms, logFlow: np.subtract(terms.logFlow, potential) }; // [(T + 1)·B]
}
