// DNA strings of eight letters (8-mers) and their indices in alphabetical order: A, C, G, T are the digits 0 to 3 in base 4.

import { sequenceCodec } from "../../gfn/environment/sequence-codec.ts";

export const LETTERS = "ACGT";
export const LENGTH = 8;
/** Number of 8-mers, 65,536. */
export const EIGHT_MERS = LETTERS.length ** LENGTH;

const CODEC = sequenceCodec({ alphabet: LETTERS, length: LENGTH }, "tfbind8");

/** The 8-mer of an index. */
export function sequenceAt(index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= EIGHT_MERS) {
    throw new RangeError(
      `sequenceAt: the index must be a whole number from 0 to ${EIGHT_MERS - 1}, got ${index}`,
    );
  }
  return CODEC.decode(Array.from({ length: LENGTH }, (_, i) => (index >> (2 * (LENGTH - 1 - i))) & 3));
}

/** The index of an 8-mer, the inverse of `sequenceAt`. */
export function sequenceIndex(sequence: string): number {
  return CODEC.encode(sequence).reduce((index, letter) => index * 4 + letter, 0);
}

/** Index of the reverse complement of an 8-mer, which is the sequence of the other strand. */
export function reverseComplement(index: number): number {
  let rest = index;
  let other = 0;
  for (let i = 0; i < LENGTH; i++) {
    other = other * 4 + (3 - (rest & 3));
    rest >>= 2;
  }
  return other;
}

/** The reason why a text is not an 8-mer, as a clause for an error message; null for an 8-mer. */
export const eightMerFault = CODEC.problemWith;
