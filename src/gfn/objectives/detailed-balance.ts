// Detailed balance: F(s) · forward = F(s') · backward at every step, where the reward is the flow of a terminal state. Its
// forward-looking form (Pan et al. 2023) learns the flow relative to the reward of partial objects.

import { lax, numpy as np } from "@jax-js/jax";
import { repeatAtSteps } from "../sampling/batch.ts";
import { type BalanceTerms, forwardMinusBackward } from "./balance-terms.ts";
import type { Residuals, TrajectorySpan } from "./residuals.ts";

/** log F(s) + forward − backward − log F(s') per step, [N]; 0 after the end. `maxLogFlow` is [N]. */
export function detailedBalance(
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  maxLogFlow?: np.Array,
): Residuals {
  const { T, B, running, ends } = span;
  const { logFlow, bootstraps } = terms;
  const gain = forwardMinusBackward(span, terms); // [N]
  const [before] = np.split(logFlow, [T * B], 0); // [N]
  const [, later] = np.split(bootstraps ? lax.stopGradient(logFlow) : logFlow, [B], 0); // [N]
  // Without a bound, a network that learns from its own estimates can raise them without limit.
  const after = bootstraps && maxLogFlow ? np.minimum(later, maxLogFlow) : later; // [N]
  const next = np.where(np.less(0.5, ends), repeatAtSteps(logReward, span), after); // [N]
  return {
    residual: np.multiply(np.subtract(np.add(before, gain), next), running), // [N]
    weight: running,
  };
}

/** Detailed balance in which the network learns the flow relative to the reward of each state: log F(s) is the output of
 * the network plus log R(s). `partialLogReward` is [(T + 1)·B]. */
export function forwardLookingDetailedBalance(
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  partialLogReward: np.Array | undefined,
): Residuals {
  if (!partialLogReward) throw new TypeError("fl-db: internal: there are no rewards of partial objects");
  const logFlow = np.add(terms.logFlow, partialLogReward); // [(T + 1)·B]
  return detailedBalance(span, { ...terms, logFlow }, logReward);
}
