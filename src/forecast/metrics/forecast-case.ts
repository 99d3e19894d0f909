// Input and output of metrics: a forecast with the actual values, and the value of a metric with its reason or warning.

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
