// The reward of a design that is synthesised with errors: Σ_x C(x | z) · R(x), over all strings x that it can turn into.
//
// It is exact if few enough strings can result, or if few enough strings have a score at all. Otherwise it is estimated
// from strings drawn from the channel, each of which the oracle must score, and the standard error is given. A string that
// is not legal, because of a constraint or its length, is never sent to the oracle: its reward is 0.

import type { RandomStream } from "../engine/random-stream.ts";
import { throwIssues } from "../issues.ts";
import type { Channel } from "./channel.ts";
import { letterErrors, positionsOf, type Substitution, substitutionIssues } from "./letter-errors.ts";

/** Most strings that are scored for the exact value of one design. */
export const MOST_EXACT = 100_000;

/** The reward of a design after the errors of synthesis. */
export interface ExpectedScore {
  readonly value: number;
  /** Whether `value` is the exact sum. */
  readonly exact: boolean;
  /** Standard error of an estimate; 0 if `value` is exact. */
  readonly standardError: number;
  /** Probability that a legal string results: exact, or the fraction of the draws. */
  readonly legal: number;
  /** Number of draws; 0 if `value` is exact. */
  readonly draws: number;
}

/** How strings are scored, and what to do if the sum is too large. */
export interface ExpectedScoreOptions {
  readonly channel: Channel;
  /** The rewards of legal strings, in the same order. A string is asked for once, however many designs can turn into it. */
  reward(strings: readonly (readonly number[])[]): Promise<ArrayLike<number>> | ArrayLike<number>;
  /** Whether a string has a reward of its own. Default: every string has. */
  isLegal?(string: readonly number[]): boolean;
  /** All legal strings, if they are known and at most `most`: then the sum is over them, and exact with insertions too.
   * Alphabetical order is fastest. */
  readonly legalStrings?: readonly (readonly number[])[];
  /** Most strings of an exact sum. Default: 100,000. */
  readonly most?: number;
  /** Draws of an estimate. Default: 100. */
  readonly draws?: number;
  /** Random numbers of the draws. */
  readonly stream: RandomStream;
}

/** The expected rewards of several designs, one after the other. */
export async function expectedScores(
  designs: readonly (readonly number[])[],
  options: ExpectedScoreOptions,
): Promise<ExpectedScore[]> {
  const { channel, isLegal = () => true, legalStrings, most = MOST_EXACT } = options;
  if (legalStrings && legalStrings.length <= most) {
    const rewards = await answersTo(legalStrings);
    return designs.map((design) => exactSum(channel.probabilities(legalStrings, design), rewards));
  }
  const known = new Map<string, number>();
  const results: ExpectedScore[] = [];
  for (const design of designs) {
    const { exact, strings, weights } = outcomesOf(design, options);
    const rewards = await rewardsOf(strings.map((string) => (isLegal(string) ? string : null)));
    let [value, legal] = [0, 0];
    rewards.forEach((reward, i) => {
      if (reward === null) return;
      legal += weights[i];
      value += weights[i] * reward;
    });
    if (exact) results.push({ value, exact, standardError: 0, legal, draws: 0 });
    else {
      const draws = strings.length;
      const squares = rewards.reduce<number>((sum, reward) => sum + ((reward ?? 0) - value) ** 2, 0);
      const standardError = draws > 1 ? Math.sqrt(squares / (draws - 1) / draws) : Number.POSITIVE_INFINITY;
      results.push({ value, exact, standardError, legal, draws });
    }
  }
  return results;

  /** The rewards of strings; null stays null. Only strings that are new are asked for. */
  async function rewardsOf(strings: readonly (readonly number[] | null)[]): Promise<(number | null)[]> {
    const keys = strings.map((string) => string?.join() ?? null);
    const asked = new Map<string, readonly number[]>();
    keys.forEach((key, i) => {
      if (key !== null && !known.has(key)) asked.set(key, strings[i]!);
    });
    if (asked.size > 0) {
      const answers = await answersTo([...asked.values()]);
      [...asked.keys()].forEach((key, i) => {
        known.set(key, answers[i]);
      });
    }
    return keys.map((key) => (key === null ? null : known.get(key)!));
  }

  async function answersTo(strings: readonly (readonly number[])[]): Promise<ArrayLike<number>> {
    const answers = await options.reward(strings);
    if (answers.length === strings.length) return answers;
    throw new RangeError(
      `expectedScores: there must be one reward per string, got ${answers.length} for ${strings.length}`,
    );
  }
}

/** The sum over strings with these probabilities. Strings that are not listed have the reward 0. */
function exactSum(probabilities: Float64Array, rewards: ArrayLike<number>): ExpectedScore {
  let [value, legal] = [0, 0];
  probabilities.forEach((probability, i) => {
    legal += probability;
    value += probability * rewards[i];
  });
  return { value, exact: true, standardError: 0, legal, draws: 0 };
}

/** The strings that a design turns into, with weights: their probabilities, or equal ones for draws. */
function outcomesOf(
  design: readonly number[],
  { channel, most = MOST_EXACT, draws = 100, stream }: ExpectedScoreOptions,
): {
  readonly exact: boolean;
  readonly strings: readonly (readonly number[])[];
  readonly weights: Float64Array;
} {
  const support = channel.support(design, most);
  if (support) return { exact: true, strings: support.strings, weights: support.probabilities };
  const strings = Array.from({ length: draws }, () => channel.sample(design, stream));
  return { exact: false, strings, weights: new Float64Array(draws).fill(1 / draws) };
}

/**
 * The expected rewards of all strings of one length, with substitutions only: entry z is Σ_x C(x | z) · R(x). `rewards` and
 * the result are in alphabetical order. Positions are independent, so the matrix is applied to one position after the
 * other, which takes length · letters operations per string instead of one per pair of strings.
 */
export function expectedTable(
  rewards: Float64Array,
  { letters, length, substitution }: ExpectedTableOptions,
): Float64Array {
  if (rewards.length !== letters ** length) {
    throw new RangeError(
      `expectedTable: there must be one reward for each of the ${letters ** length} strings, got ${rewards.length}`,
    );
  }
  throwIssues(substitutionIssues(substitution, letters));
  const positions = positionsOf(substitution);
  if (positions !== null && positions !== length)
    throw new RangeError(`expectedTable: there must be ${length} matrices, got ${positions}`);
  const errorsAt = letterErrors(substitution, letters);
  let table = rewards;
  for (let position = 0, place = rewards.length / letters; position < length; position++, place /= letters) {
    const errors = errorsAt(position);
    const next = new Float64Array(table.length);
    for (let index = 0; index < table.length; index++) {
      const intended = Math.floor(index / place) % letters;
      const first = index - intended * place;
      let sum = 0;
      for (let written = 0; written < letters; written++)
        sum += errors[intended * letters + written] * table[first + written * place];
      next[index] = sum;
    }
    table = next;
  }
  return table === rewards ? rewards.slice() : table;
}

/** The strings of a table, and the errors that letters have. */
export interface ExpectedTableOptions {
  readonly letters: number;
  readonly length: number;
  readonly substitution: Substitution;
}
