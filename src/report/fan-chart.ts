// Fan chart of a forecast: the history, the cutoff, the forecast median and its intervals; one panel per model.

import type { Axis } from "./axis.ts";
import type { LegendEntry } from "./figure.ts";
import { BAND_OPACITY, INK, type Style, styleOf } from "./theme.ts";
import { RULE_STYLE, type TimeBand, type TimePanel, type TimeSeries, timeChart } from "./time-chart.ts";

/** A central prediction interval with coverage `level`, for each step ahead. */
export interface Interval {
  readonly level: number;
  readonly low: ArrayLike<number>; // [H]
  readonly high: ArrayLike<number>; // [H]
}

/** Median and intervals of a forecast. */
export interface ForecastValues {
  /** Milliseconds since 1970 in UTC (or step numbers), increasing. */
  readonly times: ArrayLike<number>; // [H]
  readonly median: ArrayLike<number>; // [H]
  readonly intervals: readonly Interval[];
}

/** The forecast of one model. */
export interface ModelForecast extends ForecastValues {
  readonly name: string;
}

export interface FanChart {
  readonly title: string;
  /** Whether times are step numbers rather than dates. Default: false. */
  readonly timesAreSteps?: boolean;
  readonly value: Axis;
  readonly history: TimeSeries;
  /** Number of history values drawn. Default: three times the forecast length, at least 30. */
  readonly historyLength?: number;
  readonly models: readonly ModelForecast[];
  /** The actual values, if they are known. */
  readonly actual?: TimeSeries;
  readonly notes?: readonly string[];
  /** All models that occur in a set of figures, in order, so that a model has the same colour in every figure. */
  readonly order?: readonly string[];
}

/** Line styles of the history and of the actual values, the same in all figures. */
const HISTORY_STYLE: Style = { colour: INK.past, dash: "" };
export const ACTUAL_STYLE: Style = { colour: INK.text, dash: "" };

/** Least number of history values drawn by default. */
const MIN_HISTORY = 30;

/** The chart as SVG. Missing values are gaps. */
export function fanChart(chart: FanChart): string {
  const { title, value, models, actual, notes = [], order = [] } = chart;
  const history = lastValues(chart.history, chart.historyLength ?? defaultHistoryLength(models));
  const styles = modelStyles(models, order);
  const cutoff = history.times.length > 0 ? [history.times[history.times.length - 1]] : [];
  const panelOf = (model: ModelForecast): TimePanel => ({
    ...{ title: model.name, y: value, rules: cutoff },
    bands: bandsOf(model, styles.get(model.name)!),
    lines: [
      { ...history, style: HISTORY_STYLE },
      { times: model.times, values: model.median, style: styles.get(model.name)! },
      ...(actual ? [{ ...actual, style: ACTUAL_STYLE }] : []),
    ],
  });
  return timeChart({
    title,
    timesAreSteps: chart.timesAreSteps,
    panels:
      models.length > 0 ? models.map(panelOf) : [{ y: value, lines: [{ ...history, style: HISTORY_STYLE }] }],
    legend: [
      { name: "history", mark: "line", ...HISTORY_STYLE },
      ...(actual ? [{ name: "actual", mark: "line" as const, ...ACTUAL_STYLE }] : []),
      ...(models.length > 0 ? forecastLegend(models, styles) : []),
      ...(cutoff.length > 0 && models.length > 0
        ? [{ name: "cutoff", mark: "line" as const, ...RULE_STYLE }]
        : []),
    ],
    columns: models.length > 2 ? 2 : 1,
    panelHeight: models.length > 2 ? 200 : models.length > 1 ? 220 : 280,
    sharedY: true,
    notes: models.length > 0 ? notes : [...notes, "No forecast."],
  });
}

/** The line style of each model, by its name. */
export function modelStyles(
  models: readonly { readonly name: string }[],
  order: readonly string[],
): ReadonlyMap<string, Style> {
  const names = new Set([...order, ...models.map(({ name }) => name)]);
  return new Map([...names].map((name, i) => [name, styleOf(i)]));
}

/** Bands of the intervals, widest first, so that narrower ones are drawn on top. */
export function bandsOf({ times, intervals }: ForecastValues, { colour }: Style): TimeBand[] {
  return widestFirst(intervals).map(({ low, high }) => ({ times, low, high, colour }));
}

/** Legend entries of the median and the intervals; grey if several models have different colours. */
export function forecastLegend(
  models: readonly { readonly name: string; readonly intervals: readonly Interval[] }[],
  styles: ReadonlyMap<string, Style>,
): LegendEntry[] {
  const style = models.length === 1 ? styles.get(models[0].name)! : { colour: INK.reference, dash: "" };
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

/** "80 %" for 0.8, "99.5 %" for 0.995. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}

/** The last `count` values of a series. */
function lastValues({ times, values }: TimeSeries, count: number): TimeSeries {
  const from = Math.max(0, times.length - count);
  return { times: Array.from(times).slice(from), values: Array.from(values).slice(from) };
}

function defaultHistoryLength(models: readonly ModelForecast[]): number {
  return Math.max(MIN_HISTORY, ...models.map(({ times }) => 3 * times.length));
}

function widestFirst(intervals: readonly Interval[]): Interval[] {
  return intervals.toSorted((a, b) => b.level - a.level);
}
