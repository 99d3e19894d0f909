// LOESS: local linear regression of evenly spaced values, the smoother of STL.

/**
 * Smooths at each position from `from` up to `to`: the value of the line through the `window` nearest observed values,
 * weighted by (1 − (d / d_max)³)³ at distance d. Positions may lie outside the values; missing values (NaN) are ignored.
 * If there are fewer observed values than `window`, d_max grows by half the difference, which makes the line stiffer.
 */
export function loess(values: Float64Array, window: number, from = 0, to = values.length): Float64Array {
  const positions = Float64Array.from(
    Array.from(values.keys()).filter((position) => Number.isFinite(values[position])),
  );
  if (positions.length === 0)
    throw new RangeError(`loess: at least one value must be observed, got none in ${values.length}`);
  const size = Math.min(window, positions.length);
  const widened = (window - size) / 2;
  let first = 0;
  return Float64Array.from({ length: to - from }, (_, i) => {
    const at = from + i;
    // The window moves right while the next value on the right is nearer than its leftmost value.
    while (first + size < positions.length && positions[first + size] - at < at - positions[first]) first++;
    return lineAt(values, positions.subarray(first, first + size), at, widened);
  });
}

/** The value at position `at` of the weighted regression line through the values at `positions`. */
function lineAt(values: Float64Array, positions: Float64Array, at: number, widened: number): number {
  const reach = Math.max(at - positions[0], positions[positions.length - 1] - at) + widened;
  let weights = 0;
  let meanPosition = 0;
  let meanValue = 0;
  const weightAt = (position: number) => (1 - Math.min(1, Math.abs(position - at) / reach) ** 3) ** 3;
  for (const position of positions) {
    const weight = weightAt(position);
    weights += weight;
    meanPosition += weight * position;
    meanValue += weight * values[position];
  }
  // All weights are zero if all positions are equally far away, or if there is only one.
  if (!(weights > 0))
    return positions.reduce((sum, position) => sum + values[position], 0) / positions.length;
  meanPosition /= weights;
  meanValue /= weights;
  let variance = 0;
  let covariance = 0;
  for (const position of positions) {
    const weight = weightAt(position);
    variance += weight * (position - meanPosition) ** 2;
    covariance += weight * (position - meanPosition) * (values[position] - meanValue);
  }
  // A single position has no slope.
  return variance > 1e-9 * weights ? meanValue + (covariance / variance) * (at - meanPosition) : meanValue;
}
