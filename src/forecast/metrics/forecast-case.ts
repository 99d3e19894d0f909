// Input and output of metrics: a forecast with the actual values, and the value of a metric with its reason or warning.

import { mean as meanOf } from "../../math/statistics.ts";
import { distributionAtStep } from "../step-distribution.ts";
import type { Forecast } from "../types.ts";

/** One forecast of one target of one series, with the actual values. */
export interface ForecastCase {
  readonly id: string;
  readonly target: string;
  /** Actual values; NaN where nothing was observed. All metrics skip such steps. */
  readonly actual: Float64Array; // [H]
  readonly forecast: Forecast;
  /** Size of the seasonal differences before the forecast, for scaled metrics. */
  readonly scale: SeriesScale;
}

/** Size of the differences between values one season apart; null if there are none or all are zero. */
export interface SeriesScale {
  /** Mean absolute seasonal difference. */
  readonly absolute: number | null;
  /** Mean squared seasonal difference. */
  readonly squared: number | null;
  /** Why the values are null. */
  readonly reason?: string;
}

/** The value of a metric, or null and the reason; never NaN. */
export interface MetricValue {
  readonly value: number | null;
  readonly reason?: string;
  /** A restriction of the value, such as steps that were skipped. */
  readonly warning?: string;
}

/** A function that scores forecasts. */
export type Metric = (cases: readonly ForecastCase[]) => MetricValue;

/** Steps with an observed actual value. */
export function observedSteps({ actual }: ForecastCase): number[] {
  const steps: number[] = [];
  for (let step = 0; step < actual.length; step++) if (Number.isFinite(actual[step])) steps.push(step);
  return steps;
}

/** Mean of `value` over all observed steps of all cases. */
export function meanOverSteps(
  cases: readonly ForecastCase[],
  value: (one: ForecastCase, step: number) => number,
): MetricValue {
  let sum = 0;
  let count = 0;
  for (const one of cases) {
    for (let step = 0; step < one.actual.length; step++) {
      if (!Number.isFinite(one.actual[step])) continue;
      sum += value(one, step);
      count++;
    }
  }
  return count === 0 ? NO_OBSERVATIONS : finiteValue(sum / count);
}

/** Mean of `caseValue` over all cases with observed steps. Cases with null are skipped; the warning has their number and the reason. */
export function meanOverCases(
  cases: readonly ForecastCase[],
  reason: string,
  caseValue: (one: ForecastCase, steps: readonly number[]) => number | null,
): MetricValue {
  const observed = cases
    .map((one) => ({ one, steps: observedSteps(one) }))
    .filter(({ steps }) => steps.length > 0);
  if (observed.length === 0) return NO_OBSERVATIONS;
  const values = observed.map(({ one, steps }) => caseValue(one, steps)).filter((value) => value !== null);
  if (values.length === 0) return { value: null, reason };
  const mean = finiteValue(meanOf(values));
  const skipped = observed.length - values.length;
  if (skipped === 0 || mean.value === null) return mean;
  return { ...mean, warning: `${skipped} of ${observed.length} forecasts are skipped: ${reason}` };
}

/** The value if it is finite; otherwise null with a reason. */
export function finiteValue(value: number): MetricValue {
  return Number.isFinite(value) ? { value } : { value: null, reason: "a forecast is not finite" };
}

/** The cases restricted to one step; shorter cases are dropped. */
export function casesAtStep(cases: readonly ForecastCase[], step: number): ForecastCase[] {
  const atStep = (values: Float64Array) => values.subarray(step, step + 1);
  return cases
    .filter(({ actual }) => step < actual.length)
    .map((forecastCase) => ({
      ...forecastCase,
      actual: atStep(forecastCase.actual),
      forecast: {
        ...forecastCase.forecast,
        mean: atStep(forecastCase.forecast.mean),
        quantiles: forecastCase.forecast.quantiles.map(atStep),
        distribution:
          forecastCase.forecast.distribution && distributionAtStep(forecastCase.forecast.distribution, step),
        paths: forecastCase.forecast.paths?.map(atStep),
      },
    }));
}

export const NO_OBSERVATIONS: MetricValue = { value: null, reason: "no target was observed" };
