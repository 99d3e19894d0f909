// Small synthetic panels for tests of forecasting models.

import { RandomStream } from "../../src/engine/index.ts";
import type { Panel, Series } from "../../src/forecast/types.ts";

const DAY = 86_400_000;

export interface SyntheticPanelOptions {
  readonly rows: number;
  readonly series?: number;
  readonly targets?: number;
  /** Value of target j in row t. Default: normal with mean 10 and standard deviation 1. */
  readonly value?: (t: number, j: number, stream: RandomStream) => number;
  /**
   * Whether to add covariates: a number known in the past only, a number and a category known in the future, a static
   * number and a static category. Default: false.
   */
  readonly covariates?: boolean;
}

/** A panel of daily series with a season of 7. */
export function syntheticPanel({
  rows,
  series = 1,
  targets = 1,
  value,
  covariates = false,
}: SyntheticPanelOptions): Panel {
  const valueAt = value ?? ((_t: number, _j: number, stream: RandomStream) => 10 + stream.normal());
  return {
    series: Array.from({ length: series }, (_, i): Series => {
      const stream = RandomStream.fromSeed(5).split(`series ${i}`);
      return {
        id: `series ${i}`,
        times: Float64Array.from({ length: rows }, (_, t) => Date.UTC(2020, 0, 1) + t * DAY),
        targets: Array.from({ length: targets }, (_, j) =>
          Float64Array.from({ length: rows }, (_, t) => valueAt(t, j, stream)),
        ),
        covariates: covariates
          ? {
              wind: Float64Array.from({ length: rows }, () => stream.normal()),
              price: Float64Array.from({ length: rows }, () => stream.uniform()),
              sky: Array.from({ length: rows }, () => SKIES[stream.integer(SKIES.length)]),
            }
          : {},
        statics: covariates ? { size: i, region: `region ${i % 12}` } : {},
      };
    }),
    targets: Array.from({ length: targets }, (_, j) => `y${j}`),
    covariates: covariates
      ? [
          { name: "wind", kind: "numeric", knownInFuture: false },
          { name: "price", kind: "numeric", knownInFuture: true },
          { name: "sky", kind: "categorical", knownInFuture: true },
        ]
      : [],
    frequency: { unit: "day", count: 1 },
    season: 7,
  };
}

const SKIES = ["clear", "rain", "snow", null] as const;
