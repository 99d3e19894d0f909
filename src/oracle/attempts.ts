// Asks a batch again until each string has an answer or all attempts have failed.

import { type Answer, OracleError } from "./oracle.ts";

/** The result of one attempt to get answers for some strings. */
export interface Attempt {
  /** Answers for some or all of the strings. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Why strings have no answer, as one sentence; null if nothing went wrong. */
  readonly problem: string | null;
}

export interface AttemptOptions {
  /** How often a batch is asked again. */
  readonly retries: number;
  /** Waits before attempt 1, 2, … */
  readonly pause?: (attempt: number) => Promise<void>;
  /** Is told at once why strings have no answer, before they are asked again. */
  readonly onProblem?: (problem: string) => void;
}

/** Strings are asked one by one in the end, until this many in a row have failed. */
const FAILURES_IN_A_ROW = 3;

/**
 * One answer per string. Each attempt asks the strings that have no answer yet. If some still have none after the last
 * attempt, each of them is asked once more by itself, so that a string that makes a program crash fails alone.
 */
export async function askRepeatedly(
  strings: readonly string[],
  ask: (strings: readonly string[]) => Promise<Attempt>,
  { retries, pause = async () => {}, onProblem }: AttemptOptions,
): Promise<Answer[]> {
  const answers = new Map<string, Answer>();
  const failures = new Map<string, string>();

  /** The strings that still have no answer. */
  async function attempt(asked: readonly string[]): Promise<readonly string[]> {
    const result = await ask(asked);
    if (result.problem !== null) onProblem?.(result.problem);
    for (const [string, answer] of result.answers) answers.set(string, answer);
    const unanswered = asked.filter((string) => !answers.has(string));
    for (const string of unanswered) failures.set(string, result.problem ?? "it got no answer");
    return unanswered;
  }

  let missing: readonly string[] = [...new Set(strings)];
  for (let count = 0; count <= retries && missing.length > 0; count++) {
    if (count > 0) await pause(count);
    missing = await attempt(missing);
  }
  let inARow = 0;
  for (const string of strings.length > 1 ? missing : []) {
    if (inARow === FAILURES_IN_A_ROW) break;
    inARow = (await attempt([string])).length === 0 ? 0 : inARow + 1;
  }
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
