// Lines over x in one or more panels, with bands around them and horizontal lines to compare with.
//
// Series of seeds become curves in `series.ts`; what has dates is drawn by `time-chart.ts`.

import { areaY, dot, line, ruleY, text } from "@observablehq/plot";
import { type Axis, fraction, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, marginLeft, PANEL } from "./axis-marks.ts";
import { type DrawnPanel, drawable, type LinePanel, leftOut, valuesOf } from "./drawable.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot, type Place } from "./plot.ts";
import { placeLabels } from "./reference-labels.ts";
import type { Band, Curve, Point } from "./series.ts";
import { shortNumber } from "./short-number.ts";
import { BAND_OPACITY, FONT_SIZE, INK, type Style, styleOf, textWidth } from "./theme.ts";

export type { LinePanel, Reference } from "./drawable.ts";

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Side by side, on the same axes. */
  readonly panels: readonly LinePanel[];
  /** Sentences that stand below. */
  readonly notes?: readonly string[];
  /** All names of a set of figures: each looks the same in all of them. */
  readonly order?: readonly string[];
  /** The name of the line y = x, if it is drawn. */
  readonly diagonal?: string;
}

/** Curves with no more points than this show each of them. */
const DOTTED = 12;

/** How lines to compare with look. */
const REFERENCE: Style = { colour: INK.reference, dash: "5 3" };

/** A chart as SVG. What cannot be drawn is left out, and the figure says so. */
export function lineChart({ title, x, y, panels, notes = [], order = [], diagonal }: LineChart): string {
  const given = panels.flatMap(({ curves }) => curves);
  const types = {
    x: scaleType(
      x,
      given.flatMap(({ points }) => points.map((point) => point.x)),
    ),
    y: scaleType(y, [
      ...given.flatMap(valuesOf),
      ...panels.flatMap(({ references = [] }) => references.map((r) => r.y)),
    ]),
  };
  const drawn = drawable(panels, types);
  const said = [...notes, ...leftOut(panels, drawn, types)];
  const curves = drawn.flatMap((panel) => panel.curves);
  if (curves.every(({ points }) => points.length === 0)) return emptyFigure(title, said);

  const names = [...new Set(given.map(({ name }) => name))];
  const styles = new Map([...new Set([...order, ...names])].map((name, i) => [name, styleOf(i)]));
  const columns = panels.length === 4 ? 2 : 3;
  const perRow = Math.min(columns, panels.length);
  const xs = curves.flatMap(({ points, bands = [] }) =>
    [...points, ...bands.flatMap((band) => band.points)].map((point) => point.x),
  );
  const ys = [...curves.flatMap(valuesOf), ...drawn.flatMap(({ references }) => references.map((r) => r.y))];
  // Below and above a line there must be room for its name.
  const compared = drawn.some(({ references }) => references.length > 0);
  const scales = {
    x: scaleOf(x, types.x, xs, { room: 0, count: perRow > 1 ? 3.5 : 8 }),
    y: scaleOf(y, types.y, ys, { room: compared ? 0.12 : 0.06, count: 5 }),
  };
  return figure({
    ...{ title, columns, notes: said, panelHeight: perRow > 1 ? 220 : 260 },
    legend: [
      ...(names.length > 1 || diagonal
        ? names.map((name): LegendEntry => ({ name, mark: "line", ...styles.get(name)! }))
        : []),
      ...(diagonal ? [{ name: diagonal, mark: "line" as const, ...REFERENCE }] : []),
    ],
    panels: drawn.map((panel, i) => ({
      title: panels[i].title,
      draw: (place, first) =>
        drawPanel(panel, styles, { ...scales, hasDiagonal: diagonal !== undefined }, place, first),
    })),
  });
}

function drawPanel(
  { curves, references }: DrawnPanel,
  styles: ReadonlyMap<string, Style>,
  scales: { readonly x: Scale; readonly y: Scale; readonly hasDiagonal: boolean },
  place: Place,
  first: boolean,
): string {
  const margins = { ...PANEL, marginLeft: marginLeft(scales.y) };
  const inner = {
    width: place.width - margins.marginLeft - margins.marginRight,
    height: place.height - margins.marginTop - margins.marginBottom,
    above: place.width - margins.marginRight - (first ? textWidth(scales.y.title, FONT_SIZE.note) + 20 : 0),
  };
  const marks = curves.flatMap(({ name, points, bands = [] }) => {
    const { colour, dash } = styles.get(name)!;
    const stroke = { x: "x", y: "y", stroke: colour, strokeWidth: 2, strokeDasharray: dash || undefined };
    return [
      ...bands.map((band: Band) =>
        areaY(band.points, { x: "x", y1: "low", y2: "high", fill: colour, fillOpacity: BAND_OPACITY }),
      ),
      ...(points.length > 1 ? [line(points, stroke)] : []),
      ...(points.length <= DOTTED ? [dot(points, { x: "x", y: "y", r: 2.5, fill: colour })] : []),
    ];
  });
  const across = (value: number) => inner.width * fraction(scales.x, value);
  const down = (value: number) => inner.height * (1 - fraction(scales.y, value));
  const labels = placeLabels(
    references.map(({ name, y }) => ({ text: `${name} ${shortNumber(y)}`, y: down(y) })),
    curves.flatMap(edgesOf).map((edge) => edge.map(({ x, y }) => ({ x: across(x), y: down(y) }))),
    inner,
  );
  return drawPlot(
    {
      ...margins,
      x: { type: scales.x.type, domain: scales.x.domain },
      y: { type: scales.y.type, domain: scales.y.domain },
      marks: [
        ...axisMarks(scales, { width: place.width, yTitle: first }),
        ...references.map(({ y }) =>
          ruleY([y], { stroke: REFERENCE.colour, strokeWidth: 1.2, strokeDasharray: REFERENCE.dash }),
        ),
        ...(scales.hasDiagonal ? [diagonalMark(scales)] : []),
        ...marks,
        ...labels.map((label) =>
          text([label.text], {
            ...{ frameAnchor: "top-left", lineAnchor: "middle", dx: label.x, dy: label.y },
            ...{ fill: INK.reference, stroke: INK.ground, strokeWidth: 3 },
          }),
        ),
      ],
    },
    place,
  );
}

/** The part of y = x that is inside of the frame. */
function diagonalMark({ x, y }: { readonly x: Scale; readonly y: Scale }) {
  const from = Math.max(x.domain[0], y.domain[0]);
  const to = Math.min(x.domain[1], y.domain[1]);
  return line(from < to ? [from, to] : [], {
    ...{ x: (value: number) => value, y: (value: number) => value },
    ...{ stroke: REFERENCE.colour, strokeWidth: 1.2, strokeDasharray: REFERENCE.dash },
  });
}

/** All lines that a name should not cover: a curve, and the edges of its bands. */
function edgesOf({ points, bands = [] }: Curve): (readonly Point[])[] {
  const edges = bands.flatMap((band) => [
    band.points.map(({ x, low }) => ({ x, y: low })),
    band.points.map(({ x, high }) => ({ x, y: high })),
  ]);
  return [points, ...edges];
}
