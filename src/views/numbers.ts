// Numbers of views: rounded so that an answer stays small, and finite so that JSON has them.

/** Significant digits of the numbers in views: more than a page shows. */
const DIGITS = 7;

/** A number with few digits; null if it is not finite. */
export function rounded(value: number, digits = DIGITS): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : null;
}

/** A finite number with few digits. */
export function short(value: number, digits = DIGITS): number {
  return Number(value.toPrecision(digits));
}

/** All numbers of an array with few digits. */
export function shortAll(values: ArrayLike<number>, digits = DIGITS): number[] {
  return Array.from(values, (value) => short(value, digits));
}

/** Some values as an array; Array.from is many times slower. */
export function numbersOf(values: Float64Array, first: number, end: number): number[] {
  const numbers = new Array<number>(end - first);
  for (let i = first; i < end; i++) numbers[i - first] = values[i];
  return numbers;
}

/** Up to `most` of the indices below `count`: evenly spaced, the first and the last among them. */
export function spacedIndices(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  if (most === 1) return [count - 1];
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

/** A long text with its middle left out. */
export function abbreviated(text: string, most = 80): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
