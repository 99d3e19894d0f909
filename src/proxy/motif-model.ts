// The motif product, a model of scores: some motifs, letters at given distances from each other, each contribute the share
// of their letters that stand together at the best place of a string, and the score is proportional to the product of the
// shares. A motif may count in steps of several letters (`quantum`). Ehrlich functions have this form.

import { MatchCounter } from "./match-counter.ts";
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

/** Most strings that are scored at once, so that their sets take little memory. */
const MOST_AT_ONCE = 1024;

/** The scores that models give strings of so many tokens, [models][strings]; the same as those of `motifScore`, but faster. */
export function motifScores(
  models: readonly MotifModel[],
  strings: readonly Tokens[],
  tokens: number,
): Float64Array[] {
  const scores = models.map(() => new Float64Array(strings.length));
  for (let start = 0; start < strings.length; start += MOST_AT_ONCE) {
    const some = strings.slice(start, start + MOST_AT_ONCE);
    const counter = new MatchCounter(some, tokens);
    const matches = new Uint8Array(some.length);
    models.forEach(({ motifs, quantum, base, scale }, m) => {
      const products = new Float64Array(some.length).fill(1);
      for (const { offsets, letters } of motifs) {
        counter.count(
          letters.map((letter, j) => ({ offset: offsets[j], letter })),
          matches,
        );
        multiplyByShares(products, matches, letters.length, quantum);
      }
      scores[m].set(
        products.map((product) => base + scale * product),
        start,
      );
    });
  }
  return scores;
}

/** Multiplies the product of each string by the share of one more motif, of which so many letters match. */
export function multiplyByShares(
  products: Float64Array,
  matches: Uint8Array,
  letters: number,
  quantum: number,
): void {
  const shares = shareTable(letters, quantum);
  for (let i = 0; i < products.length; i++) products[i] *= shares[matches[i]];
}

const TABLES = new Map<number, Float64Array>();

/** The share of each number of matches of a motif with so many letters. */
function shareTable(letters: number, quantum: number): Float64Array {
  const key = letters * 64 + quantum;
  let table = TABLES.get(key);
  if (!table) {
    table = Float64Array.from({ length: letters + 1 }, (_, matches) =>
      matchedShare(matches, letters, quantum),
    );
    TABLES.set(key, table);
  }
  return table;
}
