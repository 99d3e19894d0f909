// The metrics of a shard: which there are, and their sums over no forecasts, to which those of shards are added.

import type { ForecastCase } from "../metrics/forecast-case.ts";
import type { MetricOptions } from "../metrics/forecast-metrics.ts";
import { addForecastSums, forecastSums } from "../metrics/forecast-metrics.ts";
import { coverage } from "../metrics/index.ts";
import { addSums } from "../metrics/summed-metric.ts";
import { reliabilityLevels } from "../report/reliability-levels.ts";
import type { ModelSums } from "./shard-record.ts";

/** Sums of all metrics over forecasts of one model. */
export function modelSums(
  cases: readonly ForecastCase[],
  options: MetricOptions,
  horizon: number,
): ModelSums {
  return {
    ...forecastSums(cases, options, horizon),
    coverage: reliabilityLevels(options.levels).map((level) =>
      coverage(options.quantiles, level).sums(cases),
    ),
  };
}

/** Adds sums over other forecasts. */
export function addModelSums(into: ModelSums, sums: ModelSums): void {
  addForecastSums(into, sums);
  for (const [i, each] of into.coverage.entries()) addSums(each, sums.coverage[i]);
}
