// A hand-made score for DNA strings of eight letters, for demonstrations: it favours AT, CG, GC and TA pairs.
//
// It is not the measured TFBind8 table, and everything that shows it must say so.

import { EIGHT_MERS, LENGTH, LETTERS, sequenceAt } from "./eight-mers.ts";

export { LENGTH, LETTERS, sequenceAt };

/** Score in [0, 1] of one string. Pairs are counted without overlap. */
export function simplifiedScore(sequence: string): number {
  const count = (pair: string) => sequence.split(pair).length - 1;
  let repeats = 0;
  for (let i = 1; i < sequence.length; i++) if (sequence[i] === sequence[i - 1]) repeats++;
  const ends = sequence.startsWith("A") && sequence.endsWith("T") ? 1 : 0;
  const sum =
    0.5 * count("AT") +
    0.7 * count("CG") +
    0.6 * count("GC") +
    0.4 * count("TA") +
    0.3 * ends +
    0.1 * repeats;
  return Math.min(Math.max(sum / 3, 0), 1);
}

/** Scores of all strings in alphabetical order. */
export function simplifiedTable(): Float32Array {
  return Float32Array.from({ length: EIGHT_MERS }, (_, index) => simplifiedScore(sequenceAt(index)));
}
