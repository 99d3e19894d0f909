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
  const { running, ends } = span;
  const gain = forwardMinusBackward(span, terms); // [N]
  const { before, after } = flowsAround(span, terms, maxLogFlow); // [N] each
  const next = np.where(np.less(0.5, ends), repeatAtSteps(logReward, span), after); // [N]
  return {
    residual: np.multiply(np.subtract(np.add(before, gain), next), running), // [N]
    weight: running,
  };
}

/** log F of the states before and after each step, [N] each; after the last step of a trajectory it has no meaning. */
export function flowsAround(
  { T, B }: Pick<TrajectorySpan, "T" | "B">,
  { logFlow, bootstraps }: Pick<BalanceTerms, "logFlow" | "bootstraps">,
  maxLogFlow?: np.Array,
): { before: np.Array; after: np.Array } {
  const [before] = np.split(logFlow, [T * B], 0); // [N]
  const [, later] = np.split(bootstraps ? lax.stopGradient(logFlow) : logFlow, [B], 0); // [N]
  // Without a bound, a network that learns from its own estimates can raise them without limit.
  return { before, after: bootstraps && maxLogFlow ? np.minimum(later, maxLogFlow) : later };
}

/** Detailed balance in which the network learns the flow relative to the reward of each state: log F(s) is the output of
 * the network plus log R(s). `partialLogReward` is [(T + 1)·B]. */
export function forwardLookingDetailedBalance(
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  partialLogReward: np.Array | undefined,
): Residuals {
  return detailedBalance(span, withPartialRewards(terms, partialLogReward), logReward);
}

/** Terms with the flow of each state itself, in place of the flow relative to its reward. */
export function withPartialRewards<T extends BalanceTerms>(
  terms: T,
  partialLogReward: np.Array | undefined,
): T {
  if (!partialLogReward) throw new TypeError("fl-db: internal: there are no rewards of partial objects");
  return { ...terms, logFlow: np.add(terms.logFlow, partialLogReward) }; // [(T + 1)·B]
}
