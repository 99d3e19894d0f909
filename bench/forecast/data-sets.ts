// The data sets of the forecast benchmark as panels. Births are part of the package; the other files may be missing.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { timeGrid } from "../../src/forecast/data/time-grid.ts";
import type { Frequency, Panel } from "../../src/forecast/types.ts";

/** A data set with the horizon and the season of its forecasts. */
export interface DataSet {
  readonly name: string;
  readonly horizon: number;
  readonly season: number;
  /** Number of rows before a window that slow forecasters use. */
  readonly recentRows: number;
  /** Null if a file is missing. */
  load(): Panel | null;
}

const SHARED = "../../../shared/data/timeseries/";
export const FILE_LOCATIONS = "ETTh1.csv, ETTh2.csv and exchange_rate.txt.gz in ../shared/data/timeseries";

const DAILY: Frequency = { unit: "day", count: 1 };
const HOURLY: Frequency = { unit: "hour", count: 1 };
const WORKDAYS: Frequency = { unit: "business-day", count: 1 };

export const DATA_SETS: readonly DataSet[] = [
  births("1969-1988", Date.UTC(1969, 0, 1)),
  births("2000-2014", Date.UTC(2000, 0, 1)),
  {
    name: "ETTh",
    horizon: 24,
    season: 24,
    recentRows: 14 * 24,
    load() {
      const [one, two] = [columnsOf(`${SHARED}ETTh1.csv`), columnsOf(`${SHARED}ETTh2.csv`)];
      if (!one || !two) return null;
      const named = (table: Columns, of: string) =>
        Object.entries(table).map(([name, values]) => [`${of} ${name}`, values] as const);
      const series = Object.fromEntries([...named(one, "ETTh1"), ...named(two, "ETTh2")]);
      return panelOf(series, Date.UTC(2016, 6, 1), HOURLY, 24);
    },
  },
  {
    name: "exchange rate",
    horizon: 30,
    season: 5,
    recentRows: 4 * 260,
    load() {
      const rates = columnsOf(`${SHARED}exchange_rate.txt.gz`);
      return rates && panelOf(rates, Date.UTC(1990, 0, 1), WORKDAYS, 5);
    },
  },
];

function births(years: string, start: number): DataSet {
  return {
    name: `births ${years}`,
    horizon: 28,
    season: 7,
    recentRows: 3 * 365,
    load() {
      const table = columnsOf(`../../data/us-births-${years}.csv.gz`);
      return table && panelOf(table, start, DAILY, 7);
    },
  };
}

type Columns = Readonly<Record<string, Float64Array>>;

function panelOf(series: Columns, start: number, frequency: Frequency, season: number): Panel {
  const grid = timeGrid([start], frequency);
  return {
    series: Object.entries(series).map(([id, values]) => ({
      id,
      times: Float64Array.from(values, (_, row) => grid.at(row)),
      targets: [values],
      covariates: {},
      statics: {},
    })),
    targets: ["y"],
    covariates: [],
    frequency,
    season,
  };
}

/** Numeric columns by name, or by number if the file has no header; null if the file is missing. */
function columnsOf(path: string): Columns | null {
  const url = new URL(path, import.meta.url);
  if (!existsSync(fileURLToPath(url))) return null;
  const bytes = readFileSync(url);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const lines = text.trim().split(/\r?\n/);
  const first = lines[0].split(",");
  const heading = first.every((cell) => Number.isFinite(Number(cell)))
    ? first.map((_, i) => `${i + 1}`)
    : first;
  const rows = (heading === first ? lines.slice(1) : lines).map((line) => line.split(","));
  const isTime = (i: number) => !Number.isFinite(Number(rows[0][i]));
  return Object.fromEntries(
    heading.flatMap((name, i) =>
      isTime(i) ? [] : [[name, Float64Array.from(rows, (row) => Number(row[i]))] as const],
    ),
  );
}
