// Asks a batch again until each string has an answer or all attempts have failed, and gives an oracle up that never answers.

import { shortLine } from "../issues.ts";
import { type Answer, DeadOracleError, OracleError } from "./oracle.ts";

/** The result of one attempt to get answers for some strings. */
export interface Attempt {
  /** Answers for some or all of the strings. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Why strings have no answer, as one sentence; null if nothing went wrong. */
  readonly problem: string | null;
  /** Whether the time limit ended the attempt before anything was heard. */
  readonly wasSilent?: boolean;
}

export interface AttemptOptions {
  /** How often a batch is asked again. */
  readonly retries: number;
  /** Waits before attempt 1, 2, … */
  readonly pause?: (attempt: number) => Promise<void>;
  /** Is told at once why strings have no answer, before they are asked again. */
  readonly onProblem?: (problem: string) => void;
  /** What is known about the oracle from all of its batches. */
  readonly patience: Patience;
}

/** Strings are asked one by one in the end, until this many in a row have failed. */
const FAILURES_IN_A_ROW = 3;
/** An oracle that has never answered is given up after so many silent attempts, or so many batches without an answer. */
const MOST_DEAD = 3;
/** Longest sentence on an attempt: with the end of what the program wrote to standard error. */
const LONGEST_PROBLEM = 400;

/** Gives an oracle up that has never answered. Attempts or batches that are on their way at the same time count once, because
 * they end for the same reason. */
export class Patience {
  readonly #label: string;
  #hasAnswered = false;
  #error: DeadOracleError | null = null;
  readonly #silent = { count: 0, last: Number.NEGATIVE_INFINITY };
  readonly #dead = { count: 0, last: Number.NEGATIVE_INFINITY };

  /** @param label What scores the strings. */
  constructor(label: string) {
    this.#label = label;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Throws a DeadOracleError if the oracle was given up. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  answered(): void {
    this.#hasAnswered = true;
  }

  /** The oracle was silent for its time limit. Throws a DeadOracleError once this has happened too often.
   * @param began When the attempt began. */
  silent(began: number, problem: string): void {
    this.#count(this.#silent, began, problem);
  }

  /** A batch got no answer at all, after all of its attempts. Throws a DeadOracleError once this has happened too often. */
  dead(began: number, problem: string): void {
    this.#count(this.#dead, began, problem);
  }

  #count(what: { count: number; last: number }, began: number, problem: string): void {
    if (this.#hasAnswered || began < what.last) return;
    what.count++;
    what.last = performance.now();
    if (what.count < MOST_DEAD) return;
    this.#error = new DeadOracleError(
      `${this.#label} has never given a usable answer, so it is not asked again: ${problem}`,
    );
    throw this.#error;
  }
}

/**
 * One answer per string. Each attempt asks the strings that have no answer yet. If some still have none after the last
 * attempt, each of them is asked once more by itself, so that a string that makes a program crash fails alone. Throws a
 * DeadOracleError if the oracle has never answered, and was asked often enough.
 */
export async function askRepeatedly(
  strings: readonly string[],
  ask: (strings: readonly string[]) => Promise<Attempt>,
  { retries, pause = async () => {}, onProblem, patience }: AttemptOptions,
): Promise<Answer[]> {
  const answers = new Map<string, Answer>();
  const failures = new Map<string, string>();
  const began = performance.now();
  /** Whether an oracle that has never answered was silent: then another string tells more than the same batch again. */
  let isSilent = false;

  /** The strings that still have no answer. */
  async function attempt(asked: readonly string[]): Promise<readonly string[]> {
    patience.check();
    const start = performance.now();
    const result = await ask(asked);
    const problem = result.problem === null ? null : shortLine(result.problem, LONGEST_PROBLEM);
    if (problem !== null) onProblem?.(problem);
    for (const [string, answer] of result.answers) answers.set(string, answer);
    if (result.answers.size > 0) patience.answered();
    const unanswered = asked.filter((string) => !answers.has(string));
    for (const string of unanswered) failures.set(string, problem ?? "it got no answer");
    isSilent = result.wasSilent === true && !patience.hasAnswered;
    if (isSilent) patience.silent(start, problem as string);
    return unanswered;
  }

  let missing: readonly string[] = [...new Set(strings)];
  try {
    for (let count = 0; count <= retries && missing.length > 0; count++) {
      if (count > 0) await pause(count);
      await attempt(isSilent ? [missing[count % missing.length]] : missing);
      missing = missing.filter((string) => !answers.has(string));
    }
    let inARow = 0;
    for (const string of strings.length > 1 ? missing : []) {
      if (inARow === FAILURES_IN_A_ROW) break;
      inARow = (await attempt([string])).length === 0 ? 0 : inARow + 1;
    }
  } catch (error) {
    if (error instanceof OracleError && !(error instanceof DeadOracleError)) {
      patience.dead(began, error.message);
    }
    throw error;
  }
  if (strings.length > 0 && answers.size === 0) patience.dead(began, [...failures.values()][0]);
  return strings.map((string) => answers.get(string) ?? { failure: failures.get(string) as string });
}

/** Throws an OracleError unless the numbers are whole and at least their minimum. */
export function checkWholeNumbers(
  values: Readonly<Record<string, readonly [value: number, least: number]>>,
): void {
  const issues = Object.entries(values)
    .filter(([, [value, least]]) => !(Number.isSafeInteger(value) && value >= least))
    .map(([path, [value, least]]) => ({
      path,
      code: "range",
      message: `must be a whole number of at least ${least}, got ${value}`,
    }));
  if (issues.length > 0) throw new OracleError(issues);
}
