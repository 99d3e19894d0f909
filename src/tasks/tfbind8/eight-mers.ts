// DNA strings of eight letters, numbered in alphabetical order: A, C, G, T are 0..3, the first letter counts most.

import { sequenceCodec } from "../../gfn/environments/sequence-codec.ts";

export const LETTERS = "ACGT";
export const LENGTH = 8;
/** How many strings there are, 65,536. */
export const EIGHT_MERS = LETTERS.length ** LENGTH;

const CODEC = sequenceCodec({ alphabet: LETTERS, length: LENGTH }, "tfbind8");

/** String number `index` in alphabetical order. */
export function sequenceAt(index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= EIGHT_MERS) {
    throw new RangeError(`sequenceAt: 8-mers are numbered from 0 to ${EIGHT_MERS - 1}, got ${index}`);
  }
  return CODEC.decode(Array.from({ length: LENGTH }, (_, i) => (index >> (2 * (LENGTH - 1 - i))) & 3));
}

/** Number of a string, the inverse of `sequenceAt`. */
export function sequenceIndex(sequence: string): number {
  return CODEC.encode(sequence).reduce((index, letter) => index * 4 + letter, 0);
}

/** Number of the other strand, read in its own direction: letters complemented, order reversed. */
export function reverseComplement(index: number): number {
  let rest = index;
  let other = 0;
  for (let i = 0; i < LENGTH; i++) {
    other = other * 4 + (3 - (rest & 3));
    rest >>= 2;
  }
  return other;
}

/** What keeps a text from being an 8-mer, as half a sentence; null if nothing does. */
export const eightMerFault = CODEC.fault;
