// The motif product, a model of scores: some motifs, letters at given distances from each other, each contribute the share
// of their letters that stand together at the best place of a string, and the score is proportional to the product of the
// shares. A motif may count in steps of several letters (`quantum`). Ehrlich functions have this form.

import type { Tokens } from "./proxy.ts";

/** Letters at fixed distances. */
export interface Motif {
  /** Distance of each letter from the first, ascending from 0. */
  readonly offsets: readonly number[];
  readonly letters: readonly number[];
}

/** A motif product: base + scale · Π over motifs of ⌊matches / quantum⌋ / ⌊letters / quantum⌋. */
export interface MotifModel {
  readonly motifs: readonly Motif[];
  readonly quantum: number;
  readonly base: number;
  readonly scale: number;
}

/** The largest number of letters of a motif that stand together in a string; 0 if the motif does not fit into it. */
export function bestMatch({ offsets, letters }: Motif, string: Tokens): number {
  const count = offsets.length;
  const last = string.length - 1 - offsets[count - 1];
  let best = 0;
  for (let place = 0; place <= last; place++) {
    let matches = 0;
    for (let j = 0; j < count; j++) if (string[place + offsets[j]] === letters[j]) matches++;
    if (matches > best) best = matches;
  }
  return best;
}

/** The share of a motif that a number of matches is worth. */
export function matchedShare(matches: number, letters: number, quantum: number): number {
  const steps = Math.floor(letters / quantum);
  return steps === 0 ? 0 : Math.floor(matches / quantum) / steps;
}

/** The score that the model gives a string. */
export function motifScore({ motifs, quantum, base, scale }: MotifModel, string: Tokens): number {
  let product = 1;
  for (const motif of motifs) {
    product *= matchedShare(bestMatch(motif, string), motif.letters.length, quantum);
    if (product === 0) break;
  }
  return base + scale * product;
}
