// A hand-made score of 8-mers for demonstrations, which favours the pairs AT, CG, GC and TA.
//
// It is not the measured TFBind8 table, and every display of its results must say so.

import { EIGHT_MERS, LENGTH, LETTERS, sequenceAt } from "./eight-mers.ts";

export { LENGTH, LETTERS, sequenceAt };

/** Score of an 8-mer, in [0, 1]. Occurrences of a pair are counted without overlap. */
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

/** Scores of all 8-mers in alphabetical order. */
export function simplifiedTable(): Float32Array {
  return Float32Array.from({ length: EIGHT_MERS }, (_, index) => simplifiedScore(sequenceAt(index)));
}
