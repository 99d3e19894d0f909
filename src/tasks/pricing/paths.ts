// Paths of a customer, and their indices. A path is premium, answer, premium, answer, … until the customer leaves or the
// months are over.
//
// Paths form a tree. States, the unfinished paths, are numbered by step, and within a step in lexicographic order: each
// completed month is one of six combinations of a premium and an answer of a customer who stays. Finished paths follow:
// first the paths on which the customer leaves in the first month, then those on which the customer leaves in the
// second month, and so on; last come the paths on which the customer stays.

import { ANSWERS, PREMIUMS } from "./customer.ts";

const P = PREMIUMS.length;
/** Number of answers with which a customer stays; these answers have the lowest numbers. */
const STAYING = 2;
const PREMIUM_LETTERS = "DSU";
const ANSWER_LETTERS = "qcl";

export interface PathIndex {
  readonly months: number;
  /** Number of unfinished paths. */
  readonly states: number;
  /** Number of finished paths. */
  readonly terminals: number;
  /** Index of the first state before step t. */
  firstState(t: number): number;
  /**
   * Index of the first path on which the customer leaves in this month. Indices number the states first, then the
   * finished paths.
   */
  firstLeaving(month: number): number;
  /** Index of the first path on which the customer stays to the end. */
  readonly firstStaying: number;
  /** The alternating premiums and answers of a path. */
  outcomesOf(index: number): number[];
  /** Index of the path after one more step of an unfinished path. */
  child(index: number, t: number, outcome: number): number;
}

export function pathIndex(months: number): PathIndex {
  /**
   * Number of unfinished paths that end at the start of a month, summed over the months before the given one:
   * 1 + 6 + 36 + …
   */
  const before = (month: number) => ((P * STAYING) ** month - 1) / (P * STAYING - 1);
  const firstState = (t: number) =>
    t % 2 === 0 ? (1 + P) * before(t / 2) : before((t + 1) / 2) + P * before((t - 1) / 2);
  const states = firstState(2 * months);
  const firstLeaving = (month: number) => states + P * before(month);
  const firstStaying = firstLeaving(months);

  function child(index: number, t: number, outcome: number): number {
    const place = index - firstState(t);
    if (t % 2 === 0) return firstState(t + 1) + P * place + outcome;
    if (outcome === ANSWERS.leaves) return firstLeaving((t - 1) / 2) + place;
    const first = t + 1 < 2 * months ? firstState(t + 1) : firstStaying;
    return first + STAYING * place + outcome;
  }

  function outcomesOf(index: number): number[] {
    const path: number[] = [];
    let t = 2 * months;
    let place = index - firstStaying;
    if (index < states) {
      while (firstState(t) > index) t--;
      place = index - firstState(t);
    } else if (index < firstStaying) {
      let month = months - 1;
      while (firstLeaving(month) > index) month--;
      path.push(ANSWERS.leaves);
      t = 2 * month + 1;
      place = index - firstLeaving(month);
    }
    for (; t > 0; t--) {
      const choices = t % 2 === 0 ? STAYING : P;
      path.push(place % choices);
      place = Math.floor(place / choices);
    }
    return path.reverse();
  }

  return {
    ...{ months, states, firstState, firstLeaving, firstStaying, outcomesOf, child },
    terminals: firstStaying - states + (P * STAYING) ** months,
  };
}

/** The text of a path, two letters per month: D (discount), S (standard) or U (up, a surcharge) for the premium, then q
 * (quiet), c (claim) or l (leaves) for the answer. */
export function formatPath(path: readonly number[]): string {
  return path.map((outcome, t) => (t % 2 === 0 ? PREMIUM_LETTERS : ANSWER_LETTERS)[outcome]).join("");
}

/** The inverse of `formatPath`, for finished paths. */
export function parsePath(where: string, text: string, months: number): number[] {
  const finished = new RegExp(`^([DSU][qc]){0,${months - 1}}[DSU]l$|^([DSU][qc]){${months}}$`);
  if (!finished.test(text)) {
    throw new RangeError(
      `${where}: ${JSON.stringify(text)} is not a path of ${months} months; write D, S or U and then q or c for each month, and l in the last month if the customer leaves`,
    );
  }
  return Array.from(text, (letter, t) => (t % 2 === 0 ? PREMIUM_LETTERS : ANSWER_LETTERS).indexOf(letter));
}
