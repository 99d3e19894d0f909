// How often each letter occurs at each position of a set of strings, and the information that a position carries.

/** A string as letter indices. */
export type Letters = ArrayLike<number>;

/** One position of a set of strings. */
export interface PositionFrequencies {
  /** Fraction of the strings that reach this position: 1, unless some are shorter. */
  readonly reached: number;
  /** Fraction of each letter among the strings that reach the position. */
  readonly fractions: Float64Array;
  /** log₂ of the number of letters minus the entropy of the fractions, without a correction for few strings. */
  readonly bits: number;
}

/** The frequencies at every position of the longest string. */
export function letterFrequencies(strings: readonly Letters[], letters: number): PositionFrequencies[] {
  const length = strings.reduce((most, string) => Math.max(most, string.length), 0);
  return Array.from({ length }, (_, position) => {
    const counts = new Float64Array(letters);
    let reached = 0;
    for (const string of strings) {
      if (position >= string.length) continue;
      counts[string[position]]++;
      reached++;
    }
    return positionFrequencies(
      counts.map((count) => count / reached),
      reached / strings.length,
    );
  });
}

/** One position from the fractions of the letters that occur there. */
export function positionFrequencies(fractions: ArrayLike<number>, reached = 1): PositionFrequencies {
  const all = Float64Array.from(fractions);
  let bits = Math.log2(all.length);
  for (const fraction of all) if (fraction > 0) bits += fraction * Math.log2(fraction);
  return { reached, fractions: all, bits: Math.max(0, bits) };
}

/** Ticks of a position axis, counted from 1: the first position and multiples of a round number, which depends on how many
 * positions (`span`) a row has room for. */
export function positionTicks(
  from: number,
  to: number,
  span = to - from + 1,
): { readonly value: number; readonly text: string }[] {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => span / each <= 16) ?? 200;
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
    .filter((position) => position === 1 || position % step === 0)
    .map((value) => ({ value, text: String(value) }));
}
