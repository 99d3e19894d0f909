// All metrics of one forecaster: overall, per series and per step ahead; and its skill beside another.

import { atStep, type Case, type Measure, type Metric } from "./case.ts";
import { hasPaths, meanEnergyScore, sampleCrps } from "./ensemble.ts";
import { coverage, msis, width, winkler } from "./interval.ts";
import { pitHistogram } from "./pit.ts";
import { mae, mape, rmse, smape } from "./point.ts";
import { quantileCrps, wql } from "./quantile.ts";
import { mase, rmsse } from "./scaled.ts";

/** Metrics by name, such as `MASE` or `coverage-80`. */
export type Measures = Readonly<Record<string, Measure>>;

export interface MetricTables {
  readonly overall: Measures;
  /** By series; with several targets by `series/target`. */
  readonly series: Readonly<Record<string, Measures>>;
  /** Step 1 first. */
  readonly horizon: readonly Measures[];
  /** Shares of F(y) in ten equal parts; null where nothing was observed. */
  readonly pit: readonly number[] | null;
}

export interface MetricOptions {
  /** Those of the forecasts, in their order. */
  readonly quantiles: readonly number[];
  /** Those that WQL is the mean over: 0.1 to 0.9 by default. */
  readonly wqlQuantiles?: readonly number[];
  /** Central intervals in percent. */
  readonly levels: readonly number[];
}

/** What WQL is the mean over unless said otherwise, as GluonTS and Chronos do. */
export const NINE_DECILES: readonly number[] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** All metrics of these forecasts, overall, per series and per step. */
export function metricTables(cases: readonly Case[], options: MetricOptions): MetricTables {
  const metrics = metricsOf(options);
  const several = new Set(cases.map(({ target }) => target)).size > 1;
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const name = several ? `${one.id}/${one.target}` : one.id;
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  const horizon = cases.reduce((most, { actual }) => Math.max(most, actual.length), 0);
  const pit = pitHistogram(cases, options.quantiles);
  return {
    overall: measuresOf(metrics, cases),
    series: Object.fromEntries(
      Array.from(groups, ([name, group]): [string, Measures] => [name, measuresOf(metrics, group)]),
    ),
    horizon: Array.from({ length: horizon }, (_, step) => measuresOf(metrics, atStep(cases, step))),
    pit: pit && Array.from(pit),
  };
}

/**
 * Skill beside a reference: 1 − metric / metric of the reference, by name. 0 is as good, 1 without error, below 0 worse.
 * Of coverage and width less is not better, and they have none.
 */
export function skill(measures: Measures, reference: Measures): Measures {
  const names = Object.keys(measures).filter((name) => !/^(coverage|width)-/.test(name));
  return Object.fromEntries(names.map((name): [string, Measure] => [name, skillOf(name)]));

  function skillOf(name: string): Measure {
    const own = measures[name];
    const other = reference[name] ?? { value: null, reason: "it was not measured" };
    if (own.value === null) return { value: null, reason: own.reason };
    if (other.value === null) return { value: null, reason: `of the reference, ${other.reason}` };
    if (other.value === 0) return { value: null, reason: "the reference makes no error" };
    return { value: 1 - own.value / other.value };
  }
}

function metricsOf({ quantiles, wqlQuantiles = NINE_DECILES, levels }: MetricOptions): [string, Metric][] {
  const fromQuantiles = quantileCrps(quantiles);
  return [
    ["MAE", mae],
    ["RMSE", rmse],
    ["MAPE", mape],
    ["sMAPE", smape],
    ["MASE", mase],
    ["RMSSE", rmsse],
    ["WQL", wql(quantiles, wqlQuantiles)],
    // From paths where all forecasts have them: exact for what was drawn, where quantiles leave the tails open.
    ["CRPS", (cases) => (cases.every(hasPaths) ? sampleCrps(cases) : fromQuantiles(cases))],
    ["energy", meanEnergyScore],
    ...levels.flatMap((level): [string, Metric][] => [
      [`coverage-${level}`, coverage(quantiles, level)],
      [`width-${level}`, width(quantiles, level)],
      [`Winkler-${level}`, winkler(quantiles, level)],
      [`MSIS-${level}`, msis(quantiles, level)],
    ]),
  ];
}

function measuresOf(metrics: readonly [string, Metric][], cases: readonly Case[]): Measures {
  return Object.fromEntries(metrics.map(([name, metric]): [string, Measure] => [name, metric(cases)]));
}
