// Summary statistics of numbers: mean, variance, standard deviation, median and quantiles. All are NaN for no values.

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** Population variance: the mean squared deviation from the mean. */
export function variance(values: ArrayLike<number>): number {
  return squaredDeviations(values) / values.length;
}

/** Sample standard deviation, with n − 1 in the denominator; NaN for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  return values.length < 2 ? Number.NaN : Math.sqrt(squaredDeviations(values) / (values.length - 1));
}

/** The middle value, or the mean of the two middle values. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  if (sorted.length === 0) return Number.NaN;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** Quantile at a level from 0 to 1 of values in ascending order, linearly interpolated between neighbours. */
export function quantileOfSorted(sorted: ArrayLike<number>, level: number): number {
  const position = level * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

function squaredDeviations(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - centre) ** 2;
  return sum;
}
