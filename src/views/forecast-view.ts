// The view `forecast`: one series of a backtest with its actual values and the forecasts of each model at each cutoff, and
// paths of scenarios whose files lie beside them.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { intervalColumns } from "../forecast/interval-columns.ts";
import { intervalQuantiles } from "../forecast/metrics/interval.ts";
import { UserError } from "../issues.ts";
import { median, quantileOfSorted } from "../math/statistics.ts";
import { csvRecords, numberIn } from "./csv-records.ts";
import { rounded } from "./numbers.ts";
import type { ForecastView, ViewOptions } from "./view-data.ts";

/** Names of series, numbers, and files of paths of an answer. */
const [MOST_SERIES, MOST_NUMBERS, MOST_PATH_FILES] = [2000, 24_000, 8];
/** Intervals of sampled paths, in percent. */
const PATH_LEVELS = [50, 80, 95];

type Models = ForecastView["models"];
type Cutoff = Models[number]["cutoffs"][number];

/** One row of the file of forecasts. */
interface Row {
  readonly time: string;
  readonly cutoff: string;
  readonly record: Readonly<Record<string, string>>;
}

export async function forecastView(
  folder: string,
  { series }: Pick<ViewOptions, "series">,
): Promise<ForecastView> {
  const file = join(folder, BACKTEST_FILES.forecasts);
  const { names, total, chosen, rows, columns } = await readSeries(file, series);
  const models = modelsIn(columns, rows);
  const perCutoff = models.reduce((sum, { levels }) => sum + 1 + 2 * levels.length, 0);
  const windows = new Map<string, Row[]>();
  for (const row of rows) {
    const window = windows.get(row.cutoff);
    if (window) window.push(row);
    else windows.set(row.cutoff, [row]);
  }
  const cutoffs = [...windows.keys()].sort(byTime);
  const longest = [...windows.values()].reduce((most, { length }) => Math.max(most, length), 1);
  const affordable = Math.max(1, Math.floor(MOST_NUMBERS / (perCutoff * longest)));
  const shown = cutoffs.slice(-affordable);
  const scenarios = await pathModels(folder, chosen);
  const times = [...new Set(rows.map(({ time }) => time))].sort(byTime);
  const actual = new Map(rows.map(({ time, record }) => [time, numberIn(record.y)]));
  return {
    view: "forecast",
    exact: false,
    notes: [
      `${BACKTEST_FILES.forecasts} has the actual values after each cutoff, and none before the first.`,
      ...(models.length > 0 ? ["The line of a model is its mean, because the file has no medians."] : []),
      ...(shown.length < cutoffs.length
        ? [`The last ${shown.length} of ${cutoffs.length} cutoffs are shown.`]
        : []),
      ...(names.length < total ? [`${names.length} of ${total} series can be chosen.`] : []),
      ...(scenarios.length > 0
        ? ["Intervals of scenarios are quantiles of their paths; their line is the median."]
        : []),
    ],
    series: names,
    chosen,
    times,
    actual: times.map((time) => shortOrNull(actual.get(time) ?? null)),
    models: [
      ...models.map(({ name, levels }) => ({
        name,
        cutoffs: shown.map((cutoff): Cutoff => {
          const own = (windows.get(cutoff) ?? []).toSorted((a, b) => byTime(a.time, b.time));
          const column = (key: string) => own.map(({ record }) => shortOrNull(numberIn(record[key])));
          return {
            cutoff,
            times: own.map(({ time }) => time),
            median: column(name),
            intervals: levels.map((level) => {
              const [low, high] = intervalColumns(name, level);
              return { level: level / 100, low: column(low), high: column(high) };
            }),
          };
        }),
      })),
      ...scenarios,
    ],
  };
}

