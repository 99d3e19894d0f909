// Line chart over dates or steps: lines and bands in one or more panels, with gaps for missing values. The fan, backtest
// and decomposition charts use it.

import { areaY, dot, line, type Markish, ruleX } from "@observablehq/plot";
import { type Axis, extent, isPlottable, type Scale, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import type { Rectangle } from "./rectangle.ts";
import type { Band, Point } from "./series.ts";
import { BAND_OPACITY, INK, type Style } from "./theme.ts";
import { isTime, stepScale, timeScale } from "./time-axis.ts";

/** Values over time. */
export interface TimeSeries {
  /** Milliseconds since 1970 in UTC, or step numbers; increasing. */
  readonly times: ArrayLike<number>; // [T]
  /** NaN if missing. */
  readonly values: ArrayLike<number>; // [T]
}

export interface TimeLine extends TimeSeries {
  readonly style: Style;
  /** Whether it is one of many, drawn faintly. Default: false. */
  readonly isFaint?: boolean;
}

/** A range from `low` to `high` over time. */
export interface TimeBand {
  readonly times: ArrayLike<number>; // [T]
  readonly low: ArrayLike<number>; // [T]
  readonly high: ArrayLike<number>; // [T]
  readonly colour: string;
}

export interface TimePanel {
  readonly title?: string;
  readonly y: Axis;
  /** The lines are drawn in this order, on top of the bands. */
  readonly lines: readonly TimeLine[];
  readonly bands?: readonly TimeBand[];
  /** Times of vertical lines. */
  readonly rules?: readonly number[];
}

export interface TimeChart {
  readonly title: string;
  /** Whether times are step numbers rather than dates. Default: false. */
  readonly timesAreSteps?: boolean;
  /** All panels share the time axis. */
  readonly panels: readonly TimePanel[];
  readonly legend: readonly LegendEntry[];
  /** Maximum number of panels in a row. */
  readonly columns: number;
  readonly panelHeight: number;
  /** Whether all panels use the y axis of the first. */
  readonly sharedY: boolean;
  readonly notes?: readonly string[];
}

/** Style of vertical lines. */
export const RULE_STYLE: Style = { colour: INK.reference, dash: "4 3" };

/** A long line is reduced to this many groups of two points each, which gives about two points per pixel. */
const MAX_GROUPS = 700;
/** Lines with more points than this are drawn thin, to stay readable. */
const THICK_LINE_POINTS = 300;

/** The chart as SVG. Missing values are gaps; a note counts them. */
export function timeChart(chart: TimeChart): string {
  const { title, columns, legend, panelHeight, sharedY } = chart;
  const plottable = chart.panels.map(plottablePanel);
  const notes = [...(chart.notes ?? []), ...missingNotes(chart.panels)];
  const points = plottable.flatMap(({ lines }) => lines.flatMap((each) => each.points));
  const ends = plottable.flatMap(({ bands }) => bands.flatMap((band) => band.points));
  const hasValue = points.some(({ y }) => !Number.isNaN(y)) || ends.some(({ low }) => !Number.isNaN(low));
  if (!hasValue) return emptyFigure(title, notes);

  const [from, to] = extent([...points, ...ends].map(({ x }) => x));
  const common = plottable.flatMap(valuesOf);
  const scales = chart.panels.map(({ y }, i) => {
    const values = sharedY ? common : valuesOf(plottable[i]);
    const axis = sharedY ? chart.panels[0].y : y;
    return scaleOf(axis, "linear", values.length > 0 ? values : [0], {
      room: 0.06,
      count: panelHeight < 160 ? 4 : 5,
    });
  });
  const left = Math.max(...scales.map(marginLeft));
  return figure({
    ...{ title, legend, notes, columns, panelHeight },
    panels: chart.panels.map((panel, i) => ({
      title: panel.title,
      draw: (rectangle, first) =>
        drawPanel(
          plottable[i],
          { from, to, counted: chart.timesAreSteps === true, y: scales[i], left, yTitle: first || !sharedY },
          rectangle,
        ),
    })),
  });
}

interface PlottablePanel {
  readonly lines: readonly {
    readonly points: readonly Point[];
    readonly style: Style;
    readonly isFaint: boolean;
  }[];
  readonly bands: readonly (Band & { readonly colour: string })[];
  readonly rules: readonly number[];
}

function drawPanel(
  { lines, bands, rules }: PlottablePanel,
  axes: {
    readonly from: number;
    readonly to: number;
    readonly counted: boolean;
    readonly y: Scale;
    readonly left: number;
    readonly yTitle: boolean;
  },
  rectangle: Rectangle,
): string {
  const margins = { ...PANEL_MARGINS, marginLeft: axes.left };
  const x = (axes.counted ? stepScale : timeScale)(
    [axes.from, axes.to],
    rectangle.width - margins.marginLeft - margins.marginRight,
  );
  const isInDomain = (time: number) => time >= x.domain[0] && time <= x.domain[1];
  const marks: Markish[] = [
    ...bands.flatMap(({ points, colour }) => [
      areaY(points, { x: "x", y1: "low", y2: "high", fill: colour, fillOpacity: BAND_OPACITY }),
      ruleX(
        isolated(points, ({ low }) => low),
        { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 6, strokeOpacity: BAND_OPACITY },
      ),
    ]),
    ruleX(rules.filter(isInDomain), {
      stroke: RULE_STYLE.colour,
      strokeWidth: 1.2,
      strokeDasharray: RULE_STYLE.dash,
    }),
    ...lines.flatMap(({ points, style: { colour, dash }, isFaint }) => [
      line(points, {
        x: "x",
        y: "y",
        stroke: colour,
        strokeWidth: isFaint ? 0.7 : points.length > THICK_LINE_POINTS ? 1 : 1.6,
        strokeOpacity: isFaint ? 0.45 : undefined,
        strokeDasharray: dash || undefined,
      }),
      dot(
        isolated(points, ({ y }) => y),
        { x: "x", y: "y", r: 2.5, fill: colour },
      ),
    ]),
  ];
  return drawPlot(
    {
      ...margins,
      x: { type: "linear", domain: x.domain },
      y: { type: "linear", domain: axes.y.domain },
      marks: [
        ...axisMarks({ x, y: axes.y }, { width: rectangle.width, yTitle: axes.yTitle, left: axes.left }),
        ...marks,
      ],
    },
    rectangle,
  );
}

function plottablePanel({ lines, bands = [], rules = [] }: TimePanel): PlottablePanel {
  return {
    rules,
    lines: lines.map(({ times, values, style, isFaint = false }) => {
      const points = rowsOf(times, [values]).map(({ x, ys: [y] }) => ({ x, y }));
      return { style, isFaint, points: downsampled(points) };
    }),
    bands: bands.map(({ times, low, high, colour }) => ({
      colour,
      points: rowsOf(times, [low, high]).map(({ x, ys }) => ({ x, low: ys[0], high: ys[1] })),
    })),
  };
}

/**
 * Values by time. If one of the values at a time cannot be plotted, all values at that time are NaN. Times outside the
 * range of `Date` are omitted.
 */
function rowsOf(times: ArrayLike<number>, values: readonly ArrayLike<number>[]) {
  for (const { length } of values) {
    if (length !== times.length) {
      throw new RangeError(`timeChart: there must be one value per time (${times.length}), got ${length}`);
    }
  }
  return Array.from(times, (x, i) => {
    const ys = values.map((each) => each[i]);
    return { x, ys: ys.every((y) => isPlottable(y, "linear")) ? ys : ys.map(() => Number.NaN) };
  }).filter(({ x }) => isTime(x));
}

/** Reduces a long line to the minimum and the maximum of each group of neighbours, which looks the same. */
function downsampled(points: readonly Point[]): readonly Point[] {
  if (points.length <= 2 * MAX_GROUPS) return points;
  const size = Math.ceil(points.length / MAX_GROUPS);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const group = points.slice(i * size, (i + 1) * size);
    const present = group.filter(({ y }) => !Number.isNaN(y)).toSorted((a, b) => a.y - b.y);
    if (present.length === 0) return [group[0]];
    return [...new Set([present[0], present[present.length - 1]])].sort((a, b) => a.x - b.x);
  }).flat();
}

