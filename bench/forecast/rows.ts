// Rows and columns of the forecast benchmark.

import { SEASONAL_NAIVE } from "../../src/forecast/baselines/index.ts";
import type { AnyRow, Table } from "../benchmark.ts";
import { formatNumber } from "../report.ts";
import { median } from "../statistics.ts";
import type { Measured } from "./measure.ts";
import type { MeasuredModel } from "./measure-model.ts";
import type { ForecastSet } from "./sets.ts";

export const BENCH = "forecast";

/** What fitting and forecasting many series takes. */
export interface Many {
  readonly fitSeconds: number;
  readonly windowsPerSecond: number;
  readonly rate: number;
  readonly peakMegabytes: number;
}

export interface ForecastRow extends AnyRow {
  /** One per seed; one for what has no seed. */
  readonly runs: readonly (Measured & Partial<MeasuredModel>)[];
  /** WQL of the seasonal naive forecast with Gaussian quantiles on the same windows. */
  readonly reference: number;
  readonly many?: Many;
  /** What a reader of the table should also see. */
  readonly note?: string;
}

/** Rows of one set: the baselines, ARIMA models or that they are absent, then the model. */
export function rowsOf(
  { name, recent }: Pick<ForecastSet, "name" | "recent">,
  baselines: readonly Measured[],
  arima: Measured | undefined,
  seeds: readonly MeasuredModel[],
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
      ? rowOf(arima.name, [arima], `sees the last ${recent} rows`)
      : rowOf("AutoARIMA", [], "absent: no Python with statsforecast or statsmodels"),
    ...(seeds.length > 0 ? [rowOf(seeds[0].name, seeds)] : []),
  ];
}

/** The median, and the range where there are several. */
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
      cell: ({ runs, many }) => ranged(many ? [many.fitSeconds] : each(runs, "fitSeconds"), 0),
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
      cell: ({ runs, many }) => {
        const rates = many ? [many.rate] : each(runs, "rate");
        return rates.length > 0 ? formatNumber(median(rates)) : "";
      },
    },
    {
      heading: "note",
      cell: ({ many, note = "" }) =>
        many
          ? `${many.windowsPerSecond.toFixed(0)} windows/s in training, peak ${many.peakMegabytes.toFixed(0)} MB`
          : note,
    },
  ],
  budget: ({ rounds }) => `seeds ${rounds}`,
  legend: [
    "Windows do not overlap and lie at the end of each series; the model is fitted once, before the first of them, with its",
    "default settings; baselines have normal quantiles and see all that is before each window. AutoARIMA is that of",
    "statsforecast (SARIMA: the best of a few models of statsmodels), fitted anew before each window on the rows that the note",
    "says, with normal quantiles. WQL is the mean weighted quantile loss over 0.1 to 0.9, pooled over series and windows;",
    "relative is to the seasonal naive forecast; last WQL is that of the last window alone, as published tables have it.",
    "Medians over seeds, smallest and largest in brackets; fit s is seconds on the clock and fit CPU s of the processor, one",
    "thread. Runs are kept as they end; where other work ran beside them, seconds on the clock and forecasts per second say",
    "more about that than about the model.",
  ],
};

function each(runs: readonly Measured[], name: Exclude<keyof Measured, "name">): number[] {
  return runs.map((run) => run[name]);
}
