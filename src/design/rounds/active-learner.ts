// Active learning by ask and tell: the rounds of a design as a search over strings, for comparisons with other searches.

import type { ScoredString, StringSearch } from "../../search/string-search.ts";
import type { ScoredDesign } from "../candidates.ts";
import { type Round, type RoundsOptions, roundProposer } from "./propose-round.ts";
import { heldIn } from "./round-text.ts";

/** A search that learns a proxy. */
export interface ActiveLearner extends StringSearch {
  /** Strings that proxies have scored. */
  readonly proxyCalls: number;
  /** The rounds so far. */
  readonly rounds: readonly Round[];
  /** How many scores the 80 % intervals held that were predicted before the strings were asked. */
  coverage(): { readonly inside: number; readonly total: number };
  /** Frees the compiled programs. */
  dispose(): Promise<void>;
}

/** Higher scores are better, whatever the goal of a problem is. */
export function activeLearner(options: Omit<RoundsOptions, "goal">): ActiveLearner {
  const proposer = roundProposer({ ...options, goal: "maximise" });
  const scored = new Map<string, ScoredDesign>();
  const rounds: Round[] = [];
  return {
    name: "active learning",
    rounds,
    get proxyCalls() {
      return rounds.reduce((sum, { proxyCalls }) => sum + proxyCalls, 0);
    },
    coverage: () => heldIn(rounds, [...scored.values()]),
    async ask(count) {
      const round = await proposer.propose({ scored: [...scored.values()], rounds, count });
      rounds.push(round);
      return round.proposals.map(({ string }) => string);
    },
    async tell(results: readonly ScoredString[]) {
      for (const { string, score } of results) scored.set(string, { string, score });
    },
    dispose: () => proposer.dispose(),
  };
}
