// The entropy ratio in the training pass: of a batch, and in the terms of its balance, as a potential, which leaves the
// target alone, or as a margin, which does not.

import { lax, numpy as np } from "@jax-js/jax";
import type { Batch } from "../batch.ts";
import type { PolicyOutputs } from "../networks.ts";
import type { Terms } from "../objectives/terms.ts";
import type { RatioUse } from "./choice.ts";
import type { EntropyRatioOptions } from "./options.ts";
import { type EntropyRatio, entropyRatio, normalisedEntropy } from "./ratio.ts";

export interface StepEntropies extends EntropyRatio {
  /** h of the state of each step, [N]. */
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
 * Terms of a balance with log r of the steps' states in them, [N]. A potential adds log r(s') − log r(s) to every
 * residual, with 0 for the start and for terminals; it goes into the flows, where whole and part episodes agree about
 * it. A margin subtracts log r(s). Both hold r fixed: otherwise the policy lowers entropies to bring residuals down, and
 * loses states before it gets to where it would end.
 */
export function withRatio(terms: Terms, use: RatioUse, { T, B }: Batch, { logRatio }: EntropyRatio): Terms {
  const fixed = lax.stopGradient(logRatio); // [N]
  if (use === "margin") return { ...terms, forward: np.subtract(terms.forward, fixed) }; // [N]
  if (use !== "potential" || T === 1) return terms;
  const [, inner] = np.split(fixed, [B], 0); // [(T − 1)·B]
  // A terminal's flow is its reward, whatever stands here, and so its potential is 0.
  const potential = np.concatenate([np.zeros([B]), inner, np.zeros([B])], 0); // [(T + 1)·B]
  return { ...terms, logFlow: np.subtract(terms.logFlow, potential) }; // [(T + 1)·B]
}
