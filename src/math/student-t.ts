// Quantiles of Student's t distribution: a normal variable divided by a standard deviation estimated from few values.

import { bisect } from "./bisection.ts";
import { normalQuantile } from "./normal-distribution.ts";

/**
 * With this many degrees of freedom or more, the normal distribution is used; at this number, 95 % intervals of the t
 * distribution are 4 % wider.
 */
const NORMAL_DEGREES = 30;

/** The quantile of Student's t distribution with a whole number of degrees of freedom. */
export function studentTQuantile(probability: number, degreesOfFreedom: number): number {
  if (
    !(
      degreesOfFreedom >= 1 &&
      (Number.isInteger(degreesOfFreedom) || degreesOfFreedom === Number.POSITIVE_INFINITY)
    )
  ) {
    throw new RangeError(
      `studentTQuantile: the degrees of freedom must be a whole number above 0, got ${degreesOfFreedom}`,
    );
  }
  // This call also checks the probability.
  const normal = normalQuantile(probability);
  if (degreesOfFreedom >= NORMAL_DEGREES || normal === 0 || !Number.isFinite(normal)) return normal;
  const wanted = Math.abs(2 * probability - 1);
  const [low, high] = bisect(0, Math.PI / 2, (angle) => probabilityWithin(angle, degreesOfFreedom) < wanted);
  return Math.sign(normal) * Math.sqrt(degreesOfFreedom) * Math.tan((low + high) / 2);
}

/** P(|t| < √ν tan θ) for ν degrees of freedom: a sum of about ν / 2 powers of cos θ. */
function probabilityWithin(angle: number, degreesOfFreedom: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degreesOfFreedom % 2 === 1;
  let [term, sum] = isOdd ? [cosine, 0] : [1, 0];
  for (let k = isOdd ? 3 : 2; k <= degreesOfFreedom; k += 2) {
    sum += term;
    term *= (cosine * cosine * (k - 1)) / k;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
