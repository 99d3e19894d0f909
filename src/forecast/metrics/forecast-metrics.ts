// All metrics of one forecaster: overall, per series and per step ahead; and its skill scores against a reference.

import { crps } from "./crps.ts";
import { casesAtStep, type ForecastCase, type Metric, type MetricValue } from "./forecast-case.ts";
import { coverage, intervalWidth, msis, winkler } from "./interval.ts";
import { pitHistogram } from "./pit.ts";
import { mae, mape, rmse, smape } from "./point.ts";
import { wql } from "./quantile.ts";
import { meanEnergyScore } from "./sample-scores.ts";
import { mase, rmsse } from "./scaled.ts";

/** Metrics by name, such as `MASE` or `coverage-80`. */
export type MetricValues = Readonly<Record<string, MetricValue>>;

/** Metrics of forecasts: overall, by series and by step ahead. */
export interface ForecastMetrics {
  readonly overall: MetricValues;
  /** By series id; with several targets by `id/target`. */
  readonly bySeries: Readonly<Record<string, MetricValues>>;
  /** One entry per step ahead, starting with step 1. */
  readonly byStep: readonly MetricValues[];
  /** Histogram of F(y) in ten bins, as shares; null if nothing was observed. */
  readonly pit: readonly number[] | null;
}

/** Options of `forecastMetrics`. */
export interface MetricOptions {
  /** Quantiles of the forecasts, in order. */
  readonly quantiles: readonly number[];
  /** Quantiles to average WQL over. Default: 0.1 to 0.9. */
  readonly wqlQuantiles?: readonly number[];
  /** Levels of central intervals, in percent. */
  readonly levels: readonly number[];
}

/** Default quantiles of WQL, as in GluonTS and Chronos. */
export const DECILES: readonly number[] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** All metrics of these forecasts, overall, per series and per step. */
export function forecastMetrics(cases: readonly ForecastCase[], options: MetricOptions): ForecastMetrics {
  const metrics = metricsOf(options);
  const hasSeveralTargets = new Set(cases.map(({ target }) => target)).size > 1;
  const groups = new Map<string, ForecastCase[]>();
  for (const one of cases) {
    const name = hasSeveralTargets ? `${one.id}/${one.target}` : one.id;
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  const horizon = cases.reduce((longest, { actual }) => Math.max(longest, actual.length), 0);
  const pit = pitHistogram(cases, options.quantiles);
  return {
    overall: metricValues(metrics, cases),
    bySeries: Object.fromEntries(
      Array.from(groups, ([name, group]): [string, MetricValues] => [name, metricValues(metrics, group)]),
    ),
    byStep: Array.from({ length: horizon }, (_, step) => metricValues(metrics, casesAtStep(cases, step))),
    pit: pit && Array.from(pit),
  };
}

/**
 * Skill scores against a reference, by name: 1 − metric / metric of the reference. 0 is as good as the reference, 1 is
 * perfect, below 0 is worse. Coverage and width have no skill score, because lower is not better.
 */
export function skillScores(metrics: MetricValues, reference: MetricValues): MetricValues {
  const names = Object.keys(metrics).filter((name) => !/^(coverage|width)-/.test(name));
  return Object.fromEntries(names.map((name): [string, MetricValue] => [name, skillOf(name)]));

  function skillOf(name: string): MetricValue {
    const own = metrics[name];
    const other = reference[name] ?? { value: null, reason: "the metric is missing" };
    if (own.value === null) return { value: null, reason: own.reason };
    if (other.value === null) return { value: null, reason: `the reference has no value: ${other.reason}` };
    if (other.value === 0) return { value: null, reason: "the reference has no error" };
    return { value: 1 - own.value / other.value };
  }
}

function metricsOf({ quantiles, wqlQuantiles = DECILES, levels }: MetricOptions): [string, Metric][] {
  return [
    ["MAE", mae],
    ["RMSE", rmse],
    ["MAPE", mape],
    ["sMAPE", smape],
    ["MASE", mase],
    ["RMSSE", rmsse],
    ["WQL", wql(quantiles, wqlQuantiles)],
    ["CRPS", crps(quantiles, wqlQuantiles)],
    ["energy", meanEnergyScore],
    ...levels.flatMap((level): [string, Metric][] => [
      [`coverage-${level}`, coverage(quantiles, level)],
      [`width-${level}`, intervalWidth(quantiles, level)],
      [`Winkler-${level}`, winkler(quantiles, level)],
      [`MSIS-${level}`, msis(quantiles, level)],
    ]),
  ];
}

function metricValues(metrics: readonly [string, Metric][], cases: readonly ForecastCase[]): MetricValues {
  return Object.fromEntries(metrics.map(([name, metric]): [string, MetricValue] => [name, metric(cases)]));
}
