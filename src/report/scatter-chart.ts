// Points over two numbers, with a straight line to compare with.

import { dot, line } from "@observablehq/plot";
import { type Axis, isDrawable, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL } from "./axis-marks.ts";
import { emptyFigure, figure } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import type { Point } from "./series.ts";
import { INK, styleOf } from "./theme.ts";

export interface ScatterChart {
  readonly title: string;
  /** Always linear: logarithms are taken before. */
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly Point[];
  /** y = slope · x + intercept */
  readonly line?: { readonly name: string; readonly slope: number; readonly intercept: number };
  readonly notes?: readonly string[];
}

/** A chart as SVG. Points that are not finite are left out, and the figure says so. */
export function scatterChart({ title, x, y, points, line: straight, notes = [] }: ScatterChart): string {
  const drawn = points.filter((point) => isDrawable(point.x, "linear") && isDrawable(point.y, "linear"));
  const missing = points.length - drawn.length;
  const said = [
    ...notes,
    ...(missing > 0 ? [`Left out: ${missing} of ${points.length} points, not finite.`] : []),
  ];
  if (drawn.length === 0) return emptyFigure(title, said);
  const scales = {
    x: scaleOf(
      x,
      "linear",
      drawn.map((point) => point.x),
      { room: 0.06, count: 8 },
    ),
    y: scaleOf(
      y,
      "linear",
      drawn.map((point) => point.y),
      { room: 0.06, count: 6 },
    ),
  };
  const ends = straight ? endsOf(straight, scales.x.domain, scales.y.domain) : [];
  const { colour } = styleOf(0);
  return figure({
    ...{ title, notes: said, columns: 1, panelHeight: 340 },
    legend:
      straight && ends.length > 0
        ? [{ name: straight.name, mark: "line", colour: INK.reference, dash: "5 3" }]
        : [],
    panels: [
      {
        draw: (place) =>
          drawPlot(
            {
              ...{ ...PANEL, marginLeft: marginLeft(scales.y) },
              x: { domain: scales.x.domain },
              y: { domain: scales.y.domain },
              marks: [
                ...axisMarks(scales, { width: place.width, yTitle: true }),
                dot(drawn, { x: "x", y: "y", r: 2.5, fill: colour, fillOpacity: 0.4 }),
                line(ends, { x: "x", y: "y", stroke: INK.reference, strokeDasharray: "5 3" }),
              ],
            },
            place,
          ),
      },
    ],
  });
}

/** The part of a straight line that is inside of the frame; nothing if none is. */
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
