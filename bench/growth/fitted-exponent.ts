// The exponent of a power law through measured values.

/** The slope of the line with the least squares through the logarithms of sizes and values. */
export function fittedExponent(sizes: readonly number[], values: readonly number[]): number {
  const [xs, ys] = [sizes.map(Math.log), values.map(Math.log)];
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const [x, y] = [mean(xs), mean(ys)];
  const products = xs.map((each, i) => (each - x) * (ys[i] - y));
  const squares = xs.map((each) => (each - x) ** 2);
  return mean(products) / mean(squares);
}
