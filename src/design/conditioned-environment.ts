// The environment of a design whose policy takes the preference as input: every legal string has a value for each objective.

import type { EnumerableConstrainedEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { type PreferenceEnvironment, preferenceEnvironment } from "../gfn/environment/preference.ts";
import {
  constrainedScore,
  countedValues,
  type DesignObjective,
  normalisedWeights,
} from "../oracle/design-objectives.ts";
import type { ScoreSource } from "./design-scorer.ts";

/**
 * The environment with a table per objective, and the weights of the problem as its default preference. `texts` are all
 * legal strings, in the order of the terminals, with scores that are paid for. Constraints change each table as they change
 * the score: weights sum to 1, so the weighted sum of the tables is the score of the string under any preference. A string
 * without a score has 0 everywhere, and so the lowest reward. If all values are 0, they are replaced by 1: the target is the
 * same uniform one.
 */
export async function conditionedEnvironment(
  environment: EnumerableConstrainedEnvironment,
  texts: readonly string[],
  {
    source,
    objectives,
    signal,
  }: {
    readonly source: ScoreSource;
    readonly objectives: readonly DesignObjective[];
    readonly signal?: AbortSignal;
  },
): Promise<PreferenceEnvironment> {
  const scored = await source.score(texts, signal);
  const tables = objectives.map(() => new Float64Array(texts.length));
  for (const [terminal, outcome] of scored.entries()) {
    if (outcome.status !== "scored" || !outcome.values) continue;
    const { values } = outcome;
    for (const [i, counted] of countedValues(objectives, values).entries()) {
      tables[i][terminal] = constrainedScore(objectives, values, counted);
    }
  }
  if (tables.every((table) => table.every((value) => value === 0))) for (const table of tables) table.fill(1);
  return preferenceEnvironment({
    environment,
    objectives: tables,
    preference: normalisedWeights(objectives),
  });
}
