// Student's t: how far off a normal variable may be whose deviation is known from a few values only.

import { normalQuantile } from "./normal.ts";

/** From so many degrees of freedom on it is taken for normal: intervals of 95 % would be 4 % wider. */
const NORMAL_FROM = 30;

/** The value that t of so many degrees of freedom, a whole number, stays below with this probability. */
export function studentQuantile(probability: number, freedom: number): number {
  if (!(freedom >= 1 && (Number.isInteger(freedom) || freedom === Number.POSITIVE_INFINITY))) {
    throw new RangeError(
      `studentQuantile: the degrees of freedom must be a whole number above 0, got ${freedom}`,
    );
  }
  // What is wrong with a probability is said there.
  const normal = normalQuantile(probability);
  if (freedom >= NORMAL_FROM || normal === 0 || !Number.isFinite(normal)) return normal;
  let [low, high] = [0, Math.PI / 2];
  const wanted = Math.abs(2 * probability - 1);
  for (let step = 0; step < 60; step++) {
    const angle = (low + high) / 2;
    if (shareWithin(angle, freedom) < wanted) low = angle;
    else high = angle;
  }
  return Math.sign(normal) * Math.sqrt(freedom) * Math.tan((low + high) / 2);
}

/** P(|t| < √ν tan θ), a sum of powers of cos θ with as many terms as ν / 2. */
function shareWithin(angle: number, freedom: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let [term, sum] = isOdd ? [cosine, 0] : [1, 0];
  for (let k = isOdd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= (cosine * cosine * (k - 1)) / k;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
