// A landscape: a built-in score of strings that is known exactly, to try the library and to test it.

/** A score of every string of one length. A string is a list of letter indices, from 0 to `letters` − 1. */
export interface Landscape {
  /** One line for people: the family, its sizes, and where the instance comes from. */
  readonly label: string;
  /** Identifies the scores: two landscapes with the same version give every string the same score. */
  readonly version: string;
  /** Size of the alphabet. */
  readonly letters: number;
  /** Length of the strings. */
  readonly length: number;
  /** The pairs of neighbouring letters that a feasible string may have; null if every string is feasible. */
  readonly pairs: AllowedPairs | null;
  /** A feasible string to start from; null if there is none in particular. */
  readonly initial: readonly number[] | null;
  /** The score, from 0 to 1; null if the string has another length or letter, or is not feasible. */
  score(string: ArrayLike<number>): number | null;
}

/** The constraint that only some pairs may be neighbours: `allowed[first][second]`. */
export interface AllowedPairs {
  readonly kind: "pairs";
  readonly allowed: readonly (readonly boolean[])[];
}

/** Most strings that `landscapeTable` scores. */
export const MAX_TABLE = 2 ** 26;

/** The scores of all strings in alphabetical order: the first letter counts most. `infeasible` is the score of strings that
 * are not feasible. */
export function landscapeTable(landscape: Landscape, infeasible = 0): Float64Array {
  const { letters, length } = landscape;
  const count = letters ** length;
  if (count > MAX_TABLE) {
    throw new RangeError(
      `landscapeTable: there must be at most ${MAX_TABLE} strings, got ${letters}^${length}`,
    );
  }
  const table = new Float64Array(count);
  const string = new Int32Array(length);
  for (let index = 0; index < count; index++) {
    table[index] = landscape.score(string) ?? infeasible;
    for (let i = length - 1; i >= 0 && ++string[i] === letters; i--) string[i] = 0;
  }
  return table;
}
