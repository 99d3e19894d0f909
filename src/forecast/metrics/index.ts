// Metrics of forecasts: points, quantiles, sampled paths and intervals.

export { crps, distributionCrps } from "./crps.ts";
export {
  type ForecastCase,
  type Metric,
  type MetricValue,
  observedSteps,
  type SeriesScale,
} from "./forecast-case.ts";
export {
  DECILES,
  type ForecastMetrics,
  forecastMetrics,
  type MetricOptions,
  type MetricValues,
  skillScores,
} from "./forecast-metrics.ts";
export {
  coverage,
  intervalQuantiles,
  intervalWidth,
  msis,
  winkler,
  winklerScore,
} from "./interval.ts";
export { pitHistogram } from "./pit.ts";
export { mae, mape, rmse, smape } from "./point.ts";
export { crpsOfQuantiles, pinballLoss, quantileCrps, wql } from "./quantile.ts";
export { crpsOfSamples, energyScore, meanEnergyScore, sampleCrps } from "./sample-scores.ts";
export { mase, rmsse, seriesScale } from "./scaled.ts";
export type { SummedMetric, Sums } from "./summed-metric.ts";
