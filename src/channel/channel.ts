// A channel: what synthesis makes of a finished design z. It is the distribution C(x | z) of the string x that results.
//
// The errors happen from left to right. Before each letter of z, and once more at the end, letters are inserted: with
// probability `insertion` one letter drawn from `inserted`, and then the same again, so that their number is geometric.
// Each letter of z is left out with probability `deletion`; otherwise it is written, replaced according to
// `substitution` at its position in z. All these events are independent. Several of them can lead to the same x; C(x | z)
// is the sum over all, which the forward algorithm of this pair hidden Markov model computes.

import type { RandomStream } from "../engine/random-stream.ts";
import { type Issue, show, throwIssues } from "../issues.ts";
import { indexInRange } from "../math/index-sampler.ts";
import { letterErrors, positionsOf, type Substitution, substitutionIssues } from "./letter-errors.ts";

/** The errors of synthesis. Letters are indices from 0 to `letters` − 1. */
export interface ChannelOptions {
  /** Size of the alphabet. */
  readonly letters: number;
  /** How a written letter is replaced. Default: not at all. */
  readonly substitution?: Substitution;
  /** Probability of another inserted letter, in [0, 1). Default: 0. */
  readonly insertion?: number;
  /** Distribution of inserted letters. Default: uniform. */
  readonly inserted?: readonly number[];
  /** Probability that a letter is left out, in [0, 1). Default: 0. */
  readonly deletion?: number;
}

/** What synthesis makes of a finished design z: C(x | z). */
export interface Channel {
  /** Size of the alphabet. */
  readonly letters: number;
  /** Whether the resulting string always has the length of the design. */
  readonly keepsLength: boolean;
  /** log C(x | z); −∞ if z cannot turn into x. */
  logProbability(x: ArrayLike<number>, z: ArrayLike<number>): number;
  /** C(x | z) of several strings x. What a string has in common with the beginning of the one before it is computed once, so
   * alphabetical order is fastest. The list must not change between calls. */
  probabilities(strings: readonly ArrayLike<number>[], z: ArrayLike<number>): Float64Array;
  /** A string that results from z. */
  sample(z: ArrayLike<number>, stream: RandomStream): number[];
  /** All strings of positive probability; null if there are more than `most`. With insertions there are infinitely many. */
  support(z: ArrayLike<number>, most: number): ChannelSupport | null;
}

/** The strings that a design can turn into, with their probabilities, which sum to 1. */
export interface ChannelSupport {
  readonly strings: readonly (readonly number[])[];
  readonly probabilities: Float64Array;
}

/** The channel of some errors. Throws a UserError with all mistakes. */
export function channel(options: ChannelOptions): Channel {
  throwIssues(channelIssues(options));
  const { letters, substitution = { kind: "none" }, insertion = 0, deletion = 0 } = options;
  const errorsAt = letterErrors(substitution, letters);
  const positions = positionsOf(substitution);
  const inserted = distribution(options.inserted ?? new Array(letters).fill(1 / letters));
  const keepsLength = insertion === 0 && deletion === 0;
  /** Lists are used for many designs. */
  const shared = new WeakMap<readonly ArrayLike<number>[], SharedLetters>();

  function checkDesign(z: ArrayLike<number>): void {
    if (positions !== null && z.length > positions) {
      throw new RangeError(`channel: a design must have at most ${positions} letters, got ${z.length}`);
    }
    checkLetters(z);
  }

  function checkLetters(string: ArrayLike<number>): void {
    for (let i = 0; i < string.length; i++) {
      if (!(Number.isInteger(string[i]) && string[i] >= 0 && string[i] < letters))
        throw new RangeError(`channel: letters must be from 0 to ${letters - 1}, got ${string[i]}`);
    }
  }

  return {
    letters,
    keepsLength,
    logProbability(x, z) {
      checkDesign(z);
      checkLetters(x);
      if (keepsLength && x.length !== z.length) return Number.NEGATIVE_INFINITY;
      if (keepsLength) {
        let sum = 0;
        for (let i = 0; i < z.length; i++) sum += Math.log(errorsAt(i)[z[i] * letters + x[i]]);
        return sum;
      }
      return forward(x, z, { letters, errorsAt, inserted, insertion, deletion });
    },
    probabilities(strings, z) {
      checkDesign(z);
      let row = shared.get(strings);
      if (!row) {
        strings.forEach(checkLetters);
        row = sharedLetters(strings);
        shared.set(strings, row);
      }
      return forwardOfMany(row, z, { letters, errorsAt, inserted, insertion, deletion });
    },
    sample(z, stream) {
      checkDesign(z);
      const x: number[] = [];
      for (let i = 0; i <= z.length; i++) {
        while (insertion > 0 && uniform(stream) < insertion)
          x.push(indexInRange(inserted, 0, letters, uniform(stream)));
        if (i === z.length || (deletion > 0 && uniform(stream) < deletion)) continue;
        const row = errorsAt(i).subarray(z[i] * letters, (z[i] + 1) * letters);
        x.push(indexInRange(row, 0, letters, uniform(stream)));
      }
      return x;
    },
    support(z, most) {
      checkDesign(z);
      return insertion > 0 ? null : finiteSupport(z, most, { letters, errorsAt, deletion });
    },
  };
}

