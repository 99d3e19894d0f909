// Counts the matches of motifs in many strings at once. Each letter has, for each position, the set of the strings that have
// it there, one bit for each string, so that a few operations on integers count the matches of 32 strings at one place.

import type { Tokens } from "./proxy.ts";

/** A letter of a motif, by its distance from some place. */
export interface MotifLetter {
  readonly offset: number;
  readonly letter: number;
}

/** The four bits of a number in four bytes. */
const BYTES_OF_BITS = new Uint32Array(
  Uint8Array.from({ length: 4 * 16 }, (_, i) => (Math.floor(i / 4) >> (i % 4)) & 1).buffer,
);

export class MatchCounter {
  readonly #length: number;
  /** Number of 32-bit words of a set, W. */
  readonly #words: number;
  /** The strings that have a letter at a position, [A · L · W], and those that have any letter there, [L · W]. */
  readonly #having: Int32Array;
  readonly #present: Int32Array;
  /** The matches of each string, four in a word, and the same memory by strings, [n]. */
  readonly #packed: Uint32Array;
  readonly #matches: Uint8Array;
  /** Memory of `count`, which grows with the motifs. */
  #here = new Int32Array();
  #reached = new Int32Array();

  constructor(strings: readonly Tokens[], tokens: number) {
    const length = strings.reduce((most, string) => Math.max(most, string.length), 0);
    const words = Math.ceil(strings.length / 32);
    this.#length = length;
    this.#words = words;
    this.#having = new Int32Array(tokens * length * words);
    this.#present = new Int32Array(length * words);
    strings.forEach((string, i) => {
      const bit = 1 << (i % 32);
      for (let position = 0; position < string.length; position++) {
        const word = position * words + (i >> 5);
        this.#having[string[position] * length * words + word] |= bit;
        this.#present[word] |= bit;
      }
    });
    this.#packed = new Uint32Array(words * 8);
    this.#matches = new Uint8Array(this.#packed.buffer, 0, strings.length);
  }

  /** Writes for each string the largest number of letters that stand together in it, [n]; 0 if the motif does not fit into the
   * string. The letters stand in the order of their offsets. */
  count(letters: readonly MotifLetter[], matches: Uint8Array): void {
    const words = this.#words;
    const having = this.#having;
    const present = this.#present;
    const size = letters.length;
    const first = letters[0].offset;
    const span = letters[size - 1].offset - first;
    const rows = letters.map(({ offset, letter }) => (letter * this.#length + offset - first) * words);
    const end = span * words;
    // Element k of `here` is the set of the strings with at least k matches at a place, element k of a row of `reached` is that
    // of the strings with at least k matches at any place.
    const levels = size + 1;
    if (this.#here.length < levels) {
      this.#here = new Int32Array(levels);
      this.#reached = new Int32Array(words * levels);
    }
    const here = this.#here;
    const reached = this.#reached.fill(0, 0, words * levels);
    for (let place = 0; place < this.#length - span; place++) {
      for (let word = 0; word < words; word++) {
        const at = place * words + word;
        here[0] = present[end + at];
        let top = 0; // the largest number of matches so far, which is small in most words
        for (let j = 0; j < size; j++) {
          const matching = having[rows[j] + at];
          const more = here[top] & matching;
          for (let k = top; k > 0; k--) here[k] |= here[k - 1] & matching;
          if (more !== 0) here[++top] = more;
        }
        for (let k = 1; k <= top; k++) reached[word * levels + k] |= here[k];
      }
    }
    this.#sum(reached, levels);
    matches.set(this.#matches);
  }

  /** The matches of a string are the number of levels that it has reached. */
  #sum(reached: Int32Array, levels: number): void {
    const packed = this.#packed;
    for (let word = 0; word < this.#words; word++) {
      for (let part = 0; part < 8; part++) {
        let four = 0;
        for (let k = 1; k < levels; k++)
          four += BYTES_OF_BITS[(reached[word * levels + k] >>> (4 * part)) & 15];
        packed[word * 8 + part] = four;
      }
    }
  }
}
