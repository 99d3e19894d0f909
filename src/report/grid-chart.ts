// Heat maps of a hypergrid: the probabilities of its cells in the target, in the learned distribution and in the best
// reachable one, with common colours, and the difference of learned and target.

import type { ColourScale } from "./colour-bar.ts";
import { differenceScale } from "./dynamics-chart.ts";
import { type HeatPanel, heatMap } from "./heat-map.ts";
import { type ViewNotes, viewNotes } from "./view-notes.ts";

export interface GridChartData extends ViewNotes {
  readonly dimensions: number;
  readonly side: number;
  /** The axes of the columns and of the rows, counted from 0. */
  readonly axes: readonly [number, number];
  /** By axis: the index at which it is fixed; null for the axes that are shown and for those that are summed over. */
  readonly fixed: readonly (number | null)[];
  /** Cells per side of a square, if squares of cells are summed. Default: 1. */
  readonly block?: number;
  /** [row · columns + column]. A grid with one axis has one row. */
  readonly target: readonly number[];
  readonly learned: readonly number[];
  readonly limit: readonly number[] | null;
}

/** With `isCompact`, all maps stand in one row, without numbers. */
export function gridChart(data: GridChartData, { isCompact = false } = {}): string {
  const { dimensions, side, axes, block = 1, target, learned, limit } = data;
  const columns = Math.ceil(side / block);
  const rows = Math.round(target.length / columns);
  const most = [target, learned, limit ?? []].flat().reduce((a, b) => Math.max(a, b), 0);
  const colours: ColourScale = { palette: "sequential", label: "probability of a cell", most, root: true };
  // The first row of the data is the lowest index, which stands at the bottom.
  const matrix = (values: readonly number[]) =>
    Array.from({ length: rows }, (_, row) =>
      values.slice((rows - 1 - row) * columns, (rows - row) * columns),
    );
  const difference = learned.map((value, i) => value - target[i]);
  const panels: HeatPanel[] = [
    { title: "target", values: matrix(target), colours },
    { title: "learned", values: matrix(learned), colours },
    ...(limit ? [{ title: "best reachable (limit)", values: matrix(limit), colours }] : []),
    {
      title: "learned − target",
      values: matrix(difference),
      colours: differenceScale(difference, "learned − target"),
    },
  ];
  const indices = Array.from({ length: columns }, (_, i) => i * block);
  return heatMap({
    title: `Probabilities of the cells of a grid of ${dimensions} ${dimensions === 1 ? "axis" : "axes"}`,
    rows: {
      ...(rows === 1
        ? { label: "", names: [""] }
        : { label: `index of axis ${axes[1] + 1}`, numbers: indices.toReversed() }),
    },
    columns: { label: `index of axis ${axes[0] + 1}`, numbers: indices },
    panels,
    ...{ perRow: isCompact ? panels.length : panels.length === 4 ? 2 : 3 },
    numbers: columns <= 8 && !isCompact,
    notes: [...viewNotes(data), ...sliceNotes(data)],
  });
}

/** Which cells are shown, and which are sums. */
function sliceNotes({ dimensions, axes, fixed, block = 1 }: GridChartData): string[] {
  const others = Array.from({ length: dimensions }, (_, axis) => axis).filter((axis) => !axes.includes(axis));
  const summed = others.filter((axis) => (fixed[axis] ?? null) === null).map((axis) => axis + 1);
  const slices = others.flatMap((axis) =>
    (fixed[axis] ?? null) === null ? [] : [`axis ${axis + 1} is fixed at ${fixed[axis]}`],
  );
  return [
    ...(slices.length > 0 ? [`A slice: ${slices.join(", ")}.`] : []),
    ...(summed.length > 0
      ? [`Sums over ${summed.length === 1 ? "axis" : "axes"} ${summed.join(", ")}.`]
      : []),
    ...(block > 1 ? [`A square stands for ${block} × ${block} cells.`] : []),
  ];
}
