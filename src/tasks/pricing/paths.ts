// Paths of a customer: premium, answer, premium, answer, … until the customer leaves or the months are over.
//
// They form a tree. States are numbered step by step; in each step in the order of what happened so far, in which
// every month that did not end it is one of six: three premiums, and two answers with which the customer stays.
// Finished paths come after them: those that left in the first month, in the second, …, and those who stayed.

import { ANSWERS, PREMIUMS } from "./customer.ts";

const P = PREMIUMS.length;
/** Answers with which a customer stays; they are the first ones. */
const STAYING = 2;
const PREMIUM_LETTERS = "DSU";
const ANSWER_LETTERS = "qcl";

export interface PathNumbers {
  readonly months: number;
  /** Paths that are not finished. */
  readonly states: number;
  /** Finished paths. */
  readonly terminals: number;
  /** Number of the first state before step t. */
  firstState(t: number): number;
  /** Number among all, states first, of the first path that ends in a month by leaving. */
  firstLeaving(month: number): number;
  /** The same of the first path whose customer stays to the end. */
  readonly firstStaying: number;
  /** Premiums and answers, in turn, of a path by its number among all. */
  wayOf(index: number): number[];
  /** Number among all after another step of an unfinished path. */
  child(index: number, t: number, outcome: number): number;
}

export function pathNumbers(months: number): PathNumbers {
  /** Months that may all have gone either way before the given one: 1 + 6 + 36 + … */
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

  function wayOf(index: number): number[] {
    const way: number[] = [];
    let t = 2 * months;
    let place = index - firstStaying;
    if (index < states) {
      while (firstState(t) > index) t--;
      place = index - firstState(t);
    } else if (index < firstStaying) {
      let month = months - 1;
      while (firstLeaving(month) > index) month--;
      way.push(ANSWERS.leaves);
      t = 2 * month + 1;
      place = index - firstLeaving(month);
    }
    for (; t > 0; t--) {
      const choices = t % 2 === 0 ? STAYING : P;
      way.push(place % choices);
      place = Math.floor(place / choices);
    }
    return way.reverse();
  }

  return {
    ...{ months, states, firstState, firstLeaving, firstStaying, wayOf, child },
    terminals: firstStaying - states + (P * STAYING) ** months,
  };
}

/** A path as text: a capital for the premium (discount, standard, surcharge is U for up) and a small letter for the
 * answer (quiet, claim, leaves), month by month. */
export function writePath(way: readonly number[]): string {
  return way.map((outcome, t) => (t % 2 === 0 ? PREMIUM_LETTERS : ANSWER_LETTERS)[outcome]).join("");
}

/** The inverse of `writePath`, for finished paths. */
export function readPath(where: string, text: string, months: number): number[] {
  const whole = new RegExp(`^([DSU][qc]){0,${months - 1}}[DSU]l$|^([DSU][qc]){${months}}$`);
  if (!whole.test(text)) {
    throw new RangeError(
      `${where}: ${JSON.stringify(text)} is no path of ${months} months, each D, S or U and then q or c, or l at its end if it ends early`,
    );
  }
  return Array.from(text, (letter, t) => (t % 2 === 0 ? PREMIUM_LETTERS : ANSWER_LETTERS).indexOf(letter));
}
