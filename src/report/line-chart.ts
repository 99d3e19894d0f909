// Line chart: curves with bands and horizontal reference lines, in one or more panels.
//
// `series.ts` turns the runs of several seeds into curves; `time-chart.ts` draws curves over dates.

import { areaY, dot, line, ruleY, text } from "@observablehq/plot";
import { type Axis, fraction, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import {
  curveValues,
  type LinePanel,
  omissionNotes,
  type PlottablePanel,
  plottablePanels,
} from "./plottable.ts";
import type { Rectangle } from "./rectangle.ts";
import { placeLabels } from "./reference-labels.ts";
import type { Band, Curve, Point } from "./series.ts";
import { shortNumber } from "./text-format.ts";
import { BAND_OPACITY, FONT_SIZE, INK, type Style, styleOf, textWidth } from "./theme.ts";

export type { LinePanel, Reference } from "./plottable.ts";

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The panels are drawn side by side with common axes. */
  readonly panels: readonly LinePanel[];
  /** Whether each panel has its own y axis, for numbers of different sizes. Default: false. */
  readonly hasOwnScales?: boolean;
  /** Sentences below the panels. */
  readonly notes?: readonly string[];
  /** All names that occur in a set of figures, in order, so that a name has the same colour in every figure. */
  readonly order?: readonly string[];
  /** Name of the line y = x. Without a name, the line is not drawn. */
  readonly diagonal?: string;
}

/** Curves with at most this many points also show a dot per point. */
const MAX_DOTS = 12;

const REFERENCE_STYLE: Style = { colour: INK.reference, dash: "5 3" };

/** The chart as SVG. Data that cannot be plotted is omitted; notes below the chart describe the omitted data. */
export function lineChart(chart: LineChart): string {
  const { title, x, y, panels, notes = [], order = [], diagonal, hasOwnScales = false } = chart;
  const allCurves = panels.flatMap(({ curves }) => curves);
  const types = {
    x: scaleType(
      x,
      allCurves.flatMap(({ points }) => points.map((point) => point.x)),
    ),
    y: scaleType(y, [
      ...allCurves.flatMap(curveValues),
      ...panels.flatMap(({ references = [] }) => references.map((r) => r.y)),
    ]),
  };
  const plottable = plottablePanels(panels, types);
  const allNotes = [...notes, ...omissionNotes(panels, plottable, types)];
  const curves = plottable.flatMap((panel) => panel.curves);
  if (curves.every(({ points }) => points.length === 0)) return emptyFigure(title, allNotes);

  const names = [...new Set(allCurves.map(({ name }) => name))];
  const isReference = (name: string) => allCurves.some((curve) => curve.name === name && curve.isReference);
  const coloured = [...new Set([...order, ...names])].filter((name) => !isReference(name));
  const styles = new Map<string, Style>([
    ...coloured.map((name, i) => [name, styleOf(i)] as const),
    ...names.filter(isReference).map((name) => [name, REFERENCE_STYLE] as const),
  ]);
  const columns = panels.length === 4 ? 2 : 3;
  const perRow = Math.min(columns, panels.length);
  const xs = curves.flatMap(({ points, bands = [] }) =>
    [...points, ...bands.flatMap((band) => band.points)].map((point) => point.x),
  );
  const valuesOf = (panel: PlottablePanel) => [
    ...panel.curves.flatMap(curveValues),
    ...panel.references.map((reference) => reference.y),
  ];
  // Labels of reference lines need room at the top and at the bottom of the panel.
  const hasReferences = plottable.some(({ references }) => references.length > 0);
  const scaleOfY = (values: readonly number[]) =>
    scaleOf(y, types.y, values, { room: hasReferences ? 0.12 : 0.06, count: 5 });
  const xScale = scaleOf(x, types.x, xs, { room: 0, count: perRow > 1 ? 3.5 : 8 });
  const commonScale = scaleOfY(plottable.flatMap(valuesOf));
  const scalesOf = (panel: PlottablePanel) => {
    const own = hasOwnScales ? valuesOf(panel) : [];
    return { x: xScale, y: own.length > 0 ? scaleOfY(own) : commonScale };
  };
  return figure({
    ...{ title, columns, notes: allNotes, panelHeight: perRow > 1 ? 220 : 260 },
    legend: [
      ...(names.length > 1 || diagonal
        ? names.map((name): LegendEntry => ({ name, mark: "line", ...styles.get(name)! }))
        : []),
      ...(diagonal ? [{ name: diagonal, mark: "line" as const, ...REFERENCE_STYLE }] : []),
    ],
    panels: plottable.map((panel, i) => ({
      title: panels[i].title,
      draw: (rectangle, first) =>
        drawPanel(
          panel,
          styles,
          { ...scalesOf(panel), hasDiagonal: diagonal !== undefined },
          rectangle,
          first,
        ),
    })),
  });
}

function drawPanel(
  { curves, references }: PlottablePanel,
  styles: ReadonlyMap<string, Style>,
  scales: { readonly x: Scale; readonly y: Scale; readonly hasDiagonal: boolean },
  rectangle: Rectangle,
  first: boolean,
): string {
  const margins = { ...PANEL_MARGINS, marginLeft: marginLeft(scales.y) };
  const inner = {
    width: rectangle.width - margins.marginLeft - margins.marginRight,
    height: rectangle.height - margins.marginTop - margins.marginBottom,
    above:
      rectangle.width - margins.marginRight - (first ? textWidth(scales.y.title, FONT_SIZE.note) + 20 : 0),
  };
  const marks = curves.flatMap(({ name, points, bands = [] }) => {
    const { colour, dash } = styles.get(name)!;
    const stroke = { x: "x", y: "y", stroke: colour, strokeWidth: 2, strokeDasharray: dash || undefined };
    return [
      ...bands.map((band: Band) =>
        areaY(band.points, { x: "x", y1: "low", y2: "high", fill: colour, fillOpacity: BAND_OPACITY }),
      ),
      ...(points.length > 1 ? [line(points, stroke)] : []),
      ...(points.length <= MAX_DOTS ? [dot(points, { x: "x", y: "y", r: 2.5, fill: colour })] : []),
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
        ...axisMarks(scales, { width: rectangle.width, yTitle: first }),
        ...references.map(({ y }) =>
          ruleY([y], {
            stroke: REFERENCE_STYLE.colour,
            strokeWidth: 1.2,
            strokeDasharray: REFERENCE_STYLE.dash,
          }),
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
    rectangle,
  );
}

/** The part of y = x inside the frame. */
function diagonalMark({ x, y }: { readonly x: Scale; readonly y: Scale }) {
  const from = Math.max(x.domain[0], y.domain[0]);
  const to = Math.min(x.domain[1], y.domain[1]);
  return line(from < to ? [from, to] : [], {
    ...{ x: (value: number) => value, y: (value: number) => value },
    ...{ stroke: REFERENCE_STYLE.colour, strokeWidth: 1.2, strokeDasharray: REFERENCE_STYLE.dash },
  });
}

/** Lines that a label should not cover: the curve and the edges of its bands. */
function edgesOf({ points, bands = [] }: Curve): (readonly Point[])[] {
  const edges = bands.flatMap((band) => [
    band.points.map(({ x, low }) => ({ x, y: low })),
    band.points.map(({ x, high }) => ({ x, y: high })),
  ]);
  return [points, ...edges];
}