/** All mistakes of the options. */
export function channelIssues({
  letters,
  substitution = { kind: "none" },
  insertion = 0,
  inserted,
  deletion = 0,
}: ChannelOptions): Issue[] {
  if (!Number.isInteger(letters) || letters < 1)
    return [
      { path: "letters", code: "range", message: `must be a whole number from 1, got ${show(letters)}` },
    ];
  const rates = { insertion, deletion };
  const issues = Object.entries(rates).flatMap(([path, rate]): Issue[] =>
    rate >= 0 && rate < 1 ? [] : [{ path, code: "range", message: `must be in [0, 1), got ${show(rate)}` }],
  );
  issues.push(...substitutionIssues(substitution, letters));
  if (inserted) {
    const sum = inserted.reduce((a, b) => a + b, 0);
    const isValid =
      inserted.length === letters && inserted.every((each) => each >= 0) && Math.abs(sum - 1) <= 1e-6;
    if (!isValid) {
      const message = `must be ${letters} probabilities that sum to 1, got ${show(inserted)}`;
      issues.push({ path: "inserted", code: "sum", message });
    }
  }
  return issues;
}

interface Errors {
  readonly letters: number;
  readonly errorsAt: (position: number) => Float64Array;
  readonly inserted: Float64Array;
  readonly insertion: number;
  readonly deletion: number;
}

/**
 * The forward algorithm over the cells (i, j): i letters of z are done and j letters of x are written. It adds logarithms,
 * because the probability of a long string is smaller than the smallest number.
 */
function forward(
  x: ArrayLike<number>,
  z: ArrayLike<number>,
  { letters, errorsAt, inserted, insertion, deletion }: Errors,
): number {
  const logInsertion = Math.log(insertion);
  const logNoInsertion = Math.log1p(-insertion);
  const logDeletion = Math.log(deletion);
  const logWritten = Math.log1p(-deletion);
  const logInserted = inserted.map(Math.log);
  let row = new Float64Array(x.length + 1).fill(Number.NEGATIVE_INFINITY);
  row[0] = 0;
  for (let i = 0; i <= z.length; i++) {
    if (i > 0) {
      const errors = errorsAt(i - 1);
      const next = new Float64Array(x.length + 1);
      for (let j = 0; j <= x.length; j++) {
        const deleted = logDeletion + row[j];
        const written =
          j === 0
            ? Number.NEGATIVE_INFINITY
            : logWritten + Math.log(errors[z[i - 1] * letters + x[j - 1]]) + row[j - 1];
        next[j] = logNoInsertion + logSum(deleted, written);
      }
      row = next;
    }
    if (insertion > 0)
      for (let j = 1; j <= x.length; j++)
        row[j] = logSum(row[j], logInsertion + logInserted[x[j - 1]] + row[j - 1]);
  }
  return logNoInsertion + row[x.length];
}

/** The letters of a list of strings in one row. Letters that a string has in common with the beginning of the one before it
 * stand there once. */
interface SharedLetters {
  /** The letter and its place in its string, counted from 1. */
  readonly letter: Int32Array;
  readonly place: Int32Array;
  /** For each string the number of letters up to its end, and its length. */
  readonly ends: Int32Array;
  readonly lengths: Int32Array;
}

