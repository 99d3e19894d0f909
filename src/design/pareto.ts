// The Pareto front of the scored strings of a design with several objectives, its hypervolume, and its file.

import { formatCsv, spreadsheetText } from "../formats/csv.ts";
import { hypervolume, MOST_RECURSIVE } from "../math/hypervolume.ts";
import { paretoFront } from "../math/pareto-front.ts";
import { type DesignObjective, hasConstraints, scaledValue, violation } from "../oracle/design-objectives.ts";
import { formatCount, formatNumber } from "../report/text-format.ts";
import type { ScoredDesign } from "./candidates.ts";

/** The strings that no other string is better than in every objective. */
export interface ParetoFront {
  /** Strings that meet the constraints and are not dominated, best score first. */
  readonly front: readonly ScoredDesign[];
  /** Strings that meet the constraints. */
  readonly feasible: number;
  /** The volume that the front dominates, in units of best − worst per objective; null if the front is too large. */
  readonly hypervolume: number | null;
  /** The corner of that volume: the worst value of each objective. */
  readonly reference: readonly number[];
}

/** The front of all scored strings that meet the constraints. */
export function paretoOf(
  scored: readonly ScoredDesign[],
  objectives: readonly DesignObjective[],
): ParetoFront {
  const feasible = scored.filter(({ values }) => values && violation(objectives, values) === 0);
  const points = feasible.map(({ values = [] }) =>
    objectives.map((objective, i) => scaledValue(objective, values[i])),
  );
  const indices = paretoFront(points);
  const isSmall = objectives.length <= 3 || indices.length <= MOST_RECURSIVE;
  return {
    front: indices
      .map((i) => feasible[i])
      .sort((a, b) => b.score - a.score || (a.string < b.string ? -1 : 1)),
    feasible: feasible.length,
    hypervolume: isSmall
      ? hypervolume(
          indices.map((i) => points[i]),
          objectives.map(() => 0),
        )
      : null,
    reference: objectives.map(({ worst }) => worst),
  };
}

/** The front as CSV: the string, its score, and its value of each objective. */
export function paretoCsv({ front }: ParetoFront, objectives: readonly DesignObjective[]): string {
  const names = objectives.map(({ name }) => name);
  return formatCsv(
    ["string", "score", ...names],
    front.map(({ string, score, values = [] }) => ({
      string: spreadsheetText(string),
      score,
      ...Object.fromEntries(names.map((name, i) => [name, values[i]])),
    })),
  );
}

/** The front in a sentence or two. */
export function paretoText(
  { front, feasible, hypervolume: volume, reference }: ParetoFront,
  objectives: readonly DesignObjective[],
): string {
  const met = hasConstraints(objectives) ? `${formatCount(feasible)} strings meet the constraints. ` : "";
  const corner = objectives.map(({ name }, i) => `${name} ${reference[i]}`).join(", ");
  const size =
    volume === null
      ? `its hypervolume is not computed, because it has more than ${MOST_RECURSIVE} strings in ${objectives.length} objectives`
      : `its hypervolume is ${formatNumber(volume)} relative to ${corner}`;
  return `${met}The Pareto front has ${formatCount(front.length)} strings; ${size}.`;
}
