// The columns of a file of forecasts: which models it has, and the levels of their intervals.

import { intervalColumns, medianColumn, pointColumn } from "../forecast/forecast-columns.ts";
import { numberIn } from "./csv-records.ts";
import { rounded } from "./numbers.ts";

type Cells = Readonly<Record<string, string>>;

export interface ModelColumns {
  readonly name: string;
  /** The column that is drawn as a line: the median, or the mean in files of other tools that have no median. */
  readonly line: string;
  /** In percent, wide ones first. */
  readonly levels: readonly number[];
}

/** Median and intervals of a model, by row. */
export interface ModelValues {
  readonly median: readonly (number | null)[];
  readonly intervals: readonly {
    readonly level: number;
    readonly low: readonly (number | null)[];
    readonly high: readonly (number | null)[];
  }[];
}

/** The models that have values in some of the records. `columns` are those after the keys. */
export function modelColumns(columns: readonly string[], records: readonly Cells[]): ModelColumns[] {
  const isPart = (column: string) => INTERVAL.test(column) && columns.includes(stem(column));
  const isPoint = (column: string) =>
    columns.some((name) => column === pointColumn(name) || column === medianColumn(name));
  const isQuantile = (column: string) =>
    /-q-[\d.]+$/.test(column) && columns.includes(column.replace(/-q-[\d.]+$/, ""));
  const names = columns.filter((column) => !isPart(column) && !isPoint(column) && !isQuantile(column));
  return names
    .filter((name) => records.some((record) => record[name] !== ""))
    .map((name) => ({
      name,
      line: columns.includes(medianColumn(name)) ? medianColumn(name) : name,
      levels: columns
        .filter((column) => isPart(column) && column.startsWith(`${name}-lo-`) && stem(column) === name)
        .map((column) => Number(column.slice(`${name}-lo-`.length)))
        .sort((a, b) => b - a),
    }));
}

/** The values of a model in some records. */
export function valuesOfModel({ name, line, levels }: ModelColumns, records: readonly Cells[]): ModelValues {
  const column = (key: string) => records.map((record) => shortOrNull(numberIn(record[key])));
  return {
    median: column(line),
    intervals: levels.map((level) => {
      const [low, high] = intervalColumns(name, level);
      return { level: level / 100, low: column(low), high: column(high) };
    }),
  };
}

const INTERVAL = /-(lo|hi)-[\d.]+$/;

/** The column of the model that an interval belongs to. */
function stem(column: string): string {
  return column.replace(INTERVAL, "");
}

/** The name of a series, with the target if there are several. */
export function seriesName({ unique_id, target }: Cells): string {
  return target === undefined ? unique_id : `${unique_id}, ${target}`;
}

/** Times are ISO dates, which are sorted as texts, or numbers of steps. */
export function byTime(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isFinite(x) && Number.isFinite(y)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function shortOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value, 6);
}
