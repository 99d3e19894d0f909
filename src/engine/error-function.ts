// The error function erf in double precision, which JavaScript does not provide.

/** erf(x): Taylor series for |x| < 3, continued fraction of erfc beyond. */
export function erf(x: number): number {
  const z = Math.abs(x);
  if (z < 3) {
    let term = z;
    let sum = z;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (-z * z) / n;
      sum += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI);
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (z + fraction);
  return Math.sign(x) * (1 - Math.exp(-z * z) / (z + fraction) / Math.sqrt(Math.PI));
}
