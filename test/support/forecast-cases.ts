// Forecasts beside what came, made up for tests of metrics.

import type { Case, SeriesScale } from "../../src/forecast/metrics/index.ts";

export interface CaseParts {
  readonly id?: string;
  readonly target?: string;
  readonly actual: readonly number[];
  readonly mean?: readonly number[];
  readonly quantiles?: readonly (readonly number[])[];
  readonly paths?: readonly (readonly number[])[];
  readonly scale?: SeriesScale;
}

/** A case of the parts that matter; the point forecast is zero, and the scale is 1, unless given. */
export function madeCase({
  id = "a",
  target = "y",
  actual,
  mean = actual.map(() => 0),
  quantiles = [],
  paths,
  scale = { absolute: 1, squared: 1 },
}: CaseParts): Case {
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
