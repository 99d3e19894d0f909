// Scores of an oracle in memory: a cache and a budget of calls, for programs that keep no files.

import { checkedAnswer, failureOf } from "../oracle/answers.ts";
import { type Answer, DeadOracleError, type Oracle, OracleError } from "../oracle/oracle.ts";
import type { FailurePolicy, Scored } from "../oracle/score-store.ts";
import type { ScoredDesign } from "./candidates.ts";
import type { ScoreSource } from "./design-scorer.ts";

/** Options of `MemoryScores`. */
export interface MemoryScoresOptions {
  readonly oracle: Oracle;
  readonly budget: number;
  readonly onFailure: FailurePolicy;
}

/** A score source without a disk. Requests must be awaited one after the other. */
export class MemoryScores implements ScoreSource {
  readonly #options: MemoryScoresOptions;
  readonly #known = new Map<string, Answer>();
  #calls = 0;

  constructor(options: MemoryScoresOptions) {
    this.#options = options;
  }

  get calls(): number {
    return this.#calls;
  }

  get remaining(): number {
    return this.#options.budget - this.#calls;
  }

  /** Adds scores that cost no calls. */
  tell(scores: readonly ScoredDesign[]): void {
    for (const { string, ...answer } of scores) this.#known.set(string, answer);
  }

  async score(strings: readonly string[], signal?: AbortSignal): Promise<Scored[]> {
    const { oracle } = this.#options;
    const asked = [...new Set(strings)].filter((string) => !this.#known.has(string)).slice(0, this.remaining);
    for (let start = 0; start < asked.length; start += oracle.batch) {
      const some = asked.slice(start, start + oracle.batch);
      this.#calls += some.length;
      const answers = await this.#ask(some, signal);
      for (const [i, string] of some.entries()) this.#known.set(string, answers[i]);
    }
    return strings.map((string) => this.#outcome(string));
  }

  /** All strings with a score. */
  scored(): ScoredDesign[] {
    return [...this.#known].flatMap(([string, answer]) => ("score" in answer ? [{ string, ...answer }] : []));
  }

  /** All strings that failed, and why. */
  failed(): { readonly string: string; readonly failure: string }[] {
    return [...this.#known].flatMap(([string, answer]) =>
      "failure" in answer ? [{ string, ...answer }] : [],
    );
  }

  /** Failures for all strings if the oracle fails as a whole. */
  async #ask(strings: readonly string[], signal: AbortSignal | undefined): Promise<readonly Answer[]> {
    try {
      return (await this.#options.oracle.score(strings, signal)).map(checkedAnswer);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DeadOracleError) throw error;
      return strings.map(() => failureOf(error));
    }
  }

  #outcome(string: string): Scored {
    const { oracle, budget, onFailure } = this.#options;
    const answer = this.#known.get(string);
    if (!answer) return { status: "unscored", reason: `the budget of ${budget} calls is used up` };
    if ("score" in answer) return { status: "scored", ...answer };
    if (onFailure !== "stop") return { status: onFailure, failure: answer.failure };
    throw new OracleError(`${oracle.label} gave no score for ${JSON.stringify(string)}: ${answer.failure}`);
  }
}
