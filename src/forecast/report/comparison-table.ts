// A table of backtest results over several seeds: mean and standard deviation per model and metric.

import { decimalsFor, type Table } from "../../report/tables.ts";
import { formatCountOf } from "../../report/text-format.ts";
import type { ModelResult, ModelScores } from "../backtest/index.ts";
import { valuesOf } from "./backtest-tables.ts";

const METRICS = ["MAE", "MASE", "WQL", "CRPS"];
/** Significant digits of the largest value of a column. */
const DIGITS = 4;

/** One row per model, from the results of all its seeds. Baselines have one result. Without times there is no such column. */
export function comparisonTable(
  results: ReadonlyMap<string, readonly (ModelScores & Partial<ModelResult>)[]>,
  levels: readonly number[],
  seeds: number,
): Table {
  const metrics = [...METRICS, ...levels.map((level) => `coverage-${level}`)];
  const models = [...results].map(([name, runs]) => ({
    name,
    runs,
    values: runs.map((run) => valuesOf(run.metrics.overall)),
  }));
  const areTimed = models.every(({ runs }) => runs.every(({ fitSeconds }) => fitSeconds !== undefined));
  const digits = metrics.map((metric) =>
    decimalsFor(
      models.flatMap(({ values }) => values.map((one) => one[metric] ?? Number.NaN)),
      DIGITS,
    ),
  );
  return {
    caption: `Learned models: mean ± standard deviation over ${formatCountOf(seeds, "seed")}; baselines do not depend on the seed`,
    columns: ["model", ...metrics, ...(areTimed ? ["seconds"] : [])],
    rows: models.map(({ name, runs, values }) => ({
      name,
      cells: [
        ...metrics.map((metric, i) => ({
          seeds: values.map((one) => one[metric] ?? Number.NaN),
          digits: digits[i],
        })),
        ...(areTimed ? [{ seeds: runs.map((run) => run.fitSeconds! + run.predictSeconds!), digits: 1 }] : []),
      ],
    })),
  };
}
