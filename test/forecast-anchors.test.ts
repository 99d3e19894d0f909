// Published and known numbers of the seasonal naive forecast, to the digit: metrics, baseline and backtest together.

import { describe, expect, test } from "vitest";
import { runBacktest } from "../src/forecast/backtest/index.ts";
import { type Spread, seasonalNaive } from "../src/forecast/baselines/index.ts";
import { births, panelOf, publicTable } from "./support/panels.ts";

async function measured(
  series: Readonly<Record<string, number[]>>,
  horizon: number,
  season: number,
  spread: Spread,
) {
  const forecasters = [seasonalNaive({ spread })];
  const { models } = await runBacktest({ panel: panelOf(series, season), forecasters, horizon });
  return models[0].metrics.overall;
}

/** MASE and WQL where the point forecast stands for all quantiles: one window at the end, as Chronos has it. */
async function published(series: Readonly<Record<string, number[]>>, horizon: number, season: number) {
  const { MASE, WQL } = await measured(series, horizon, season, "point");
  return { mase: MASE.value!, wql: WQL.value! };
}

const ett = [publicTable("ETTh1.csv"), publicTable("ETTh2.csv")];
const rates = publicTable("exchange_rate.txt.gz");

describe("seasonal naive numbers published with Chronos (skipped where shared/data/timeseries is absent)", () => {
  test.skipIf(!ett.every(Boolean))("of the transformers' hourly load and temperature", async () => {
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

  test.skipIf(!rates)("of the exchange rates", async () => {
    const { mase, wql } = await published(rates!, 30, 5);
    expect([mase.toFixed(6), wql.toFixed(7)]).toEqual(["1.740183", "0.0129841"]);
    const normal = await measured(rates!, 30, 5, "gaussian");
    expect(normal.WQL.value).toBeCloseTo(0.01013, 5);
    expect(normal["coverage-80"].value).toBeCloseTo(0.98, 2);
  });
});

describe("the seasonal naive forecast of births, ten windows of four weeks", () => {
  // Quantiles are normal, σ² being the mean square of the weekly differences of all that is before the cutoff (about zero;
  // about their mean gives the same digits), times the number of weeks ahead (without that, WQL is 0.0283 and 0.0417).
  // WQL is pooled over the windows, MASE is the mean of theirs.
  test.each([
    ["1969-1988", 1.335, 0.0301, 0.94],
    ["2000-2014", 1.029, 0.0502, 0.95],
  ] as const)("%s has the known MASE, WQL and coverage", async (years, mase, wql, covered) => {
    const panel = panelOf({ births: births(years) }, 7);
    const { models } = await runBacktest({ panel, forecasters: [seasonalNaive()], horizon: 28, windows: 10 });
    const { overall } = models[0].metrics;
    expect(overall.MASE.value).toBeCloseTo(mase, 3);
    expect(overall.WQL.value).toBeCloseTo(wql, 4);
    expect(overall["coverage-80"].value).toBeCloseTo(covered, 2);
  });
});
