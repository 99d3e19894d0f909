// The view `forecast`: one series of a backtest with its actual values and the forecasts of each model at each cutoff.

import { join } from "node:path";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { numberIn } from "./csv-records.ts";
import { byTime, modelColumns, shortOrNull, valuesOfModel } from "./forecast-columns.ts";
import { seriesRecords } from "./series-records.ts";
import type { ForecastView, ViewOptions } from "./view-data.ts";

/** Numbers of an answer. */
const MOST_NUMBERS = 24_000;

type Cutoff = ForecastView["models"][number]["cutoffs"][number];

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
  const { names, total, chosen, records, columns } = await seriesRecords(file, series, [
    ...["unique_id", "ds", "cutoff", "y"],
  ]);
  const rows = records.map((record): Row => ({ time: record.ds, cutoff: record.cutoff, record }));
  const models = modelColumns(columns.slice(columns.indexOf("y") + 1), records);
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
  const times = [...new Set(rows.map(({ time }) => time))].sort(byTime);
  const actual = new Map(rows.map(({ time, record }) => [time, numberIn(record.y)]));
  return {
    view: "forecast",
    exact: false,
    notes: [
      `${BACKTEST_FILES.forecasts} has the actual values after each cutoff, and none before the first.`,
      ...(models.some(({ name, line }) => line === name)
        ? ["The line of a model is its mean, because the file has no medians."]
        : []),
      ...(shown.length < cutoffs.length
        ? [`The last ${shown.length} of ${cutoffs.length} cutoffs are shown.`]
        : []),
      ...(names.length < total ? [`${names.length} of ${total} series can be chosen.`] : []),
    ],
    series: names,
    chosen,
    times,
    actual: times.map((time) => shortOrNull(actual.get(time) ?? null)),
    models: models.map((model) => ({
      name: model.name,
      cutoffs: shown.map((cutoff): Cutoff => {
        const own = (windows.get(cutoff) ?? []).toSorted((a, b) => byTime(a.time, b.time));
        const values = valuesOfModel(
          model,
          own.map(({ record }) => record),
        );
        return { cutoff, times: own.map(({ time }) => time), ...values };
      }),
    })),
  };
}
