// A round with a laboratory: strings to measure, from all results that were told so far. The folder keeps the round, so that
// the next one can compare its predictions with the results.

import type { ScoredDesign } from "../candidates.ts";
import { type Round, type RoundsOptions, roundProposer, type Stage } from "./propose-round.ts";
import { readRounds, writeRounds } from "./rounds-file.ts";

export interface LaboratoryRoundOptions extends RoundsOptions {
  readonly folder: string;
  readonly scored: readonly ScoredDesign[];
  /** How many results were told so far. */
  readonly told: number;
  readonly count: number;
  readonly onStage?: (stage: Stage) => void;
}

/** Proposes strings. If no result was told since the last round, that round is proposed again: with the same number of
 * strings it is the same. */
export async function laboratoryRound(
  options: LaboratoryRoundOptions,
): Promise<Round & { readonly index: number }> {
  const { folder, scored, told, count, onStage } = options;
  const earlier = (await readRounds(folder)).filter((round) => (round.told ?? 0) < told);
  const proposer = roundProposer(options);
  try {
    const round = { ...(await proposer.propose({ scored, rounds: earlier, count, onStage })), told };
    await writeRounds(folder, [...earlier, round]);
    return { ...round, index: earlier.length };
  } finally {
    await proposer.dispose();
  }
}
