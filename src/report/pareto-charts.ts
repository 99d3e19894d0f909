// Charts of several design objectives: one against another for all scored strings, with the Pareto front.

import { type PointGroup, scatterChart } from "./scatter-chart.ts";
import { formatCount } from "./text-format.ts";

/** The objectives of a design, with values of its strings. */
export interface ParetoReport {
  readonly objectives: readonly { readonly name: string; readonly goal: "maximise" | "minimise" }[];
  /** The values of scored strings, one per objective. */
  readonly values: readonly (readonly number[])[];
  /** The values of the strings on the Pareto front. */
  readonly front: readonly (readonly number[])[];
  /** The front and its hypervolume, in words. */
  readonly summary: string;
}

/** Most other strings of a figure. */
const MOST_DOTS = 2000;

/** The first objective against each of the others. */
export function paretoCharts({ objectives, values, front }: ParetoReport): string[] {
  const step = Math.max(1, values.length / MOST_DOTS);
  const shown = Array.from(
    { length: Math.min(values.length, MOST_DOTS) },
    (_, i) => values[Math.floor(i * step)],
  );
  const notes =
    shown.length < values.length
      ? [`${formatCount(shown.length)} of ${formatCount(values.length)} scored strings are drawn.`]
      : [];
  return objectives.slice(1).map((other, i) => {
    const points = (rows: readonly (readonly number[])[]) =>
      rows.map((row) => ({ x: row[0], y: row[i + 1] }));
    const groups: readonly PointGroup[] = [
      { name: "scored string", points: points(shown) },
      { name: "Pareto front", points: points(front) },
    ];
    return scatterChart({
      title: `${other.name} against ${objectives[0].name}`,
      x: { label: labelOf(objectives[0]) },
      y: { label: labelOf(other) },
      points: groups.filter((group) => group.points.length > 0),
      notes,
    });
  });
}

function labelOf({ name, goal }: ParetoReport["objectives"][number]): string {
  return `${name} (${goal === "maximise" ? "high" : "low"} is good)`;
}
