// Local linear regression of evenly spaced values, the smoother that STL is made of.

/**
 * At each place from `from` up to `to`, the value of the line through the `window` nearest observed values, weighted by
 * (1 − (d / d_max)³)³ at distance d. Places may lie outside the values, and missing values (NaN) carry no weight.
 * Where the window is wider than there are values, d_max grows by half of what is lacking, and the line becomes stiffer.
 */
export function loess(values: Float64Array, window: number, from = 0, to = values.length): Float64Array {
  const places = Float64Array.from(
    Array.from(values.keys()).filter((place) => Number.isFinite(values[place])),
  );
  if (places.length === 0)
    throw new RangeError(`loess: a value must be observed, got none in ${values.length}`);
  const size = Math.min(window, places.length);
  const widened = (window - size) / 2;
  let first = 0;
  return Float64Array.from({ length: to - from }, (_, i) => {
    const at = from + i;
    // Moved on while the next value to the right is nearer than the leftmost.
    while (first + size < places.length && places[first + size] - at < at - places[first]) first++;
    return lineAt(values, places.subarray(first, first + size), at, widened);
  });
}

/** The value at a place of the weighted line through the values at others. */
function lineAt(values: Float64Array, places: Float64Array, at: number, widened: number): number {
  const reach = Math.max(at - places[0], places[places.length - 1] - at) + widened;
  let weights = 0;
  let meanPlace = 0;
  let meanValue = 0;
  const weightAt = (place: number) => (1 - Math.min(1, Math.abs(place - at) / reach) ** 3) ** 3;
  for (const place of places) {
    const weight = weightAt(place);
    weights += weight;
    meanPlace += weight * place;
    meanValue += weight * values[place];
  }
  // All of them are equally far, or there is one only.
  if (!(weights > 0)) return places.reduce((sum, place) => sum + values[place], 0) / places.length;
  meanPlace /= weights;
  meanValue /= weights;
  let spread = 0;
  let product = 0;
  for (const place of places) {
    const weight = weightAt(place);
    spread += weight * (place - meanPlace) ** 2;
    product += weight * (place - meanPlace) * (values[place] - meanValue);
  }
  // A single place has no slope.
  return spread > 1e-9 * weights ? meanValue + (product / spread) * (at - meanPlace) : meanValue;
}
