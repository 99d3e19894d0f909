// Lines and bands over dates or steps, in one or more panels, with gaps where values are missing. Fans, overlays and
// decompositions are made of it.

import { areaY, dot, line, type Markish, ruleX } from "@observablehq/plot";
import { type Axis, extent, isDrawable, type Scale, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot, type Place } from "./plot.ts";
import type { Band, Point } from "./series.ts";
import { BAND_OPACITY, INK, type Style } from "./theme.ts";
import { isTime, stepScale, timeScale } from "./time-axis.ts";

/** Values in time. */
export interface TimeValues {
  /** Milliseconds since 1970 in UTC, or numbers that count steps; rising. */
  readonly times: ArrayLike<number>; // [T]
  /** NaN where missing. */
  readonly values: ArrayLike<number>; // [T]
}

export interface TimeLine extends TimeValues {
  readonly style: Style;
}

/** From where to where something lies in time. */
export interface TimeBand {
  readonly times: ArrayLike<number>; // [T]
  readonly low: ArrayLike<number>; // [T]
  readonly high: ArrayLike<number>; // [T]
  readonly colour: string;
}

export interface TimePanel {
  readonly title?: string;
  readonly y: Axis;
  /** The later ones lie on the earlier, and all of them on the bands. */
  readonly lines: readonly TimeLine[];
  readonly bands?: readonly TimeBand[];
  /** Times that are marked from top to bottom. */
  readonly rules?: readonly number[];
}

export interface TimeChart {
  readonly title: string;
  /** Whether times count steps, and are no dates. */
  readonly counted?: boolean;
  /** All on the same axis of time. */
  readonly panels: readonly TimePanel[];
  readonly legend: readonly LegendEntry[];
  /** Most panels in a row. */
  readonly columns: number;
  readonly panelHeight: number;
  /** Whether all panels have the axis y of the first. */
  readonly sharedY: boolean;
  readonly notes?: readonly string[];
}

/** How rules look, in legends too. */
export const RULE: Style = { colour: INK.reference, dash: "4 3" };

/** Groups of neighbours in the longest line that is drawn: two points for each pixel are enough. */
const GROUPS = 700;
/** Lines with more points than this are thin: thick ones would be a smear. */
const MANY = 300;

/** A chart as SVG. What is missing is a gap, and the figure says how much is. */
export function timeChart(chart: TimeChart): string {
  const { title, columns, legend, panelHeight, sharedY } = chart;
  const drawn = chart.panels.map(drawablePanel);
  const notes = [...(chart.notes ?? []), ...missingNotes(chart.panels)];
  const points = drawn.flatMap(({ lines }) => lines.flatMap((each) => each.points));
  const ends = drawn.flatMap(({ bands }) => bands.flatMap((band) => band.points));
  const hasValue = points.some(({ y }) => !Number.isNaN(y)) || ends.some(({ low }) => !Number.isNaN(low));
  if (!hasValue) return emptyFigure(title, notes);

  const [from, to] = extent([...points, ...ends].map(({ x }) => x));
  const common = drawn.flatMap(valuesOf);
  const scales = chart.panels.map(({ y }, i) => {
    const own = sharedY ? common : valuesOf(drawn[i]);
    const axis = sharedY ? chart.panels[0].y : y;
    return scaleOf(axis, "linear", own.length > 0 ? own : [0], {
      room: 0.06,
      count: panelHeight < 160 ? 4 : 5,
    });
  });
  const left = Math.max(...scales.map(marginLeft));
  return figure({
    ...{ title, legend, notes, columns, panelHeight },
    panels: chart.panels.map((panel, i) => ({
      title: panel.title,
      draw: (place, first) =>
        drawPanel(
          drawn[i],
          { from, to, counted: chart.counted === true, y: scales[i], left, yTitle: first || !sharedY },
          place,
        ),
    })),
  });
}

interface DrawnPanel {
  readonly lines: readonly { readonly points: readonly Point[]; readonly style: Style }[];
  readonly bands: readonly (Band & { readonly colour: string })[];
  readonly rules: readonly number[];
}

