// Matrices of the dynamics: the probability of each outcome given the action that was intended, of the environment beside
// the learned model, and their difference.

import type { ColourScale } from "./colour-bar.ts";
import { type HeatPanel, heatMap } from "./heat-map.ts";
import { type ViewNotes, viewNotes } from "./view-notes.ts";

type Matrix = readonly (readonly (number | null)[])[];

export interface DynamicsChartData extends ViewNotes {
  readonly actions: readonly string[];
  readonly outcomes: readonly string[];
  /** [action][outcome]. */
  readonly truth: Matrix;
  readonly learned: Matrix | null;
  /** The same for each step, if they differ. */
  readonly steps: readonly {
    readonly step: number;
    readonly truth: Matrix;
    readonly learned: Matrix | null;
  }[];
}

const PROBABILITY: ColourScale = { palette: "sequential", label: "probability", most: 1, root: true };

/** The matrices of one step, or those of all steps together. */
export function dynamicsChart(data: DynamicsChartData, step?: number): string {
  const { actions, outcomes } = data;
  const chosen = step === undefined ? undefined : data.steps.find((each) => each.step === step);
  const { truth, learned } = chosen ?? data;
  const difference = learned && minus(learned, truth);
  const panels: HeatPanel[] = [
    { title: "environment: P(c | a)", values: truth, colours: PROBABILITY },
    ...(learned && difference
      ? [
          { title: "learned: P̂(c | a)", values: learned, colours: PROBABILITY },
          { title: "learned − environment", values: difference, colours: differenceScale(difference.flat()) },
        ]
      : []),
  ];
  return heatMap({
    title: `Intended action against outcome${chosen ? `, step ${chosen.step}` : ""}`,
    rows: { label: "intended action a", names: actions },
    columns: { label: "outcome c", names: outcomes },
    panels,
    ...{ perRow: 3, numbers: true },
    notes: [...viewNotes(data), ...(learned ? [] : ["The run has no dynamics model."])],
  });
}

/** Differences of two matrices; null where one of them has no number. */
function minus(a: Matrix, b: Matrix): (number | null)[][] {
  return a.map((row, i) =>
    row.map((value, j) => {
      const other = b[i]?.[j] ?? null;
      return value === null || other === null ? null : value - other;
    }),
  );
}

/** Colours of differences. Differences that are all 0 have a scale of their own size, too. */
export function differenceScale(values: readonly (number | null)[], label = "difference"): ColourScale {
  const most = values.reduce((size: number, value) => Math.max(size, Math.abs(value ?? 0)), 0);
  return { palette: "difference", label, most: most || 1 };
}