/** Points without a neighbour, which a line or an area would not show. */
function isolated<T>(points: readonly T[], value: (point: T) => number): T[] {
  const isMissing = (i: number) => !(i in points) || Number.isNaN(value(points[i]));
  return points.filter((_, i) => !isMissing(i) && isMissing(i - 1) && isMissing(i + 1));
}

function valuesOf({ lines, bands }: PlottablePanel): number[] {
  return [
    ...lines.flatMap(({ points }) => points.map(({ y }) => y)),
    ...bands.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high])),
  ].filter((value) => !Number.isNaN(value));
}

/** Notes on the number of missing values; a line that several panels share is counted once. */
function missingNotes(panels: readonly TimePanel[]): string[] {
  const lines = new Map(panels.flatMap((panel) => panel.lines.map(({ times, values }) => [values, times])));
  const ends = new Map(
    panels.flatMap(({ bands = [] }) =>
      bands.flatMap(({ times, low, high }) => [low, high].map((end) => [end, times] as const)),
    ),
  );
  const [missing, all] = countMissing(lines);
  const [open] = countMissing(ends);
  return [
    ...(missing > 0 ? [`Missing: ${missing} of ${all} values, where lines have gaps.`] : []),
    ...(open > 0 ? ["Bands have gaps where an end is not finite."] : []),
  ];
}

/** Number of missing values and number of all values. */
function countMissing(arrays: ReadonlyMap<ArrayLike<number>, ArrayLike<number>>): [number, number] {
  let [missing, all] = [0, 0];
  for (const [values, times] of arrays) {
    all += values.length;
    for (let i = 0; i < values.length; i++) {
      if (!isPlottable(values[i], "linear") || !isTime(times[i])) missing++;
    }
  }
  return [missing, all];
}
