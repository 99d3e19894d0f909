// Rows and columns of the table of the forecast benchmark.

import { SEASONAL_NAIVE } from "../../src/forecast/baselines/index.ts";
import type { AnyRow, Table } from "../benchmark.ts";
import { formatNumber } from "../report.ts";
import { median } from "../statistics.ts";
import type { DataSet } from "./data-sets.ts";
import type { BacktestResult } from "./measure.ts";
import type { ModelResult } from "./measure-model.ts";

export const BENCH = "forecast";

/** Time and memory of fitting and forecasting many series. */
export interface ManySeriesResult {
  readonly fitSeconds: number;
  readonly windowsPerSecond: number;
  readonly rate: number;
  readonly peakMegabytes: number;
}

export interface ForecastRow extends AnyRow {
  /** One result per seed; a single result for forecasters without a seed. */
  readonly runs: readonly (BacktestResult & Partial<ModelResult>)[];
  /** WQL of the seasonal naive forecast with Gaussian quantiles on the same windows. */
  readonly reference: number;
  readonly manySeries?: ManySeriesResult;
  /** An additional remark in the table. */
  readonly note?: string;
}

/** Rows of one data set: the baselines, the ARIMA models or a note that they are missing, then the learned model. */
export function rowsOf(
  { name, recentRows }: Pick<DataSet, "name" | "recentRows">,
  baselines: readonly BacktestResult[],
  arima: BacktestResult | undefined,
  seeds: readonly ModelResult[],
): readonly ForecastRow[] {
  const reference = baselines.find(({ name: of }) => of === SEASONAL_NAIVE)!.wql;
  const rowOf = (of: string, runs: ForecastRow["runs"], note?: string): ForecastRow => ({
    bench: BENCH,
    setting: `${name}, ${of}`,
    runs,
    reference,
    note,
  });
  return [
    ...baselines.map((one) => rowOf(one.name, [one])),
    arima
      ? rowOf(arima.name, [arima], `sees the last ${recentRows} rows`)
      : rowOf("AutoARIMA", [], "missing: no Python with statsforecast or statsmodels"),
    ...(seeds.length > 0 ? [rowOf(seeds[0].name, seeds)] : []),
  ];
}

/** The median, with the range if there are several values. */
function ranged(values: readonly number[], digits: number): string {
  if (values.length === 0) return "";
  const text = (value: number) => value.toFixed(digits);
  const middle = text(median([...values]));
  return values.length === 1
    ? middle
    : `${middle} (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

export const TABLE: Table<ForecastRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "WQL", numeric: true, cell: ({ runs }) => ranged(each(runs, "wql"), 4) },
    {
      heading: "relative",
      numeric: true,
      cell: ({ runs, reference }) =>
        ranged(
          runs.map(({ wql }) => wql / reference),
          3,
        ),
    },
    { heading: "MASE", numeric: true, cell: ({ runs }) => ranged(each(runs, "mase"), 3) },
    { heading: "coverage 80", numeric: true, cell: ({ runs }) => ranged(each(runs, "coverage"), 3) },
    { heading: "last WQL", numeric: true, cell: ({ runs }) => ranged(each(runs, "lastWql"), 4) },
    {
      heading: "fit s",
      numeric: true,
      cell: ({ runs, manySeries: many }) => ranged(many ? [many.fitSeconds] : each(runs, "fitSeconds"), 0),
    },
    {
      heading: "fit CPU s",
      numeric: true,
      cell: ({ runs }) =>
        ranged(
          runs.flatMap(({ fitCpuSeconds }) => fitCpuSeconds ?? []),
          0,
        ),
    },
    {
      heading: "forecasts/s",
      numeric: true,
      cell: ({ runs, manySeries: many }) => {
        const rates = many ? [many.rate] : each(runs, "rate");
        return rates.length > 0 ? formatNumber(median(rates)) : "";
      },
    },
    {
      heading: "note",
      cell: ({ manySeries: many, note = "" }) =>
        many
          ? `${many.windowsPerSecond.toFixed(0)} windows/s in training, peak ${many.peakMegabytes.toFixed(0)} MB`
          : note,
    },
  ],
  budget: ({ rounds }) => `seeds ${rounds}`,
  legend: [
    "Windows do not overlap and lie at the end of each series. The model is fitted once, before the first window, with its",
    "default settings. Baselines have normal quantiles and see all rows before each window. AutoARIMA is that of",
    "statsforecast (SARIMA: the best of a few models of statsmodels), fitted before each window on the rows in the note,",
    "with normal quantiles. WQL is the weighted quantile loss over 0.1 to 0.9, pooled over series and windows; relative is",
    "WQL divided by that of the seasonal naive forecast; last WQL is that of the last window alone, as in published tables.",
    "Values are medians over seeds, with the range in brackets. Fit s is wall-clock time, fit CPU s is CPU time, on one",
    "thread. Wall-clock times and forecasts per second depend on other processes that ran at the same time.",
  ],
};

function each(runs: readonly BacktestResult[], name: Exclude<keyof BacktestResult, "name">): number[] {
  return runs.map((run) => run[name]);
}
