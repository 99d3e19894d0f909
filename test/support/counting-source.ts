// A source of scores in memory for tests of designs: it counts calls, keeps a budget, and notes what was asked.

import type { ScoreSource } from "../../src/design/design-scorer.ts";

export interface CountingSource extends ScoreSource {
  /** Strings in the order in which they were sent, each once. */
  readonly sent: readonly string[];
}

/** A score of null stands for a string that failed; `onFailure` says how that counts. */
export function countingSource(
  scoreOf: (string: string) => number | null,
  budget: number,
  onFailure: "skip" | "floor" = "skip",
): CountingSource {
  const known = new Map<string, number | null>();
  return {
    get calls() {
      return known.size;
    },
    get remaining() {
      return budget - known.size;
    },
    get sent() {
      return [...known.keys()];
    },
    async score(strings, signal) {
      signal?.throwIfAborted();
      for (const string of strings) {
        if (!known.has(string) && known.size < budget) known.set(string, scoreOf(string));
      }
      return strings.map((string) => {
        const score = known.get(string);
        if (score === undefined) return { status: "unscored", reason: "the budget is used up" };
        return score === null ? { status: onFailure, failure: "no" } : { status: "scored", score };
      });
    },
  };
}
