// The standard normal distribution: density, distribution function and quantiles, to about 15 digits.

/** The standard normal density φ(x). */
export function normalDensity(x: number): number {
  return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** The standard normal distribution function Φ(x). */
export function normalCdf(x: number): number {
  if (x > 0) return 1 - normalCdf(-x);
  return x < -3 ? lowerTail(-x) : 0.5 - centre(-x);
}

/** The quantile of the standard normal distribution: the x with Φ(x) = probability. */
export function normalQuantile(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`normalQuantile: the probability must be from 0 to 1, got ${probability}`);
  }
  if (probability > 0.5) return -normalQuantile(1 - probability);
  if (probability === 0) return Number.NEGATIVE_INFINITY;
  if (probability === 0.5) return 0;
  // Newton steps on log Φ from an approximate start; log Φ is concave, so they converge.
  const root = Math.sqrt(-2 * Math.log(probability));
  let x = 0.862 - root + 0.23 * Math.exp(-root / 2);
  for (let step = 0; step < 60; step++) {
    const cdf = normalCdf(x);
    const change = (cdf * Math.log(cdf / probability)) / normalDensity(x);
    x -= change;
    if (Math.abs(change) <= 1e-15 * Math.abs(x)) break;
  }
  return x;
}

/** Φ(x) − 1/2 = φ(x) (x + x³/3 + x⁵/(3·5) + …), used for x from 0 to 3. */
function centre(x: number): number {
  let term = x;
  let sum = x;
  for (let k = 3; term > 1e-17 * sum; k += 2) {
    term *= (x * x) / k;
    sum += term;
  }
  return normalDensity(x) * sum;
}

/** Φ(−x) = φ(x) / (x + 1/(x + 2/(x + 3/(x + …)))), for x > 3. */
function lowerTail(x: number): number {
  let fraction = x;
  for (let k = 150; k >= 1; k--) fraction = x + k / fraction;
  return normalDensity(x) / fraction;
}