/** The rows of one series, the first one if none is asked for, and the names of all. */
async function readSeries(file: string, wanted: string | undefined) {
  const names: string[] = [];
  const seen = new Set<string>();
  const rows: Row[] = [];
  let chosen = wanted;
  let columns: readonly string[] = [];
  for await (const record of csvRecords(file)) {
    if (columns.length === 0) columns = columnsOf(record, file);
    const name = seriesName(record);
    if (!seen.has(name)) {
      seen.add(name);
      if (names.length < MOST_SERIES || name === wanted) names.push(name);
    }
    chosen ??= name;
    if (name === chosen) rows.push({ time: record.ds, cutoff: record.cutoff, record });
  }
  if (chosen === undefined || rows.length === 0) {
    throw new UserError(
      seen.size === 0
        ? `${file} has no forecasts`
        : `series: there is no series ${JSON.stringify(wanted)} in ${file}; the first is ${JSON.stringify(names[0])}`,
    );
  }
  return { names, total: seen.size, chosen, rows, columns };
}

function columnsOf(record: Readonly<Record<string, string>>, file: string): string[] {
  const columns = Object.keys(record);
  const missing = ["unique_id", "ds", "cutoff", "y"].find((name) => !columns.includes(name));
  if (missing) throw new UserError(`${file} is damaged: it has no column ${missing}`);
  return columns;
}

/** The name of a series, with the target if there are several. */
function seriesName({ unique_id, target }: Readonly<Record<string, string>>): string {
  return target === undefined ? unique_id : `${unique_id}, ${target}`;
}

/** The models of the columns, with the levels of their intervals, wide ones first. */
function modelsIn(columns: readonly string[], rows: readonly Row[]) {
  const others = columns.slice(columns.indexOf("y") + 1);
  const isPart = (column: string) => /-(lo|hi)-[\d.]+$/.test(column) && others.includes(stem(column));
  const isPoint = (column: string) => column.endsWith("-point") && others.includes(column.slice(0, -6));
  const names = others.filter((column) => !isPart(column) && !isPoint(column));
  return names
    .filter((name) => rows.some(({ record }) => record[name] !== ""))
    .map((name) => ({
      name,
      levels: others
        .filter((column) => isPart(column) && column.startsWith(`${name}-lo-`) && stem(column) === name)
        .map((column) => Number(column.slice(`${name}-lo-`.length)))
        .sort((a, b) => b - a),
    }));
}

/** The column of the model that an interval belongs to. */
function stem(column: string): string {
  return column.replace(/-(lo|hi)-[\d.]+$/, "");
}

/** Paths in other files of the folder, which `forecast predict --paths` wrote, as a model for each file. */
async function pathModels(folder: string, chosen: string): Promise<Models[number][]> {
  const own: readonly string[] = Object.values(BACKTEST_FILES);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".csv") && !own.includes(name)).sort();
  const models: Models[number][] = [];
  for (const name of files.slice(0, MOST_PATH_FILES)) {
    const values = await pathValues(join(folder, name), chosen);
    const times = [...values.keys()].sort(byTime);
    if (times.length === 0) continue;
    const sorted = times.map((time) => Float64Array.from(values.get(time) as number[]).sort());
    const cutoff: Cutoff = {
      cutoff: "",
      times,
      median: sorted.map((all) => shortOrNull(median(all))),
      intervals: PATH_LEVELS.toReversed().map((level) => {
        const [low, high] = intervalQuantiles(level).map((q) =>
          sorted.map((all) => shortOrNull(quantileOfSorted(all, q))),
        );
        return { level: level / 100, low, high };
      }),
    };
    models.push({ name: `paths of ${name}`, cutoffs: [cutoff] });
  }
  return models;
}

/** The values of all paths of a series, by time; none if the file has no paths. */
async function pathValues(file: string, chosen: string): Promise<Map<string, number[]>> {
  const values = new Map<string, number[]>();
  for await (const record of csvRecords(file)) {
    const { unique_id, target, sample, ds } = record;
    if ([unique_id, target, sample, ds, record.model].includes(undefined as never)) return new Map();
    const y = numberIn(record.y);
    if (y === null || (unique_id !== chosen && seriesName(record) !== chosen)) continue;
    const found = values.get(ds);
    if (found) found.push(y);
    else values.set(ds, [y]);
  }
  return values;
}

/** Times are ISO dates, which are sorted as texts, or numbers of steps. */
function byTime(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isFinite(x) && Number.isFinite(y)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

function shortOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value, 6);
}
