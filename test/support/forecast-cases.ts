// Forecasts with actual values, for tests of metrics.

import type { ForecastCase, SeriesScale } from "../../src/forecast/metrics/index.ts";

export interface CaseParts {
  readonly id?: string;
  readonly target?: string;
  readonly actual: readonly number[];
  readonly mean?: readonly number[];
  readonly quantiles?: readonly (readonly number[])[];
  readonly paths?: readonly (readonly number[])[];
  readonly scale?: SeriesScale;
}

/** Completes a case of which some fields are given. Defaults: a mean of zero and a scale of 1. */
export function forecastCase({
  id = "a",
  target = "y",
  actual,
  mean = actual.map(() => 0),
  quantiles = [],
  paths,
  scale = { absolute: 1, squared: 1 },
}: CaseParts): ForecastCase {
  return {
    id,
    target,
    actual: Float64Array.from(actual),
    scale,
    forecast: {
      id,
      target,
      mean: Float64Array.from(mean),
      quantiles: quantiles.map((row) => Float64Array.from(row)),
      ...(paths && { paths: paths.map((row) => Float64Array.from(row)) }),
    },
  };
}
