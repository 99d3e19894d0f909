// Tests that published results of the seasonal naive forecast are reproduced digit for digit, with metrics, baseline
// and backtest together.

import { backtests, baselines } from "gflownet/forecast";
import { describe, expect, test } from "vitest";
import { births, panelOf, publicTable } from "./support/panels.ts";

async function measured(
  series: Readonly<Record<string, number[]>>,
  horizon: number,
  season: number,
  predictiveDistribution: baselines.PredictiveDistribution,
) {
  const forecasters = [baselines.seasonalNaive({ predictiveDistribution })];
  const { models } = await backtests.runBacktest({ panel: panelOf(series, season), forecasters, horizon });
  return models[0].metrics.overall;
}

/**
 * MASE and WQL of one window at the end, with the point forecast used for all quantiles, as in the tables of Chronos.
 */
async function published(series: Readonly<Record<string, number[]>>, horizon: number, season: number) {
  const { MASE, WQL } = await measured(series, horizon, season, "point");
  return { mase: MASE.value!, wql: WQL.value! };
}

const ett = [publicTable("ETTh1.csv"), publicTable("ETTh2.csv")];
const rates = publicTable("exchange_rate.txt.gz");

describe("seasonal naive results published with Chronos (skipped if the data files are missing)", () => {
  test.skipIf(!ett.every(Boolean))("for hourly load and temperature of transformers (ETTh)", async () => {
    const names = ["HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT"];
    const series = Object.fromEntries(
      ett.flatMap((table, i) => names.map((name) => [`${i}-${name}`, table![name]])),
    );
    const { mase, wql } = await published(series, 24, 24);
    expect([mase.toFixed(7), wql.toFixed(7)]).toEqual(["0.9316203", "0.1220897"]);
    const normal = await measured(series, 24, 24, "gaussian");
    expect(normal.WQL.value).toBeCloseTo(0.0966, 4);
    expect(normal["coverage-80"].value).toBeCloseTo(0.92, 2);
  });

  test.skipIf(!rates)("for exchange rates", async () => {
    const { mase, wql } = await published(rates!, 30, 5);
    expect([mase.toFixed(6), wql.toFixed(7)]).toEqual(["1.740183", "0.0129841"]);
    const normal = await measured(rates!, 30, 5, "gaussian");
    expect(normal.WQL.value).toBeCloseTo(0.01013, 5);
    expect(normal["coverage-80"].value).toBeCloseTo(0.98, 2);
  });
});

describe("the seasonal naive forecast of births, ten windows of four weeks", () => {
  // Quantiles are those of a normal distribution. Its variance is the mean square of the weekly differences before the
  // cutoff, times the number of weeks ahead. WQL is pooled over the windows, MASE is the mean over windows.
  test.each([
    ["1969-1988", 1.335, 0.0301, 0.94],
    ["2000-2014", 1.029, 0.0502, 0.95],
  ] as const)("%s has the recorded MASE, WQL and coverage", async (years, mase, wql, covered) => {
    const panel = panelOf({ births: births(years) }, 7);
    const { models } = await backtests.runBacktest({
      panel,
      forecasters: [baselines.seasonalNaive()],
      horizon: 28,
      windows: 10,
    });
    const { overall } = models[0].metrics;
    expect(overall.MASE.value).toBeCloseTo(mase, 3);
    expect(overall.WQL.value).toBeCloseTo(wql, 4);
    expect(overall["coverage-80"].value).toBeCloseTo(covered, 2);
  });
});