function sharedLetters(strings: readonly ArrayLike<number>[]): SharedLetters {
  const [letter, place, ends]: number[][] = [[], [], []];
  let before: ArrayLike<number> = [];
  for (const x of strings) {
    let j = 0;
    while (j < x.length && j < before.length && x[j] === before[j]) j++;
    for (; j < x.length; j++) {
      letter.push(x[j]);
      place.push(j + 1);
    }
    ends.push(letter.length);
    before = x;
  }
  return {
    letter: Int32Array.from(letter),
    place: Int32Array.from(place),
    ends: Int32Array.from(ends),
    lengths: Int32Array.from(strings, ({ length }) => length),
  };
}

/**
 * The forward algorithm for many strings, without logarithms: a probability below 10⁻³⁰⁰ becomes 0. Column j has the cells
 * (i, j) of all i. It depends on the first j letters of x alone, so the columns of a common beginning are kept.
 */
function forwardOfMany(
  { letter, place, ends, lengths }: SharedLetters,
  z: ArrayLike<number>,
  { letters, errorsAt, inserted, insertion, deletion }: Errors,
): Float64Array {
  const n = z.length;
  const [deleted, written] = [(1 - insertion) * deletion, (1 - insertion) * (1 - deletion)];
  // Entry [c, i] is the probability that the letter i of z is written as c.
  const writing = new Float64Array(letters * n);
  for (let i = 0; i < n; i++) {
    const errors = errorsAt(i);
    for (let c = 0; c < letters; c++) writing[c * n + i] = written * errors[z[i] * letters + c];
  }
  const cells = new Float64Array((lengths.reduce((a, b) => Math.max(a, b), 0) + 1) * (n + 1));
  for (let i = 0; i <= n; i++) cells[i] = deleted ** i;
  const found = new Float64Array(ends.length);
  for (let string = 0, at = 0; string < ends.length; string++) {
    for (; at < ends[string]; at++) {
      const [k, c] = [place[at], letter[at]];
      const column = k * (n + 1);
      const last = column - n - 1;
      const insertedHere = insertion * inserted[c];
      // After k letters of x, i is at least k without insertions and at most k without deletions. Other cells stay 0.
      const end = deletion === 0 ? Math.min(k, n) : n;
      let i = k;
      if (insertion > 0) {
        cells[column] = insertedHere * cells[last];
        i = 1;
      }
      for (; i <= end; i++) {
        cells[column + i] =
          deleted * cells[column + i - 1] +
          writing[c * n + i - 1] * cells[last + i - 1] +
          insertedHere * cells[last + i];
      }
    }
    found[string] = (1 - insertion) * cells[lengths[string] * (n + 1) + n];
  }
  return found;
}

/** log(eᵃ + eᵇ) */
function logSum(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log1p(Math.exp(Math.min(a, b) - most));
}

/** Extends all strings that the first letters can turn into by one letter of z at a time. Their number never falls. */
function finiteSupport(
  z: ArrayLike<number>,
  most: number,
  { letters, errorsAt, deletion }: Pick<Errors, "letters" | "errorsAt" | "deletion">,
): ChannelSupport | null {
  let found = new Map<string, { readonly string: number[]; probability: number }>([
    ["", { string: [], probability: 1 }],
  ]);
  for (let i = 0; i < z.length; i++) {
    const errors = errorsAt(i);
    const next: typeof found = new Map();
    const add = (key: string, string: () => number[], probability: number) => {
      const known = next.get(key);
      if (known) known.probability += probability;
      else next.set(key, { string: string(), probability });
    };
    for (const [key, { string, probability }] of found) {
      if (deletion > 0) add(key, () => string, probability * deletion);
      for (let letter = 0; letter < letters; letter++) {
        const written = errors[z[i] * letters + letter];
        if (written > 0)
          add(`${key}${letter},`, () => [...string, letter], probability * (1 - deletion) * written);
      }
      if (next.size > most) return null;
    }
    found = next;
  }
  const all = [...found.values()];
  return all.length > most
    ? null
    : {
        strings: all.map(({ string }) => string),
        probabilities: Float64Array.from(all, ({ probability }) => probability),
      };
}

/** The weights divided by their sum. */
function distribution(weights: readonly number[]): Float64Array {
  const sum = weights.reduce((a, b) => a + b, 0);
  return Float64Array.from(weights, (weight) => weight / sum);
}

/** A uniform number with 53 random bits: those of `RandomStream.uniform` would round error rates below 10⁻⁷. */
function uniform(stream: RandomStream): number {
  return ((stream.bits() >>> 5) * 2 ** 26 + (stream.bits() >>> 6)) / 2 ** 53;
}
