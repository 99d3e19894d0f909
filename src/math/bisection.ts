// Bisection: over the indices of an array (binary search), and over an interval of real numbers.

/**
 * The first index below `length` at which a condition holds; `length` if it never holds. If the condition holds at an
 * index, it must hold at all later ones.
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
 * Halves the interval from `low` to `high` `steps` times, around the point where `isBelow` changes from true to false.
 * Returns both ends of the last interval: `isBelow` is true at the lower end and false at the upper end, unless the end
 * is still `low` or `high`.
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
