// Bisection: over the indices of an array (binary search), and over an interval of real numbers.

/**
 * The first index from 0 to `length` at which a condition holds, where it is false before that index and true from it on;
 * `length` if it never holds.
 */
export function firstIndexWhere(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Halves the interval from `low` to `high`, `steps` times, around the point up to which `isBelow` holds. Returns the ends
 * of the last interval: `isBelow` holds at the first of them (or it is `low`), and not at the second (or it is `high`).
 */
export function bisect(
  low: number,
  high: number,
  isBelow: (x: number) => boolean,
  steps = 60,
): [low: number, high: number] {
  let [from, to] = [low, high];
  for (let step = 0; step < steps; step++) {
    const middle = (from + to) / 2;
    if (isBelow(middle)) from = middle;
    else to = middle;
  }
  return [from, to];
}
