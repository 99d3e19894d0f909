// Whether forecasts are as sure as they should be: coverage of intervals, where values fall, error by step ahead.

import { rectY, ruleY } from "@observablehq/plot";
import { type Axis, isDrawable, type Scale, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL } from "./axis-marks.ts";
import { looksOf } from "./fan-chart.ts";
import { emptyFigure, figure } from "./figure.ts";
import { lineChart } from "./line-chart.ts";
import { drawPlot, type Place } from "./plot.ts";
import { INK } from "./theme.ts";

/** How often values fell into intervals of a model. */
export interface ModelCoverage {
  readonly name: string;
  readonly levels: readonly { readonly nominal: number; readonly observed: number }[];
}

/** Coverage that was promised against coverage that came, both as shares; honest models lie on the diagonal. */
export function reliability({
  models,
  order,
  notes = [],
}: {
  readonly models: readonly ModelCoverage[];
  readonly order?: readonly string[];
  readonly notes?: readonly string[];
}): string {
  return lineChart({
    title: "Reliability: coverage of intervals",
    x: { label: "nominal coverage", include: [0, 1] },
    y: { label: "observed coverage", include: [0, 1] },
    panels: [
      {
        curves: models.map(({ name, levels }) => ({
          name,
          points: levels
            .map(({ nominal, observed }) => ({ x: nominal, y: observed }))
            .toSorted((a, b) => a.x - b.x),
        })),
      },
    ],
    notes: [
      ...notes,
      ...(models.length > 0 ? ["Above the line, intervals are too wide; below it, too narrow."] : []),
    ],
    ...{ order, diagonal: "as promised" },
  });
}

/** The error of models at each step ahead; `errors[h]` is of step h + 1, NaN where there is none. */
export function horizonError({
  metric,
  models,
  order,
  notes,
}: {
  /** The name of the metric, and its unit. */
  readonly metric: Axis;
  readonly models: readonly { readonly name: string; readonly errors: ArrayLike<number> }[];
  readonly order?: readonly string[];
  readonly notes?: readonly string[];
}): string {
  return lineChart({
    title: `${metric.label} by step ahead`,
    x: { label: "steps ahead", whole: true },
    y: { include: [0], ...metric },
    panels: [
      {
        curves: models.map(({ name, errors }) => ({
          name,
          points: Array.from(errors, (y, h) => ({ x: h + 1, y })),
        })),
      },
    ],
    ...{ order, notes },
  });
}

/** How many values fell into each of equally wide parts of a model's distribution. */
export interface ModelPit {
  readonly name: string;
  readonly counts: ArrayLike<number>; // [bins]
}

/** Histograms of the probability that a model gave to values up to the one that came: flat for honest models. */
export function pitHistogram({
  models,
  order = [],
  notes = [],
}: {
  readonly models: readonly ModelPit[];
  readonly order?: readonly string[];
  readonly notes?: readonly string[];
}): string {
  const title = "Where values fall in their forecasts (PIT)";
  const looks = looksOf(models, order);
  const bars = models.map(({ counts }) => barsOf(counts));
  const wrong = models.flatMap(({ counts }) => Array.from(counts)).filter((count) => !isCount(count)).length;
  const empty = models.filter((_, i) => bars[i].length === 0).map(({ name }) => `${name}: no values.`);
  const said = [...notes, ...(wrong > 0 ? [`Left out: ${wrong} bars that are no counts.`] : []), ...empty];
  if (bars.every(({ length }) => length === 0)) return emptyFigure(title, said);
  const columns = models.length === 4 ? 2 : 3;
  const scales = {
    x: scaleOf({ label: "probability of less", include: [0, 1] }, "linear", [], { room: 0, count: 4 }),
    y: scaleOf(
      { label: "share of values, uniform = 1", include: [0] },
      "linear",
      [1, ...bars.flat().map(({ height }) => height)],
      { room: 0.06, count: 5 },
    ),
  };
  return figure({
    ...{ title, columns, panelHeight: 220 },
    legend: [{ name: "uniform, as it should be", mark: "line", colour: INK.reference, dash: "5 3" }],
    notes: [
      ...said,
      "High at both ends: forecasts are too narrow. High in the middle: too wide. High at one end: they lean.",
    ],
    panels: models.map(({ name }, i) => ({
      title: name,
      draw: (place, first) => drawBars(bars[i], looks.get(name)!.colour, scales, place, first),
    })),
  });
}

interface Bar {
  readonly from: number;
  readonly to: number;
  /** 1 if it has its share. */
  readonly height: number;
}

/** None where nothing was counted. */
function barsOf(counts: ArrayLike<number>): Bar[] {
  const bins = counts.length;
  const all = Array.from(counts)
    .filter(isCount)
    .reduce((sum, count) => sum + count, 0);
  if (all === 0) return [];
  return Array.from(counts, (count, i) => ({ from: i / bins, to: (i + 1) / bins, count })).flatMap(
    ({ count, ...place }) => (isCount(count) ? [{ ...place, height: (count * bins) / all }] : []),
  );
}

function isCount(count: number): boolean {
  return isDrawable(count, "linear") && count >= 0;
}

function drawBars(
  bars: readonly Bar[],
  colour: string,
  scales: { readonly x: Scale; readonly y: Scale },
  place: Place,
  first: boolean,
): string {
  return drawPlot(
    {
      ...{ ...PANEL, marginLeft: marginLeft(scales.y) },
      x: { domain: scales.x.domain },
      y: { domain: scales.y.domain },
      marks: [
        ...axisMarks(scales, { width: place.width, yTitle: first }),
        rectY(bars, {
          ...{ x1: "from", x2: "to", y1: 0, y2: "height" },
          ...{ fill: colour, fillOpacity: 0.65, insetLeft: 0.5, insetRight: 0.5 },
        }),
        ruleY([1], { stroke: INK.reference, strokeWidth: 1.2, strokeDasharray: "5 3" }),
      ],
    },
    place,
  );
}
