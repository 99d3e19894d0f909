// The effective sample size of weighted samples.

import { logSumExp } from "./softmax.ts";

/** (Σ w)² / Σ w² of weights that are given as logarithms: as many samples of equal weight would be as informative. It is
 * the number of samples if all weights are equal, and 0 if there is none above 0. */
export function effectiveSampleSize(logWeights: Float64Array): number {
  const logTotal = logSumExp(logWeights);
  if (logTotal === Number.NEGATIVE_INFINITY) return 0;
  return Math.exp(2 * logTotal - logSumExp(logWeights.map((log) => 2 * log)));
}
