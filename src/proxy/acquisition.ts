// Acquisition functions: how desirable it is to score a string, given the mean and the deviation of its prediction.

import { normalCdf, normalDensity } from "../math/normal-distribution.ts";

/** Deviations that the upper confidence bound adds to the mean. */
const CONFIDENCE = 1;

/** The upper confidence bound of a prediction. */
export function upperConfidenceBound(mean: number, deviation: number): number {
  return mean + CONFIDENCE * deviation;
}

/** The expected improvement over the best score so far, of a normally distributed score. */
export function expectedImprovement(mean: number, deviation: number, best: number): number {
  if (!(deviation > 0)) return Math.max(mean - best, 0);
  const z = (mean - best) / deviation;
  return (mean - best) * normalCdf(z) + deviation * normalDensity(z);
}
