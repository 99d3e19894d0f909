// Backtests of forecasters by name: defaults, rejected plans, and the reference.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../../test/support/panels.ts";
import { FORECASTERS } from "../forecasters/forecaster-names.ts";
import type { BacktestResult } from "./backtest.ts";
import { backtestPlan, runBacktestPlan } from "./plan.ts";

const panel = panelOf({ line: Array.from({ length: 20 }, (_, t) => 3 * t) }, 1);

describe("backtestPlan", () => {
  test("has one window, one fit, levels 80 and 95, and all forecasters by default", () => {
    const { models, ...plan } = backtestPlan({ horizon: 3 }, panel);
    expect(plan).toEqual({
      horizon: 3,
      windows: 1,
      stepSize: 3,
      refit: 0,
      align: "series",
      levels: [80, 95],
      quantiles: [],
    });
    expect(models.map(({ name }) => name)).toEqual(Object.keys(FORECASTERS));
  });

  test.each([
    [{}, "horizon"],
    [{ horizon: 20 }, "horizon"],
    [{ horizon: 3, windows: 7 }, "windows"],
    [
      { horizon: 3, models: [{ name: "token-model" }], predictiveDistribution: "empirical" },
      "predictiveDistribution",
    ],
  ] as const)("%j is rejected at the option %s", (options, path) => {
    expect(() => backtestPlan(options, panel)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path })] }),
    );
  });
});

test("the reference of skill scores has the predictive distribution of the baselines", async () => {
  const plan = backtestPlan(
    { horizon: 2, models: [{ name: "naive" }], predictiveDistribution: "empirical", levels: [50] },
    panel,
  );
  const results: BacktestResult[] = [];
  for await (const event of runBacktestPlan(panel, plan, {})) {
    if (event.type === "done") results.push(event.result);
  }
  expect(results[0].models.map(({ name }) => name)).toEqual(["Naive", "SeasonalNaive"]);
  const [naive, seasonal] = results[0].models.map(({ metrics }) => metrics.overall["width-50"].value);
  expect([naive, seasonal]).toEqual([0, 0]);
});
