// The chi-square test of counts against probabilities.

/** Pearson's statistic. It is infinite if an event of probability 0 occurred. */
export function chiSquare(counts: ArrayLike<number>, probabilities: ArrayLike<number>): number {
  const total = Array.from(counts).reduce((a, b) => a + b, 0);
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const expected = total * probabilities[i];
    if (counts[i] !== expected) sum += (counts[i] - expected) ** 2 / expected;
  }
  return sum;
}

/** Critical value of the statistic at a level of about 1 in 300,000 (Wilson and Hilferty 1931). */
export function chiSquareLimit(probabilities: ArrayLike<number>): number {
  const freedom = Math.max(1, Array.from(probabilities).filter((p) => p > 0).length - 1);
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 4.5 * Math.sqrt(spread)) ** 3;
}