function drawPanel(
  { lines, bands, rules }: DrawnPanel,
  axes: {
    readonly from: number;
    readonly to: number;
    readonly counted: boolean;
    readonly y: Scale;
    readonly left: number;
    readonly yTitle: boolean;
  },
  place: Place,
): string {
  const margins = { ...PANEL, marginLeft: axes.left };
  const x = (axes.counted ? stepScale : timeScale)(
    [axes.from, axes.to],
    place.width - margins.marginLeft - margins.marginRight,
  );
  const isShown = (time: number) => time >= x.domain[0] && time <= x.domain[1];
  const marks: Markish[] = [
    ...bands.flatMap(({ points, colour }) => [
      areaY(points, { x: "x", y1: "low", y2: "high", fill: colour, fillOpacity: BAND_OPACITY }),
      ruleX(
        alone(points, ({ low }) => low),
        { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 6, strokeOpacity: BAND_OPACITY },
      ),
    ]),
    ruleX(rules.filter(isShown), { stroke: RULE.colour, strokeWidth: 1.2, strokeDasharray: RULE.dash }),
    ...lines.flatMap(({ points, style: { colour, dash } }) => [
      line(points, {
        x: "x",
        y: "y",
        stroke: colour,
        strokeWidth: points.length > MANY ? 1 : 1.6,
        strokeDasharray: dash || undefined,
      }),
      dot(
        alone(points, ({ y }) => y),
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
        ...axisMarks({ x, y: axes.y }, { width: place.width, yTitle: axes.yTitle, left: axes.left }),
        ...marks,
      ],
    },
    place,
  );
}

function drawablePanel({ lines, bands = [], rules = [] }: TimePanel): DrawnPanel {
  return {
    rules,
    lines: lines.map(({ times, values, style }) => {
      const own = numbered(times, [values]).map(({ x, ys: [y] }) => ({ x, y }));
      return { style, points: shortened(own) };
    }),
    bands: bands.map(({ times, low, high, colour }) => ({
      colour,
      points: numbered(times, [low, high]).map(({ x, ys }) => ({ x, low: ys[0], high: ys[1] })),
    })),
  };
}

/** By time; all values are NaN where one has no place on an axis. Times that are no dates are left out. */
function numbered(times: ArrayLike<number>, values: readonly ArrayLike<number>[]) {
  for (const { length } of values) {
    if (length !== times.length) {
      throw new RangeError(
        `timeChart: there must be a value for each of ${times.length} times, got ${length}`,
      );
    }
  }
  return Array.from(times, (x, i) => {
    const ys = values.map((each) => each[i]);
    return { x, ys: ys.every((y) => isDrawable(y, "linear")) ? ys : ys.map(() => Number.NaN) };
  }).filter(({ x }) => isTime(x));
}

/** A long line as the least and the largest of neighbours, which looks the same. */
function shortened(points: readonly Point[]): readonly Point[] {
  if (points.length <= 2 * GROUPS) return points;
  const size = Math.ceil(points.length / GROUPS);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const group = points.slice(i * size, (i + 1) * size);
    const known = group.filter(({ y }) => !Number.isNaN(y)).toSorted((a, b) => a.y - b.y);
    if (known.length === 0) return [group[0]];
    return [...new Set([known[0], known[known.length - 1]])].sort((a, b) => a.x - b.x);
  }).flat();
}

/** What has no neighbour, of which a line or an area would show nothing. */
function alone<T>(points: readonly T[], value: (point: T) => number): T[] {
  const isMissing = (i: number) => !(i in points) || Number.isNaN(value(points[i]));
  return points.filter((_, i) => !isMissing(i) && isMissing(i - 1) && isMissing(i + 1));
}

function valuesOf({ lines, bands }: DrawnPanel): number[] {
  return [
    ...lines.flatMap(({ points }) => points.map(({ y }) => y)),
    ...bands.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high])),
  ].filter((value) => !Number.isNaN(value));
}

/** How many values are missing; a line that several panels have counts once. */
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

/** Of arrays of values, each with its times. */
function countMissing(arrays: ReadonlyMap<ArrayLike<number>, ArrayLike<number>>): [number, number] {
  let [missing, all] = [0, 0];
  for (const [values, times] of arrays) {
    all += values.length;
    for (let i = 0; i < values.length; i++) {
      if (!isDrawable(values[i], "linear") || !isTime(times[i])) missing++;
    }
  }
  return [missing, all];
}
