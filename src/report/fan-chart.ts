// A forecast as a fan: what was seen, the cutoff, the median ahead and intervals around it; a panel for each model.

import type { Axis } from "./axis.ts";
import type { LegendEntry } from "./figure.ts";
import { BAND_OPACITY, INK, type Style, styleOf } from "./theme.ts";
import { RULE, type TimeBand, type TimePanel, type TimeValues, timeChart } from "./time-chart.ts";

/** Where a value lies with the probability `level`. */
export interface Interval {
  readonly level: number;
  readonly low: ArrayLike<number>; // [H]
  readonly high: ArrayLike<number>; // [H]
}

/** What is known of the times ahead. */
export interface ForecastValues {
  /** Milliseconds since 1970 in UTC, rising. */
  readonly times: ArrayLike<number>; // [H]
  readonly median: ArrayLike<number>; // [H]
  readonly intervals: readonly Interval[];
}

/** A forecast of one model. */
export interface ModelForecast extends ForecastValues {
  readonly name: string;
}

export interface FanChart {
  readonly title: string;
  /** Whether times count steps, and are no dates. */
  readonly counted?: boolean;
  readonly value: Axis;
  readonly history: TimeValues;
  /** How many values of the history are drawn; three times as many as are ahead if not given. */
  readonly shown?: number;
  readonly models: readonly ModelForecast[];
  /** What came, where it is known. */
  readonly actual?: TimeValues;
  readonly notes?: readonly string[];
  /** All models of a set of figures: each looks the same in all of them. */
  readonly order?: readonly string[];
}

/** How what was seen and what came look, in all figures. */
export const SEEN: Style = { colour: INK.past, dash: "" };
export const CAME: Style = { colour: INK.text, dash: "" };

/** Fewer values of the history than this tell little. */
const LEAST_SHOWN = 30;

/** A chart as SVG. Missing values are gaps. */
export function fanChart(chart: FanChart): string {
  const { title, value, models, actual, notes = [], order = [] } = chart;
  const history = lastOf(chart.history, chart.shown ?? defaultShown(models));
  const looks = looksOf(models, order);
  const cutoff = history.times.length > 0 ? [history.times[history.times.length - 1]] : [];
  const panelOf = (model: ModelForecast): TimePanel => ({
    ...{ title: model.name, y: value, rules: cutoff },
    bands: bandsOf(model, looks.get(model.name)!),
    lines: [
      { ...history, style: SEEN },
      { times: model.times, values: model.median, style: looks.get(model.name)! },
      ...(actual ? [{ ...actual, style: CAME }] : []),
    ],
  });
  return timeChart({
    title,
    counted: chart.counted,
    panels: models.length > 0 ? models.map(panelOf) : [{ y: value, lines: [{ ...history, style: SEEN }] }],
    legend: [
      { name: "history", mark: "line", ...SEEN },
      ...(actual ? [{ name: "what came", mark: "line" as const, ...CAME }] : []),
      ...(models.length > 0 ? forecastLegend(models, looks) : []),
      ...(cutoff.length > 0 && models.length > 0 ? [{ name: "cutoff", mark: "line" as const, ...RULE }] : []),
    ],
    columns: models.length > 2 ? 2 : 1,
    panelHeight: models.length > 2 ? 200 : models.length > 1 ? 220 : 280,
    sharedY: true,
    notes: models.length > 0 ? notes : [...notes, "There is no forecast."],
  });
}

/** The look of each model, by its name. */
export function looksOf(
  models: readonly { readonly name: string }[],
  order: readonly string[],
): ReadonlyMap<string, Style> {
  const names = new Set([...order, ...models.map(({ name }) => name)]);
  return new Map([...names].map((name, i) => [name, styleOf(i)]));
}

/** The widest first: the narrower ones lie on it. */
export function bandsOf({ times, intervals }: ForecastValues, { colour }: Style): TimeBand[] {
  return widestFirst(intervals).map(({ low, high }) => ({ times, low, high, colour }));
}

/** Median and intervals; in grey where models have colours of their own. */
export function forecastLegend(
  models: readonly { readonly name: string; readonly intervals: readonly Interval[] }[],
  looks: ReadonlyMap<string, Style>,
): LegendEntry[] {
  const style = models.length === 1 ? looks.get(models[0].name)! : { colour: INK.reference, dash: "" };
  const levels = [...new Set(models.flatMap(({ intervals }) => intervals.map(({ level }) => level)))];
  const sorted = levels.toSorted((a, b) => b - a);
  return [
    { name: models.length === 1 ? "median" : "median, coloured", mark: "line", ...style },
    ...sorted
      .map((level, i): LegendEntry => {
        const opacity = 1 - (1 - BAND_OPACITY) ** (i + 1);
        return { name: `${percent(level)} interval`, mark: "area", colour: style.colour, dash: "", opacity };
      })
      .reverse(),
  ];
}

/** 0.8 as 80 %, 0.995 as 99.5 %. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}

/** The last values of a series, so many at most. */
export function lastOf({ times, values }: TimeValues, count: number): TimeValues {
  const from = Math.max(0, times.length - count);
  return { times: Array.from(times).slice(from), values: Array.from(values).slice(from) };
}

function defaultShown(models: readonly ModelForecast[]): number {
  return Math.max(LEAST_SHOWN, ...models.map(({ times }) => 3 * times.length));
}

function widestFirst(intervals: readonly Interval[]): Interval[] {
  return intervals.toSorted((a, b) => b.level - a.level);
}
