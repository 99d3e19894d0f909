// Chart of the modes and circles that a run or a design has found, over iterations or oracle calls.

import { progressAxis } from "./charts.ts";
import { lineChart, type Reference } from "./line-chart.ts";
import { orNaN, type ViewNotes } from "./view-notes.ts";

export interface ModesChartData extends ViewNotes {
  readonly iterations: readonly number[];
  readonly calls: readonly (number | null)[];
  readonly series: readonly {
    readonly name: string;
    readonly found: readonly (number | null)[];
    readonly of: number | null;
    /** What a perfect sampler finds. */
    readonly expected: number | null;
  }[];
}

/** One panel for each definition of a mode. */
export function modesChart(data: ModesChartData, over: "iterations" | "oracle calls" = "iterations"): string {
  const xs = over === "iterations" ? data.iterations : data.calls.map(orNaN);
  return lineChart({
    title: `Modes found against ${over}`,
    x: progressAxis(over),
    y: { label: "found", unit: "count", include: [0] },
    hasOwnScales: true,
    panels: data.series.map(({ name, found, of, expected }) => ({
      title: name,
      curves: [{ name, points: xs.map((x, i) => ({ x, y: orNaN(found[i]) })) }],
      references: [
        ...(of === null ? [] : [{ name: "all", y: of }]),
        ...(expected === null || expected === of ? [] : [{ name: "perfect sampler", y: expected }]),
      ] satisfies Reference[],
    })),
    notes: data.notes,
  });
}
