// k-mers of strings: runs of up to eight letters wherever they stand, also with one letter left open. Scores that depend on
// motifs, such as binding, follow them more directly than they follow the letters of each position.

import type { Tokens } from "./proxy.ts";

/** A sparse vector of unit length: identifiers of features, and their values. */
export interface Features {
  readonly ids: Int32Array;
  readonly values: Float64Array;
}

/** Most letters of a k-mer. */
const MOST_WIDTH = 8;

/** A kind of k-mers: how many letters wide, and which of them is open (0 for none). */
interface Kind {
  readonly width: number;
  readonly open: number;
}

/** Numbers the k-mers of an alphabet in the order in which they are met. */
export class KmerFeatures {
  readonly #tokens: number;
  readonly #kinds: readonly Kind[];
  readonly #idOfKey = new Map<number, number>();

  constructor({ tokens, length }: { readonly tokens: number; readonly length: number }) {
    this.#tokens = tokens;
    let width = Math.min(MOST_WIDTH, length);
    // Keys of k-mers must be exact integers.
    while (kindsUpTo(width).length * tokens ** width >= Number.MAX_SAFE_INTEGER) width--;
    this.#kinds = kindsUpTo(width);
  }

  /** Number of different k-mers so far. */
  get size(): number {
    return this.#idOfKey.size;
  }

  /** The counts of a string's k-mers, scaled to a vector of unit length. New k-mers are numbered, or left out of the result
   * if the features are those of known strings only; they count for the length of the vector all the same. */
  of(string: Tokens, { isKnown = false }: { readonly isKnown?: boolean } = {}): Features {
    const counts = new Map<number, number>();
    for (const key of this.#keys(string)) counts.set(key, (counts.get(key) ?? 0) + 1);
    let squares = 0;
    for (const count of counts.values()) squares += count * count;
    const ids = new Int32Array(counts.size);
    const values = new Float64Array(counts.size);
    let used = 0;
    for (const [key, count] of counts) {
      let id = this.#idOfKey.get(key);
      if (id === undefined) {
        if (isKnown) continue;
        id = this.#idOfKey.size;
        this.#idOfKey.set(key, id);
      }
      ids[used] = id;
      values[used++] = count / Math.sqrt(squares);
    }
    return { ids: ids.subarray(0, used), values: values.subarray(0, used) };
  }

  /** The keys of all k-mers of a string, with repetitions. */
  #keys(string: Tokens): Float64Array {
    const tokens = this.#tokens;
    const { length } = string;
    const kinds = this.#kinds;
    const keys: number[] = [];
    for (let start = 0; start < length; start++) {
      kinds.forEach(({ width, open }, kind) => {
        if (start + width > length) return;
        let code = 0;
        for (let i = 0; i < width; i++) {
          if (i !== open || i === 0) code = code * tokens + string[start + i];
        }
        keys.push(code * kinds.length + kind);
      });
    }
    return Float64Array.from(keys);
  }
}

/** The kinds of k-mers up to a width. A k-mer begins and ends with a letter that is not open. */
function kindsUpTo(most: number): Kind[] {
  return Array.from({ length: most }, (_, i) => i + 1).flatMap((width) =>
    Array.from({ length: Math.max(1, width - 1) }, (_, open) => ({ width, open })),
  );
}
