// Gaps are filled in the input of a forecaster only.

import { expect, test } from "vitest";
import { runBacktest } from "./backtest/index.ts";
import { naive } from "./baselines/index.ts";
import { withFilledGaps } from "./gap-filling.ts";
import type { Panel } from "./types.ts";

function panelOf(values: readonly number[]): Panel {
  return {
    series: [
      {
        id: "s",
        times: Float64Array.from(values, (_, t) => t * 86_400_000),
        targets: [Float64Array.from(values)],
        covariates: {},
        statics: {},
      },
    ],
    ...{ targets: ["y"], covariates: [], frequency: { unit: "day", count: 1 }, season: 1 },
  };
}

test("a gap before the cutoff is filled, and actual values are not changed", async () => {
  const { models } = await runBacktest({
    panel: panelOf([1, 2, Number.NaN, 9, 9]),
    forecasters: [withFilledGaps(naive(), "zero")],
    horizon: 2,
  });
  const { forecast, actual } = models[0].cases[0];
  expect([...forecast.mean]).toEqual([0, 0]);
  expect([...actual]).toEqual([9, 9]);
});

test("linear filling does not use values after the cutoff", async () => {
  const { models } = await runBacktest({
    panel: panelOf([1, 2, Number.NaN, 9, 9]),
    forecasters: [withFilledGaps(naive(), "linear")],
    horizon: 2,
  });
  expect([...models[0].cases[0].forecast.mean]).toEqual([2, 2]);
});
