// Metrics of forecasts: points, quantiles, paths and intervals.

export { type Case, type Measure, type Metric, observedSteps, type SeriesScale } from "./case.ts";
export { crpsOfSamples, energyScore, meanEnergyScore, sampleCrps } from "./ensemble.ts";
export { boundsOf, coverage, msis, width, winkler, winklerScore } from "./interval.ts";
export { pitHistogram } from "./pit.ts";
export { mae, mape, rmse, smape } from "./point.ts";
export { crpsOfQuantiles, pinballLoss, quantileCrps, wql } from "./quantile.ts";
export { mase, rmsse, seriesScale } from "./scaled.ts";
export {
  type Measures,
  type MetricOptions,
  type MetricTables,
  metricTables,
  NINE_DECILES,
  skill,
} from "./tables.ts";
