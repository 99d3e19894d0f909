// Summary statistics of numbers: sum, mean, variance, standard deviation, standard error, median and quantiles. All but the
// sum are NaN for no values.

export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}

/** Population variance: the mean squared deviation from the mean. */
export function variance(values: ArrayLike<number>): number {
  return squaredDeviations(values) / values.length;
}

/** Sample standard deviation, with n − 1 in the denominator; NaN for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  return values.length < 2 ? Number.NaN : Math.sqrt(squaredDeviations(values) / (values.length - 1));
}

/** Standard error of the mean; NaN for fewer than two values. */
export function standardError(values: ArrayLike<number>): number {
  return standardDeviation(values) / Math.sqrt(values.length);
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
  return valueAt(sorted, level * (sorted.length - 1));
}

/** Value at a position from 0 to the last index, linearly interpolated between neighbours. */
export function valueAt(values: ArrayLike<number>, position: number): number {
  const below = Math.floor(position);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (position - below) * (values[above] - values[below]);
}

function squaredDeviations(values: ArrayLike<number>): number {
  const centre = mean(values);
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i] - centre) ** 2;
  return total;
}
