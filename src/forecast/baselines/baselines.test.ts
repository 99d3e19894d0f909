// Baselines against forecasts computed by hand, on short, constant and incomplete series, and against published errors.

import { describe, expect, test } from "vitest";
import { forecastOf } from "../../../test/support/forecast-of.ts";
import { panelOf, publicTable } from "../../../test/support/panels.ts";
import { RandomStream } from "../../engine/index.ts";
import { studentTQuantile } from "../../math/student-t.ts";
import {
  baselines,
  drift,
  mstlEts,
  naive,
  seasonalNaive,
  seasonalNaiveDrift,
  windowAverage,
} from "./index.ts";

const missing = Number.NaN;

/** Distance of the 0.9 quantile from the point forecast, divided by the 0.9 quantile of Student's t. */
async function deviationsOf(errors: number, ...given: Parameters<typeof forecastOf>): Promise<number[]> {
  const { mean, quantiles } = await forecastOf(...given);
  return quantiles[2].map((value, i) => (value - mean[i]) / studentTQuantile(0.9, errors));
}

function expectClose(got: readonly number[], wanted: readonly number[]): void {
  expect(got).toHaveLength(wanted.length);
  wanted.forEach((value, i) => {
    expect(got[i]).toBeCloseTo(value, 10);
  });
}

describe("the naive forecast", () => {
  test("is the last value, with a variance that grows with each step", async () => {
    expect((await forecastOf(naive(), [1, 3, 2])).mean).toEqual([2, 2, 2]);
    const sigma = Math.sqrt((4 + 1) / 2);
    expectClose(await deviationsOf(2, naive(), [1, 3, 2]), [sigma, sigma * Math.SQRT2, sigma * Math.sqrt(3)]);
  });

  test("counts the steps since the last observed value", async () => {
    expectClose(await deviationsOf(1, naive(), [1, 2, missing]), [Math.SQRT2, Math.sqrt(3), 2]);
  });
});

describe("the drift forecast", () => {
  test("extends the line from the first value to the last", async () => {
    expectClose((await forecastOf(drift(), [1, 2, 6, 7])).mean, [9, 11, 13]);
    const sigma = Math.sqrt((1 + 4 + 1) / 2);
    expectClose(
      await deviationsOf(2, drift(), [1, 2, 6, 7]),
      [1, 2, 3].map((h) => sigma * Math.sqrt(h * (1 + h / 3))),
    );
  });

  test("is exact on a line with missing values", async () => {
    expectClose((await forecastOf(drift(), [missing, 2, missing, 6, missing])).mean, [10, 12, 14]);
  });
});

describe("the seasonal naive forecast", () => {
  const values = [1, 2, 4, 2, 2, 6];

  test("repeats the last season", async () => {
    const { mean } = await forecastOf(seasonalNaive(), values, { season: 3, horizon: 7 });
    expect(mean).toEqual([2, 2, 6, 2, 2, 6, 2]);
  });

  test("has a standard deviation of σ √(⌊(h − 1) / m⌋ + 1)", async () => {
    const sigma = Math.sqrt((1 + 0 + 4) / 3);
    const growth = [1, 1, 1, Math.SQRT2, Math.SQRT2, Math.SQRT2, Math.sqrt(3)];
    expectClose(
      await deviationsOf(3, seasonalNaive(), values, { season: 3, horizon: 7 }),
      growth.map((g) => sigma * g),
    );
  });

  test("uses earlier seasons if the last one is missing, and the last value if all are", async () => {
    const torn = [1, missing, 4, 2, missing, missing];
    expect((await forecastOf(seasonalNaive(), torn, { season: 3 })).mean).toEqual([2, 2, 4]);
    expectClose((await deviationsOf(1, seasonalNaive(), torn, { season: 3 })).slice(0, 1), [1]);
    expectClose((await deviationsOf(1, seasonalNaive(), torn, { season: 3 })).slice(2), [Math.SQRT2]);
  });

  test("has at least the standard deviation of the naive forecast for an unobserved phase", async () => {
    // Seasonal differences are 0 and 1, daily ones 4 and 5; the third phase is never observed.
    const values = [1, 5, missing, 1, 6, missing];
    const sigma = Math.sqrt((16 + 25) / 2);
    expectClose(await deviationsOf(2, seasonalNaive(), values, { season: 3 }), [
      Math.SQRT1_2,
      Math.SQRT1_2,
      2 * sigma,
    ]);
  });

  test("is the naive forecast if the season is longer than the series", async () => {
    expect(await forecastOf(seasonalNaive(), [1, 3, 2], { season: 5 })).toEqual(
      await forecastOf(naive(), [1, 3, 2]),
    );
  });

  test("prefers its season option to the season of the panel", async () => {
    expect((await forecastOf(seasonalNaive({ season: 2 }), values, { season: 3 })).mean).toEqual([2, 6, 2]);
  });

  test("with drift adds the mean slope", async () => {
    const { mean } = await forecastOf(seasonalNaiveDrift(), values, { season: 3 });
    expectClose(mean, [3, 4, 9]); // slope (6 − 1) / 5 = 1
    const sigma = Math.sqrt((0 + 1 + 1) / 2);
    expectClose(await deviationsOf(2, seasonalNaiveDrift(), values, { season: 3 }), [sigma, sigma, sigma]);
  });
});

