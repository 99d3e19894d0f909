// Trajectory balance (Malkin et al. 2022): Z ∏ forward = R(x) ∏ backward over a trajectory. VarGrad (Zhang et al. 2023)
// replaces log Z by its estimate from the batch.

import { lax, numpy as np } from "@jax-js/jax";
import { sumOverSteps } from "../sampling/batch.ts";
import { type BalanceTerms, forwardMinusBackward } from "./balance-terms.ts";
import type { Residuals, TrajectorySpan } from "./residuals.ts";

/** log Z + Σ (forward − backward) − log R per trajectory, [B]. Without a learned log Z, [], it is the log flow of the
 * start. */
export function trajectoryBalance(
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  learnedLogZ?: np.Array,
): Residuals {
  const { B } = span;
  const logZ = learnedLogZ ?? logFlowOfStart(span, terms); // [] or [B]
  const gain = sumOverSteps(forwardMinusBackward(span, terms), span); // [B]
  return { residual: np.subtract(np.add(gain, logZ), logReward), weight: np.ones([B]) }; // [B]
}

/** log F of the start, [B]. */
export function logFlowOfStart(
  { B }: Pick<TrajectorySpan, "B">,
  { logFlow }: Pick<BalanceTerms, "logFlow">,
): np.Array {
  return np.split(logFlow, [B], 0)[0]; // [B]
}

/** Σ (forward − backward) − log R minus its mean over the batch, [B]. The balance makes the sum −log Z for every
 * trajectory. */
export function vargrad(span: TrajectorySpan, terms: BalanceTerms, logReward: np.Array): Residuals {
  const score = vargradScore(span, terms, logReward); // [B]
  return { residual: np.subtract(score, lax.stopGradient(np.mean(score))), weight: np.ones([span.B]) }; // [B]
}

/** Σ (forward − backward) − log R, [B]. Its mean over a batch is the estimate of −log Z. */
export function vargradScore(span: TrajectorySpan, terms: BalanceTerms, logReward: np.Array): np.Array {
  return np.subtract(sumOverSteps(forwardMinusBackward(span, terms), span), logReward); // [B]
}
