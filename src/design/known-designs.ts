// The designs that a run starts from: known strings of the problem, told results, and strings that earlier runs scored.

import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { UserError } from "../issues.ts";
import type { ScoreStore } from "../oracle/score-store.ts";
import type { Problem } from "../problem/problem.ts";
import type { ScoredDesign } from "./candidates.ts";
import { combineReplicates } from "./tell.ts";

/** Adds the known strings of the problem to the scores: the mean of replicates. Told results of the same strings stay. */
export async function tellKnown(
  store: Pick<ScoreStore, "get" | "tell">,
  { known, objectives }: Pick<Problem, "known" | "objectives">,
): Promise<void> {
  const news = combineReplicates(known, objectives).filter(({ string }) => store.get(string) === undefined);
  if (news.length > 0) await store.tell(news);
}

/** All legal strings with a score. */
export function designsIn(
  store: Pick<ScoreStore, "scored">,
  environment: Pick<ConstrainedSequenceEnvironment, "isLegal">,
): ScoredDesign[] {
  return store.scored().filter(({ string }) => environment.isLegal(string));
}

/** The designs that a run was started with. */
export function knownDesigns(strings: readonly string[], store: Pick<ScoreStore, "get">): ScoredDesign[] {
  return strings.map((string) => {
    const answer = store.get(string);
    if (answer && "score" in answer) return { string, ...answer };
    throw new UserError(`the score of ${string}, from which the run started, is gone; give another folder`);
  });
}
