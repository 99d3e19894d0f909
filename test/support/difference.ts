// Differences between arrays of numbers. NaN and arrays of different lengths give Infinity.

type Numbers = ArrayLike<number>;

/** Largest absolute difference of entries. */
export function largestDifference(actual: Numbers, expected: Numbers): number {
  return largest(actual, expected, () => 1);
}

/** Largest difference of entries relative to 1 + |expected|. */
export function relativeDifference(actual: Numbers, expected: Numbers): number {
  return largest(actual, expected, (x) => 1 + Math.abs(x));
}

/** Largest difference of entries relative to the largest expected magnitude. */
export function scaledDifference(actual: Numbers, expected: Numbers): number {
  const scale = largestMagnitude(expected);
  return largest(actual, expected, () => scale);
}

/** Largest absolute value of an entry. */
export function largestMagnitude(array: Numbers): number {
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