describe("the window average", () => {
  test("is the mean of the last observed values", async () => {
    expect((await forecastOf(windowAverage({ window: 2 }), [9, 1, missing, 3])).mean).toEqual([2, 2, 2]);
    expect((await forecastOf(windowAverage(), [9, 1, 2, 3], { season: 3 })).mean).toEqual([2, 2, 2]);
  });

  test("has the standard deviation of its one-step-ahead errors", async () => {
    const sigma = Math.sqrt((1 + 36) / 2); // 2 − 3, 9 − 3
    expectClose(await deviationsOf(2, windowAverage({ window: 2 }), [2, 4, 2, 9]), [sigma, sigma, sigma]);
  });

  test("over all values has the standard deviation of a new value from their mean", async () => {
    const further = Math.sqrt((1 + 0 + 1) / 2) * Math.sqrt(1 + 1 / 3);
    expectClose(await deviationsOf(2, windowAverage({ window: 7 }), [1, 2, 3]), [further, further, further]);
  });
});

describe("quantiles", () => {
  const stream = RandomStream.fromSeed(1);
  const walk = Array.from({ length: 300 }, () => stream.normal()).map((step, t, all) =>
    all.slice(0, t).reduce((sum, x) => sum + x, step),
  );

  test("of the point distribution equal the point forecast", async () => {
    const { mean, quantiles } = await forecastOf(naive({ predictiveDistribution: "point" }), [1, 5]);
    for (const row of quantiles) expect(row).toEqual(mean);
  });

  test("of the empirical distribution are the quantiles of the residuals, scaled with the standard deviation", async () => {
    // Differences 1, 2, 3, 4, 10: the median is 3 and the 0.9 quantile 4 + 0.6 · 6.
    const { quantiles } = await forecastOf(
      naive({ predictiveDistribution: "empirical" }),
      [0, 1, 3, 6, 10, 20],
    );
    expectClose(
      quantiles[2],
      [1, 2, 3].map((h) => 20 + 7.6 * Math.sqrt(h)),
    );
    expectClose([quantiles[1][0]], [23]);
  });

  test.each(Object.entries(baselines))("of %s never cross and are finite", async (_, make) => {
    for (const predictiveDistribution of ["gaussian", "empirical"] as const) {
      const { quantiles } = await forecastOf(make({ predictiveDistribution }), walk, {
        season: 7,
        horizon: 20,
      });
      for (let h = 0; h < 20; h++) {
        expect(quantiles[0][h]).toBeLessThan(quantiles[1][h]);
        expect(quantiles[1][h]).toBeLessThan(quantiles[2][h]);
      }
    }
  });
});

describe.each(Object.entries(baselines))("%s", (_, make) => {
  test.each([
    ["a single value", [5]],
    ["a constant", [5, 5, 5, 5, 5, 5, 5, 5]],
    ["one value among missing ones", [missing, 5, missing, missing]],
    ["a constant with gaps", [5, missing, 5, 5, missing, missing, 5, 5, 5, missing]],
  ])("of %s forecasts that value without uncertainty", async (_, values) => {
    const { mean, quantiles } = await forecastOf(make(), values, { season: 3 });
    for (const row of [mean, ...quantiles]) expectClose(row, [5, 5, 5]);
  });

  test.each([[[1, 2]], [[1, 2, 4]], [[1, 2, 4, 3, missing]]])(
    "of the short series %j is finite",
    async (values) => {
      const { mean, quantiles } = await forecastOf(make(), values, { season: 2, horizon: 5 });
      expect([mean, ...quantiles].flat().every(Number.isFinite)).toBe(true);
    },
  );

  test("rejects a series without values, an invalid horizon and an invalid season", async () => {
    await expect(forecastOf(make(), [missing, missing])).rejects.toThrow(
      /: target y of series "a" must have an observed value, got none in 2$/,
    );
    await expect(forecastOf(make(), [1], { horizon: 0 })).rejects.toThrow(
      /^horizon: must be a whole number above 0 for .*, got 0$/,
    );
    expect(() => make({ season: 1.5 })).toThrow(/^season: must be a whole number above 0 for .*, got 1.5$/);
  });

  test("stops when the signal is aborted", async () => {
    const panel = panelOf({ a: [1, 2] });
    const fitted = await make().fit(panel);
    const request = { horizon: 1, quantiles: [0.5], signal: AbortSignal.abort() };
    await expect(fitted.predict(panel, request)).rejects.toThrow(/abort/i);
  });
});

