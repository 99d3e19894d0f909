// Charts of forecast calibration: interval coverage, PIT histogram, and error by step ahead.

import { rectY, ruleY } from "@observablehq/plot";
import { type Axis, isPlottable, type Scale, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { modelStyles } from "./fan-chart.ts";
import { emptyFigure, figure } from "./figure.ts";
import { lineChart } from "./line-chart.ts";
import { drawPlot } from "./plot.ts";
import type { Rectangle } from "./rectangle.ts";
import { INK } from "./theme.ts";

/** The nominal and observed coverage of the intervals of one model, as fractions. */
export interface ModelCoverage {
  readonly name: string;
  readonly levels: readonly { readonly nominal: number; readonly observed: number }[];
}

/** Reliability diagram: observed against nominal coverage; a calibrated model lies on the diagonal. */
export function reliabilityChart({
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
      ...(models.length > 0 ? ["Above the diagonal, intervals are too wide; below it, too narrow."] : []),
    ],
    ...{ order, diagonal: "calibrated" },
  });
}

/** Error of each model by step ahead; `errors[h]` belongs to step h + 1 and is NaN if missing. */
export function horizonErrorChart({
  metric,
  models,
  order,
  notes,
}: {
  /** Name and unit of the metric. */
  readonly metric: Axis;
  readonly models: readonly { readonly name: string; readonly errors: ArrayLike<number> }[];
  readonly order?: readonly string[];
  readonly notes?: readonly string[];
}): string {
  return lineChart({
    title: `${metric.label} by step ahead`,
    x: { label: "steps ahead", integerTicks: true },
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

/** Histogram of the PIT values of one model, with bins of equal width. */
export interface ModelPit {
  readonly name: string;
  readonly counts: ArrayLike<number>; // [bins]
}

/** Histograms of the probability integral transform, F(actual value), one panel per model; flat if the model is calibrated. */
export function pitHistogram({
  models,
  order = [],
  notes = [],
}: {
  readonly models: readonly ModelPit[];
  readonly order?: readonly string[];
  readonly notes?: readonly string[];
}): string {
  const title = "Probability integral transform (PIT) of the actual values";
  const styles = modelStyles(models, order);
  const bars = models.map(({ counts }) => barsOf(counts));
  const invalid = models
    .flatMap(({ counts }) => Array.from(counts))
    .filter((count) => !isCount(count)).length;
  const emptyNotes = models.filter((_, i) => bars[i].length === 0).map(({ name }) => `${name}: no values.`);
  const allNotes = [
    ...notes,
    ...(invalid > 0 ? [`Omitted: ${invalid} bars without a valid count.`] : []),
    ...emptyNotes,
  ];
  if (bars.every(({ length }) => length === 0)) return emptyFigure(title, allNotes);
  const columns = models.length === 4 ? 2 : 3;
  const scales = {
    x: scaleOf({ label: "PIT value", include: [0, 1] }, "linear", [], { room: 0, count: 4 }),
    y: scaleOf(
      { label: "density", include: [0] },
      "linear",
      [1, ...bars.flat().map(({ height }) => height)],
      { room: 0.06, count: 5 },
    ),
  };
  return figure({
    ...{ title, columns, panelHeight: 220 },
    legend: [{ name: "uniform: calibrated", mark: "line", colour: INK.reference, dash: "5 3" }],
    notes: [
      ...allNotes,
      "High at both ends: forecasts are too narrow. High in the middle: too wide. High at one end: biased.",
    ],
    panels: models.map(({ name }, i) => ({
      title: name,
      draw: (rectangle, first) => drawBars(bars[i], styles.get(name)!.colour, scales, rectangle, first),
    })),
  });
}

interface Bar {
  readonly from: number;
  readonly to: number;
  /** The density in the bin, which is 1 for a uniform distribution. */
  readonly height: number;
}

/** Bars of a histogram. There are no bars if all counts are 0. */
function barsOf(counts: ArrayLike<number>): Bar[] {
  const bins = counts.length;
  const all = Array.from(counts)
    .filter(isCount)
    .reduce((sum, count) => sum + count, 0);
  if (all === 0) return [];
  return Array.from(counts, (count, i) => ({ from: i / bins, to: (i + 1) / bins, count })).flatMap(
    ({ count, ...range }) => (isCount(count) ? [{ ...range, height: (count * bins) / all }] : []),
  );
}

function isCount(count: number): boolean {
  return isPlottable(count, "linear") && count >= 0;
}

function drawBars(
  bars: readonly Bar[],
  colour: string,
  scales: { readonly x: Scale; readonly y: Scale },
  rectangle: Rectangle,
  first: boolean,
): string {
  return drawPlot(
    {
      ...{ ...PANEL_MARGINS, marginLeft: marginLeft(scales.y) },
      x: { domain: scales.x.domain },
      y: { domain: scales.y.domain },
      marks: [
        ...axisMarks(scales, { width: rectangle.width, yTitle: first }),
        rectY(bars, {
          ...{ x1: "from", x2: "to", y1: 0, y2: "height" },
          ...{ fill: colour, fillOpacity: 0.65, insetLeft: 0.5, insetRight: 0.5 },
        }),
        ruleY([1], { stroke: INK.reference, strokeWidth: 1.2, strokeDasharray: "5 3" }),
      ],
    },
    rectangle,
  );
}
