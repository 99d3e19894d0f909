// Collects the values of finished experiments by method and noise level, for figures.

import type { Point, SeedRuns } from "../report/series.ts";
import type { FinishedExperiment } from "./comparison-folder.ts";
import type { ExperimentGrid } from "./experiment-grid.ts";
import type { RecordField } from "./experiment-record.ts";

export interface ExperimentData {
  readonly methods: readonly string[];
  /** Noise levels with at least one finished experiment. */
  readonly sticks: ExperimentGrid["sticks"];
  /** Curves of field `y` against field `x`, for the methods and seeds that have both. */
  curves(stick: number | null, y: RecordField, x: RecordField): SeedRuns[];
  /** The last value of a field for each seed that has a value. */
  finalValues(stick: number | null, method: string, field: RecordField): number[];
  /** The value of a field that is the same in all experiments of a noise level; the smallest if methods differ. */
  constant(stick: number | null, field: RecordField): number | undefined;
}

export function experimentData(
  { methods, sticks }: Pick<ExperimentGrid, "methods" | "sticks">,
  finished: readonly FinishedExperiment[],
): ExperimentData {
  const experimentsAt = (stick: number | null, method: string) =>
    finished.filter((experiment) => experiment.stick === stick && experiment.method === method);
  const finalValues: ExperimentData["finalValues"] = (stick, method, field) =>
    experimentsAt(stick, method).flatMap(({ records }) => records.at(-1)?.[field] ?? []);
  return {
    methods,
    sticks: sticks.filter((stick) => finished.some((experiment) => experiment.stick === stick)),
    curves: (stick, y, x) =>
      methods.flatMap((name): SeedRuns[] => {
        const all = experimentsAt(stick, name).map((experiment) => curveOf(experiment, x, y));
        const runs = all.filter((run) => run.length > 0);
        return runs.length > 0 ? [{ name, runs }] : [];
      }),
    finalValues,
    constant(stick, field) {
      const values = methods.flatMap((method) => finalValues(stick, method, field));
      return values.length === 0 ? undefined : values.reduce((a, b) => Math.min(a, b));
    },
  };
}

function curveOf({ records }: FinishedExperiment, xField: RecordField, yField: RecordField): Point[] {
  return records.flatMap((record) => {
    const [x, y] = [record[xField], record[yField]];
    return x === null || y === null ? [] : [{ x, y }];
  });
}
