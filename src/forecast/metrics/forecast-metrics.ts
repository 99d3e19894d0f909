// All metrics of one forecaster: overall, per series and per step ahead; and its skill scores against a reference.

import { crps } from "./crps.ts";
import type { ForecastCase, MetricValue } from "./forecast-case.ts";
import { coverage, intervalWidth, msis, winkler } from "./interval.ts";
import { histogramOfSums, pitSums } from "./pit.ts";
import { mae, mape, rmse, smape } from "./point.ts";
import { wql } from "./quantile.ts";
import { meanEnergyScore } from "./sample-scores.ts";
import { mase, rmsse } from "./scaled.ts";
import { addSums, type SummedMetric, type Sums } from "./summed-metric.ts";

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

/** What the metrics over several forecasts are computed from. Sums of other forecasts can be added. */
export interface ForecastSums {
  /** One entry per metric. */
  readonly overall: readonly Sums[];
  /** One entry per step ahead and metric. */
  readonly byStep: readonly (readonly Sums[])[];
  readonly pit: Sums;
}

/** All metrics of these forecasts, overall, per series and per step. */
export function forecastMetrics(cases: readonly ForecastCase[], options: MetricOptions): ForecastMetrics {
  return {
    ...metricsOfSums(forecastSums(cases, options), options),
    bySeries: Object.fromEntries(metricsBySeries(cases, options)),
  };
}

/** Metrics by series id, in the order of the forecasts; with several targets by `id/target`. */
export function metricsBySeries(
  cases: readonly ForecastCase[],
  options: MetricOptions,
): Map<string, MetricValues> {
  const metrics = metricsOf(options);
  const hasSeveralTargets = new Set(cases.map(({ target }) => target)).size > 1;
  const groups = new Map<string, ForecastCase[]>();
  for (const one of cases) {
    const name = hasSeveralTargets ? `${one.id}/${one.target}` : one.id;
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  const valuesOf = (group: readonly ForecastCase[]): MetricValues =>
    Object.fromEntries(metrics.map(([name, metric]) => [name, metric(group)]));
  return new Map(Array.from(groups, ([name, group]) => [name, valuesOf(group)]));
}

/** Sums of all metrics, overall and by step. `horizon` is the number of steps; by default that of the longest forecast. */
export function forecastSums(
  cases: readonly ForecastCase[],
  options: MetricOptions,
  horizon = cases.reduce((longest, { actual }) => Math.max(longest, actual.length), 0),
): ForecastSums {
  const metrics = metricsOf(options);
  const sumsOf = (step?: number) => metrics.map(([, metric]) => metric.sums(cases, step));
  return {
    overall: sumsOf(),
    byStep: Array.from({ length: horizon }, (_, step) => sumsOf(step)),
    pit: pitSums(cases, options.quantiles),
  };
}

/** Adds sums of other forecasts with the same options and horizon. */
export function addForecastSums(into: ForecastSums, sums: ForecastSums): void {
  const addAll = (all: readonly Sums[], more: readonly Sums[]) => {
    for (const [i, each] of all.entries()) addSums(each, more[i]);
  };
  addAll(into.overall, sums.overall);
  for (const [step, all] of into.byStep.entries()) addAll(all, sums.byStep[step]);
  addSums(into.pit, sums.pit);
}

/** The metrics that follow from sums. */
export function metricsOfSums(
  { overall, byStep, pit }: ForecastSums,
  options: MetricOptions,
): Omit<ForecastMetrics, "bySeries"> {
  const metrics = metricsOf(options);
  const valuesOf = (sums: readonly Sums[]): MetricValues =>
    Object.fromEntries(metrics.map(([name, metric], i) => [name, metric.value(sums[i])]));
  const histogram = histogramOfSums(pit);
  return {
    overall: valuesOf(overall),
    byStep: byStep.map(valuesOf),
    pit: histogram && Array.from(histogram),
  };
}

/** Names of all metrics, in order. */
export function metricNames(options: MetricOptions): string[] {
  return metricsOf(options).map(([name]) => name);
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

function metricsOf({ quantiles, wqlQuantiles = DECILES, levels }: MetricOptions): [string, SummedMetric][] {
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
    ...levels.flatMap((level): [string, SummedMetric][] => [
      [`coverage-${level}`, coverage(quantiles, level)],
      [`width-${level}`, intervalWidth(quantiles, level)],
      [`Winkler-${level}`, winkler(quantiles, level)],
      [`MSIS-${level}`, msis(quantiles, level)],
    ]),
  ];
}
