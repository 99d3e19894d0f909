// The edit distance of sequences, computed with bit vectors.

/** A text, or a list of token indices. */
export type Sequence = string | ArrayLike<number>;

/** Levenshtein distance: the smallest number of insertions, deletions and replacements that turn one sequence into the other. */
export function editDistance(a: Sequence, b: Sequence): number {
  return distancesFrom(codesOf(a))(codesOf(b));
}

/** The letters as numbers. The array always has the same type, so that the distance loop stays monomorphic. */
export function codesOf(sequence: Sequence): Int32Array {
  if (typeof sequence !== "string") return Int32Array.from(sequence);
  const codes = new Int32Array(sequence.length);
  for (let i = 0; i < codes.length; i++) codes[i] = sequence.charCodeAt(i);
  return codes;
}

/**
 * Edit distances from a sequence a to others, 32 letters of a at a time (Myers 1999, in blocks as in Hyyrö 2003).
 *
 * The dynamic program has a row per letter of a and a column per letter of b. The current column is stored as differences
 * of neighbouring rows: a bit in `up` for 1, a bit in `down` for −1, neither for 0.
 */
export function distancesFrom(a: Int32Array): (b: Int32Array) => number {
  const blocks = Math.ceil(a.length / 32);
  const positions = new Map<number, Int32Array>(); // bit i is set if a[i] is the letter
  const none = new Int32Array(blocks);
  a.forEach((letter, i) => {
    if (!positions.has(letter)) positions.set(letter, new Int32Array(blocks));
    (positions.get(letter) as Int32Array)[i >>> 5] |= 1 << (i & 31);
  });
  const up = new Int32Array(blocks);
  const down = new Int32Array(blocks);
  return (b) => {
    if (blocks === 0) return b.length;
    up.fill(-1);
    down.fill(0);
    let distance = a.length; // distance between a and the first j letters of b
    for (let j = 0; j < b.length; j++) {
      const matches = positions.get(b[j]) ?? none;
      // Difference from the previous column: 1 in the first row, then carried from block to block.
      let [right, left] = [1, 0];
      for (let block = 0; block < blocks; block++) {
        const [p, m] = [up[block], down[block]];
        const vertical = matches[block] | m;
        const equal = matches[block] | left;
        const horizontal = (((equal & p) + p) ^ p) | equal;
        let rises = m | ~(horizontal | p);
        let falls = p & horizontal;
        if (block === blocks - 1) {
          const last = (a.length - 1) & 31;
          distance += ((rises >>> last) & 1) - ((falls >>> last) & 1);
        }
        const [nextRight, nextLeft] = [rises >>> 31, falls >>> 31];
        rises = (rises << 1) | right;
        falls = (falls << 1) | left;
        up[block] = falls | ~(vertical | rises);
        down[block] = rises & vertical;
        [right, left] = [nextRight, nextLeft];
      }
    }
    return distance;
  };
}
