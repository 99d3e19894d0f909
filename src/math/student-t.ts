// Student's t distribution: a normal variable divided by a standard deviation estimated from few values. Quantiles, and
// the continuous ranked probability score (CRPS) of an observation.

import { bisect } from "./bisection.ts";
import { normalCdf, normalDensity, normalQuantile } from "./normal-distribution.ts";

/**
 * With this many degrees of freedom or more, the normal distribution is used; at this number, 95 % intervals of the t
 * distribution are 4 % wider.
 */
const NORMAL_DEGREES = 30;

/** The quantile of Student's t distribution with a whole number of degrees of freedom. */
export function studentTQuantile(probability: number, degreesOfFreedom: number): number {
  checkDegreesOfFreedom("studentTQuantile", degreesOfFreedom);
  // This call also checks the probability.
  const normal = normalQuantile(probability);
  if (degreesOfFreedom >= NORMAL_DEGREES || normal === 0 || !Number.isFinite(normal)) return normal;
  const wanted = Math.abs(2 * probability - 1);
  const [low, high] = bisect(0, Math.PI / 2, (angle) => probabilityWithin(angle, degreesOfFreedom) < wanted);
  return Math.sign(normal) * Math.sqrt(degreesOfFreedom) * Math.tan((low + high) / 2);
}

/**
 * ∫ (F(x) − [x ≥ observed])² dx, where F is the distribution function of Student's t (of the normal distribution from 30
 * degrees of freedom, as for quantiles). Infinite for one degree of freedom, which has no mean. Closed forms: Jordan,
 * Krüger and Lerch, "Evaluating probabilistic forecasts with scoringRules", 2019.
 */
export function studentTCrps(observed: number, degreesOfFreedom: number): number {
  checkDegreesOfFreedom("studentTCrps", degreesOfFreedom);
  const size = Math.abs(observed);
  if (degreesOfFreedom >= NORMAL_DEGREES) {
    return size * (2 * normalCdf(size) - 1) + 2 * normalDensity(size) - 1 / Math.sqrt(Math.PI);
  }
  if (degreesOfFreedom === 1) return Number.POSITIVE_INFINITY;
  const { within, slope, spread } = partsOfSquares(size, degreesOfFreedom);
  return size * within + 2 * slope - spread;
}

/**
 * ∫ F(x)² dx from −∞ to a value, where F is the distribution function of Student's t (normal from 30 degrees of freedom). It
 * is what a floor at this value takes from the CRPS. At least two degrees of freedom; 0 for one, whose CRPS is infinite.
 */
export function studentTSquareBelow(value: number, degreesOfFreedom: number): number {
  checkDegreesOfFreedom("studentTSquareBelow", degreesOfFreedom);
  if (degreesOfFreedom >= NORMAL_DEGREES) {
    const share = normalCdf(value);
    const rest = normalCdf(value * Math.SQRT2) / Math.sqrt(Math.PI);
    return Math.max(0, value * share * share + 2 * normalDensity(value) * share - rest);
  }
  if (degreesOfFreedom === 1) return 0;
  const nu = degreesOfFreedom;
  const { within, slope, spread } = partsOfSquares(Math.abs(value), nu);
  const share = (1 + Math.sign(value) * within) / 2;
  // The integral of the squared density times ν + x² is a t distribution function of 2 ν − 1 degrees of freedom.
  const angle = Math.atan(Math.abs(value) / Math.sqrt(nu));
  const rest = (spread * (1 + Math.sign(value) * probabilityWithin(angle, 2 * nu - 1))) / 2;
  return Math.max(0, value * share * share + 2 * slope * share - rest);
}

/** Of a size: 2 F(size) − 1; the density times (ν + size²) / (ν − 1); and half the mean distance of two draws. */
function partsOfSquares(size: number, nu: number): { within: number; slope: number; spread: number } {
  const beta = betaWithHalf(nu);
  const density = (1 + (size * size) / nu) ** (-(nu + 1) / 2) / (Math.sqrt(nu) * beta);
  return {
    within: probabilityWithin(Math.atan(size / Math.sqrt(nu)), nu),
    slope: (density * (nu + size * size)) / (nu - 1),
    spread: (2 * Math.sqrt(nu) * betaWithHalf(2 * nu - 1)) / ((nu - 1) * beta * beta),
  };
}

/** The beta function B(1/2, n/2) of a whole number n, by B(1/2, x + 1) = B(1/2, x) x / (x + 1/2). */
function betaWithHalf(n: number): number {
  const isOdd = n % 2 === 1;
  let beta = isOdd ? Math.PI : 2;
  for (let x = isOdd ? 0.5 : 1; x < n / 2; x++) beta *= x / (x + 0.5);
  return beta;
}

function checkDegreesOfFreedom(name: string, degreesOfFreedom: number): void {
  const isWhole = Number.isInteger(degreesOfFreedom) || degreesOfFreedom === Number.POSITIVE_INFINITY;
  if (degreesOfFreedom >= 1 && isWhole) return;
  throw new RangeError(
    `${name}: the degrees of freedom must be a whole number above 0, got ${degreesOfFreedom}`,
  );
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