describe("intervals of short series", () => {
  test.each([2, 3, 4, 8, 14])("have their nominal coverage after %i values of noise", async (count) => {
    const stream = RandomStream.fromSeed(11);
    const all = Array.from({ length: 300 }, () => Array.from({ length: count + 1 }, () => stream.normal()));
    const panel = panelOf(Object.fromEntries(all.map((values, i) => [`${i}`, values.slice(0, -1)])), 7);
    for (const make of Object.values(baselines)) {
      const fitted = await make().fit(panel);
      const forecasts = await fitted.predict(panel, { horizon: 1, quantiles: [0.1, 0.9] });
      const held = forecasts.filter(
        ({ quantiles: [low, high] }, i) => low[0] <= all[i][count] && all[i][count] <= high[0],
      );
      // The standard error of this share is 0.023; the slope of two noisy values is unreliable.
      expect(held.length / all.length).toBeGreaterThan(0.72);
    }
  });
});

describe("MSTL with exponential smoothing", () => {
  test("stops between series when the signal is aborted", async () => {
    const values = Array.from({ length: 200 }, (_, t) => (t % 7) + Math.sin(t * t));
    const panel = panelOf(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}`, values])), 7);
    const fitted = await mstlEts().fit(panel);
    const request = { horizon: 3, quantiles: [0.5], signal: AbortSignal.timeout(20) };
    await expect(fitted.predict(panel, request)).rejects.toThrow(/timeout/i);
  });

  test("forecasts a line with a season up to the noise", async () => {
    const stream = RandomStream.fromSeed(3);
    const truth = (t: number) => 10 + 0.5 * t + 3 * Math.sin((2 * Math.PI * t) / 6);
    const values = Array.from({ length: 90 }, (_, t) => truth(t) + 0.1 * stream.normal());
    const { mean } = await forecastOf(mstlEts(), values, { season: 6, horizon: 12 });
    mean.forEach((value, i) => {
      expect(Math.abs(value - truth(90 + i))).toBeLessThan(0.6);
    });
  });

  test("starts from the last observed value, also before trailing gaps", async () => {
    const values = Array.from({ length: 48 }, (_, t) => [0, 3, 1, 7][t % 4] + Math.sqrt(t));
    const whole = await forecastOf(mstlEts(), values, { season: 4, horizon: 6 });
    const later = await forecastOf(mstlEts(), [missing, ...values, missing, missing], {
      season: 4,
      horizon: 4,
    });
    expectClose(later.mean, whole.mean.slice(2));
    expectClose(later.quantiles[2], whole.quantiles[2].slice(2));
  });

  test("uses all seasons that occur at least twice", async () => {
    const values = Array.from({ length: 60 }, (_, t) => (t % 3) + 2 * Math.cos((2 * Math.PI * t) / 12));
    const both = await forecastOf(mstlEts({ seasons: [3, 12] }), values, { horizon: 12 });
    both.mean.forEach((value, i) => {
      expect(value).toBeCloseTo((i % 3) + 2 * Math.cos((2 * Math.PI * i) / 12), 1);
    });
    expect(await forecastOf(mstlEts({ seasons: [3, 12, 40] }), values, { horizon: 12 })).toEqual(both);
    expect(() => mstlEts({ seasons: [1] })).toThrow(
      "seasons: must be whole numbers above 1 for MSTL-ETS, got 1",
    );
  });
});

const passengers = publicTable("AirPassengers.csv")?.["#Passengers"];

describe.skipIf(!passengers)("on the airline passengers (skipped if the data file is missing)", () => {
  const percentage = (forecast: readonly number[], actual: readonly number[]) =>
    (100 * actual.reduce((sum, y, i) => sum + Math.abs(y - forecast[i]) / y, 0)) / actual.length;

  test.each([
    ["seasonal naive", seasonalNaive(), 12, 9.99],
    ["seasonal naive", seasonalNaive(), 36, 13.19],
    ["seasonal naive with drift", seasonalNaiveDrift(), 12, 6.91],
    ["seasonal naive with drift", seasonalNaiveDrift(), 24, 10.35],
    ["seasonal naive with drift, as in Darts", seasonalNaiveDrift(), 36, 5.66],
  ])("%s has the published percentage error over the last months", async (_, forecaster, horizon, known) => {
    const { mean } = await forecastOf(forecaster, passengers!.slice(0, -horizon), {
      season: 12,
      horizon,
    });
    expect(percentage(mean, passengers!.slice(-horizon))).toBeCloseTo(known, 2);
  });

  test.each([
    [12, 2.84],
    [24, 4.63],
    [36, 8.79],
  ])(
    "MSTL on logarithms has the recorded percentage error over the last %d months",
    async (horizon, known) => {
      const { mean } = await forecastOf(mstlEts(), passengers!.slice(0, -horizon).map(Math.log), {
        season: 12,
        horizon,
      });
      expect(percentage(mean.map(Math.exp), passengers!.slice(-horizon))).toBeCloseTo(known, 2);
    },
  );
});
