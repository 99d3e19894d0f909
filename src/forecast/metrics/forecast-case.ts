// Input and output of metrics: a forecast with the actual values, and the value of a metric with its reason or warning.

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

/** Steps with an observed actual value; if a step is given, that one if it is observed. */
export function observedSteps({ actual }: ForecastCase, only?: number): number[] {
  if (only !== undefined) return Number.isFinite(actual[only]) ? [only] : [];
  const steps: number[] = [];
  for (let step = 0; step < actual.length; step++) if (Number.isFinite(actual[step])) steps.push(step);
  return steps;
}
