// Scatter chart with a straight reference line.

import { dot, line } from "@observablehq/plot";
import { type Axis, isPlottable, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import { omittedCountNotes } from "./plottable.ts";
import type { Point } from "./series.ts";
import { INK, styleOf } from "./theme.ts";

export interface ScatterChart {
  readonly title: string;
  /** Axes are linear; to get a logarithmic axis, pass logarithms. */
  readonly x: Axis;
  readonly y: Axis;
  /** Points of one kind, or several kinds with names and colours of their own; later ones are drawn above earlier ones. */
  readonly points: readonly Point[] | readonly PointGroup[];
  /** Reference line y = slope · x + intercept. Optional. */
  readonly line?: { readonly name: string; readonly slope: number; readonly intercept: number };
  readonly notes?: readonly string[];
  /** All names that occur in a set of figures, in order, so that a name has the same colour in every figure. */
  readonly order?: readonly string[];
}

/** Points with a name in the legend. */
export interface PointGroup {
  readonly name: string;
  readonly points: readonly Point[];
}

/** The chart as SVG. Points that are not finite are omitted; a note counts them. */
export function scatterChart(chart: ScatterChart): string {
  const { title, x, y, points, line: referenceLine, notes = [], order = [] } = chart;
  const groups = points.map((each): PointGroup => ("name" in each ? each : { name: "", points: [each] }));
  const total = groups.flatMap((group) => group.points).length;
  const names = [...new Set(groups.map(({ name }) => name))];
  const styles = new Map([...new Set([...order, ...names])].map((name, i) => [name, styleOf(i)]));
  const plotted = groups.flatMap((group) =>
    group.points
      .filter((point) => isPlottable(point.x, "linear") && isPlottable(point.y, "linear"))
      .map(({ x, y }) => ({ x, y, colour: styles.get(group.name)!.colour })),
  );
  const allNotes = [...notes, ...omittedCountNotes(total - plotted.length, total, "points", "linear")];
  if (plotted.length === 0) return emptyFigure(title, allNotes);
  const scales = {
    x: scaleOf(
      x,
      "linear",
      plotted.map((point) => point.x),
      { room: 0.06, count: 8 },
    ),
    y: scaleOf(
      y,
      "linear",
      plotted.map((point) => point.y),
      { room: 0.06, count: 6 },
    ),
  };
  const ends = referenceLine ? endsOf(referenceLine, scales.x.domain, scales.y.domain) : [];
  return figure({
    ...{ title, notes: allNotes, columns: 1, panelHeight: 340 },
    legend: [
      ...names.flatMap((name): LegendEntry[] => (name ? [{ name, mark: "dot", ...styles.get(name)! }] : [])),
      ...(referenceLine && ends.length > 0
        ? [{ name: referenceLine.name, mark: "line" as const, colour: INK.reference, dash: "5 3" }]
        : []),
    ],
    panels: [
      {
        draw: (rectangle) =>
          drawPlot(
            {
              ...{ ...PANEL_MARGINS, marginLeft: marginLeft(scales.y) },
              x: { domain: scales.x.domain },
              y: { domain: scales.y.domain },
              marks: [
                ...axisMarks(scales, { width: rectangle.width, yTitle: true }),
                dot(plotted, {
                  x: "x",
                  y: "y",
                  r: 2.5,
                  fill: (point: { readonly colour: string }) => point.colour,
                  fillOpacity: 0.4,
                }),
                line(ends, { x: "x", y: "y", stroke: INK.reference, strokeDasharray: "5 3" }),
              ],
            },
            rectangle,
          ),
      },
    ],
  });
}

/** The two points where a straight line enters and leaves the frame; empty if it does not cross the frame. */
function endsOf(
  { slope, intercept }: { readonly slope: number; readonly intercept: number },
  [left, right]: readonly [number, number],
  [bottom, top]: readonly [number, number],
): Point[] {
  const at = (x: number): Point => ({ x, y: slope * x + intercept });
  const crossings = slope === 0 ? [] : [bottom, top].map((y): Point => ({ x: (y - intercept) / slope, y }));
  const room = 1e-9 * (top - bottom);
  const inside = [at(left), at(right), ...crossings]
    .filter((end) => end.x >= left && end.x <= right && end.y >= bottom - room && end.y <= top + room)
    .sort((a, b) => a.x - b.x);
  return inside.length < 2 ? [] : [inside[0], inside[inside.length - 1]];
}
