// Distances between arrays of numbers. Anything that is not a number, or of another length, is infinitely far off.

type Numbers = ArrayLike<number>;

/** Largest distance, entry by entry. */
export function largestDifference(actual: Numbers, expected: Numbers): number {
  return largest(actual, expected, () => 1);
}

/** Largest distance relative to 1 + |expected|, entry by entry. */
export function relativeDifference(actual: Numbers, expected: Numbers): number {
  return largest(actual, expected, (x) => 1 + Math.abs(x));
}

/** Largest distance relative to the largest entry expected. */
export function scaledDifference(actual: Numbers, expected: Numbers): number {
  const scale = peak(expected);
  return largest(actual, expected, () => scale);
}

/** Largest magnitude. */
export function peak(array: Numbers): number {
  let found = 0;
  for (let i = 0; i < array.length; i++) found = Math.max(found, Math.abs(array[i]));
  return found;
}

function largest(actual: Numbers, expected: Numbers, scaleOf: (expected: number) => number): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const distance = Math.abs(actual[i] - expected[i]);
    const ratio = distance === 0 ? 0 : distance / scaleOf(expected[i]);
    if (!(ratio <= worst)) worst = Number.isNaN(ratio) ? Infinity : ratio;
  }
  return worst;
}
