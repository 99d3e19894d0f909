// Rounds of active learning with an oracle: propose a batch, score it, learn from all scores, and again.

import type { ScoredDesign } from "../candidates.ts";
import type { ScoreSource } from "../design-scorer.ts";
import { isInside, type Round, type RoundsOptions, roundProposer, type Stage } from "./propose-round.ts";
import type { RoundsPlan } from "./rounds-plan.ts";

/** What happens in rounds. */
export type RoundEvent =
  /** A part of a round begins. */
  | { readonly kind: "stage"; readonly round: number; readonly stage: Stage }
  /** A round is proposed, and its strings are being scored. */
  | { readonly kind: "proposed"; readonly round: number; readonly strings: number }
  /** A round is scored. */
  | {
      readonly kind: "round";
      readonly round: number;
      readonly result: Round;
      /** All scored strings so far, in the order of the rounds. */
      readonly scored: readonly ScoredDesign[];
    };

export interface RunRoundsOptions extends Omit<RoundsOptions, "rounds">, RoundsPlan {
  /** Strings that were scored before the first round. */
  readonly known: readonly ScoredDesign[];
  readonly source: ScoreSource;
  /** Rounds that an earlier process has proposed, and how to keep those of this one. */
  readonly saved: readonly Round[];
  save(rounds: readonly Round[]): Promise<void>;
  readonly onEvent?: (event: RoundEvent) => void;
}

/** The rounds, and all scored strings in their order. A proposed round is saved before it is scored; one that was saved
 * is not proposed again. */
export async function runRounds(
  options: RunRoundsOptions,
): Promise<{ readonly rounds: readonly Round[]; readonly scored: readonly ScoredDesign[] }> {
  const { known, source, saved, save, onEvent, signal, batch } = options;
  const rounds: Round[] = [];
  const scored = [...known];
  const proposer = roundProposer(options);
  try {
    while (rounds.length < options.rounds) {
      const round = rounds.length;
      let result = saved[round];
      if (!result) {
        const count = Math.min(batch, source.remaining);
        if (count === 0) break;
        const onStage = (stage: Stage) => onEvent?.({ kind: "stage", round, stage });
        result = await proposer.propose({ scored, rounds, count, onStage });
        await save([...rounds, result]);
      }
      rounds.push(result);
      if (result.proposals.length === 0) break;
      onEvent?.({ kind: "proposed", round, strings: result.proposals.length });
      const strings = result.proposals.map(({ string }) => string);
      const outcomes = await source.score(strings, signal);
      strings.forEach((string, i) => {
        const outcome = outcomes[i];
        if (outcome.status === "scored") scored.push({ string, score: outcome.score });
      });
      onEvent?.({ kind: "round", round, result, scored: [...scored] });
    }
  } finally {
    await proposer.dispose();
  }
  return { rounds, scored };
}

/** How many scores of a round its 80 % intervals held, of those that had one. */
export function heldScores(
  { proposals }: Round,
  scoreOf: (string: string) => number | undefined,
): { readonly inside: number; readonly total: number } {
  let [inside, total] = [0, 0];
  for (const { string, prediction } of proposals) {
    const score = scoreOf(string);
    if (!prediction || score === undefined) continue;
    total++;
    if (isInside(prediction, score)) inside++;
  }
  return { inside, total };
}
