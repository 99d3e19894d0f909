// ETS, Theta and Croston against values computed by hand, closed forms, and values of statsforecast 2.1.1 and
// statsmodels 0.15.0 (Python), which are written here and are not needed to run the tests.

import { describe, expect, test } from "vitest";
import { forecastOf } from "../../../test/support/forecast-of.ts";
import { normalQuantile } from "../../math/normal-distribution.ts";
import { studentTQuantile } from "../../math/student-t.ts";
import { baselines, croston, mstlEts, theta } from "./index.ts";
import { hasSeason, seasonalIndices } from "./seasonal-indices.ts";
import { fitSmoothing } from "./simple-smoothing.ts";

const missing = Number.NaN;
const NOISY_LEVEL = [
  30.05, 19.14, 25.32, 27.59, 32.08, 23.49, 28.47, 35.12, 36.84, 29.49, 32.23, 37.22, 34.45, 32.33, 25.39, 38,
];
const NOISY_LINE = Array.from({ length: 30 }, (_, t) => 3 * t + ((7 * t * t) % 11));
const QUARTERS = Array.from(
  { length: 24 },
  (_, t) => (20 + t) * [0.8, 1.1, 1.3, 0.8][t % 4] * (1 + 0.01 * ((3 * t * t) % 7)),
);

function expectClose(got: readonly number[], wanted: readonly number[], digits = 6): void {
  expect(got).toHaveLength(wanted.length);
  wanted.forEach((value, i) => {
    expect(got[i]).toBeCloseTo(value, digits);
  });
}

describe("MSTL-ETS without a season", () => {
  // statsforecast: AutoETS(model="ZZN").forecast(y, 4, level=[80]), mean and lo-80.
  test.each([
    {
      ...{ name: "a noisy level", values: NOISY_LEVEL, mean: Array(4).fill(32.80416938749846) },
      low: [25.196208462374, 24.943264524536, 24.698209784165, 24.460349104366],
    },
    {
      ...{ name: "a noisy line", values: NOISY_LINE },
      mean: [96.245289665657, 99.267582483626, 102.289875301594, 105.312168119562],
      low: [91.539130565181, 94.561423288441, 97.583715892877, 100.606008330842],
    },
  ])("forecasts $name as AutoETS of statsforecast", async ({ values, mean, low }) => {
    const { mean: got, quantiles } = await forecastOf(mstlEts(), values, { horizon: 4 });
    expectClose(got, mean);
    // Three parameters are fitted, so that Student's t takes the place of the normal distribution.
    const wider = studentTQuantile(0.1, values.length - 3) / normalQuantile(0.1);
    expectClose(
      quantiles[0],
      low.map((value, h) => mean[h] + wider * (value - mean[h])),
      4,
    );
  });

  test("is the same for a season that is longer than half the series", async () => {
    expect(await forecastOf(mstlEts(), NOISY_LINE, { season: 16 })).toEqual(
      await forecastOf(mstlEts(), NOISY_LINE),
    );
  });

  test("interpolates gaps", async () => {
    const line = [1, 2, missing, 4, 5, 6, missing, missing, 9, 10, 11, 12];
    expectClose((await forecastOf(mstlEts(), line)).mean, [13, 14, 15]);
  });

  test("keeps its normal distribution where past errors are asked for, because it has none", async () => {
    const empirical = mstlEts({ predictiveDistribution: "empirical" });
    expect(await forecastOf(empirical, NOISY_LINE)).toEqual(await forecastOf(mstlEts(), NOISY_LINE));
  });
});

describe("simple exponential smoothing", () => {
  // statsmodels: SimpleExpSmoothing(y, initialization_method="estimated").fit().
  test.each([
    ["a noisy level", NOISY_LEVEL, 0.256416, 27.23745, 32.78468],
    ["a noisy line", NOISY_LINE, 0.889483, 1.1361, 89.50145],
  ])("of %s has the parameters of statsmodels", (_, values, alpha, first, last) => {
    const fitted = fitSmoothing(Float64Array.from(values));
    expect(fitted.alpha).toBeCloseTo(alpha, 5);
    expect(fitted.levels[0]).toBeCloseTo(first, 3);
    expect(fitted.levels.at(-1)).toBeCloseTo(last, 4);
  });

  test("of a line follows each value", () => {
    expect(fitSmoothing(Float64Array.of(2, 4, 6, 8, 10)).alpha).toBe(1);
  });
});

describe("the Theta method", () => {
  test("continues an exact line with half its slope", async () => {
    const line = Array.from({ length: 20 }, (_, t) => 5 + 2 * t);
    expectClose((await forecastOf(theta(), line)).mean, [44, 45, 46]);
  });

  // Least squares by scipy's L-BFGS-B, in the formula of Hyndman and Billah.
  test.each([
    ["a noisy level", NOISY_LEVEL, [33.9893741, 34.3009991, 34.6126241, 34.9242491]],
    ["a noisy line", NOISY_LINE, [91.200454, 92.7116887, 94.2229234, 95.7341582]],
  ])("forecasts %s as least squares in Python", async (_, values, mean) => {
    expectClose((await forecastOf(theta(), values, { horizon: 4 })).mean, mean);
  });

  // statsmodels: ThetaModel(y, period=4, method, use_test=False).fit().forecast(6), whose α stops at 0.9999 instead of 1.
  test.each([
    ["multiplies", 0, [36.490609, 50.419309, 60.607101, 37.780826, 38.149524, 52.685683], 3],
    ["is added", 30, [6.348776, 16.690738, 23.36845, 8.173738, 8.401425, 18.743387], 2],
  ])("forecasts a season that %s as ThetaModel of statsmodels", async (_, shift, mean, digits) => {
    const values = QUARTERS.map((value) => value - shift);
    expectClose((await forecastOf(theta(), values, { season: 4, horizon: 6 })).mean, mean, digits);
  });

  test("continues after trailing gaps", async () => {
    const whole = await forecastOf(theta(), QUARTERS, { season: 4, horizon: 6 });
    const later = await forecastOf(theta(), [missing, ...QUARTERS, missing, missing], {
      season: 4,
      horizon: 4,
    });
    expectClose(later.mean, whole.mean.slice(2));
    expectClose(later.quantiles[0], whole.quantiles[0].slice(2));
  });
});

describe("seasonal indices", () => {
  // statsmodels: seasonal_decompose(y, model, period=4).seasonal.
  test.each([
    [0, [0.8013814652457105, 1.0948307678987088, 1.3014287350075016, 0.8023590318480787]],
    [30, [-6.52690625, 3.30189375, 9.46644375, -6.24143125]],
  ])("are those of classical decomposition in statsmodels (values − %i)", (shift, known) => {
    const { indices } = seasonalIndices(
      Float64Array.from(QUARTERS, (value) => value - shift),
      4,
    );
    expectClose([...indices], known, 10);
  });

  test("of an odd season are exact", () => {
    const values = Float64Array.from({ length: 12 }, (_, t) => [1, 5, 6][t % 3] - 4 + t);
    const { indices } = seasonalIndices(values, 3);
    expectClose([...indices], [-3, 1, 2], 12);
  });

  test("are used only if the autocorrelation shows a season", () => {
    expect(hasSeason(Float64Array.from(QUARTERS), 4)).toBe(true);
    expect(hasSeason(Float64Array.from(NOISY_LEVEL), 4)).toBe(false);
    expect(hasSeason(Float64Array.from(QUARTERS.slice(0, 8)), 4)).toBe(false);
  });
});

describe("Croston's method", () => {
  // Sizes 3, 2, 1, 4 give 2.839; intervals 3, 4, 2, 3 give 2.991.
  const demand = [0, 0, 3, 0, 0, 0, 2, 0, 1, 0, 0, 4, 0];

  test("divides the smoothed size by the smoothed interval", async () => {
    // CrostonClassic of statsforecast gives 0.94918088, too.
    expectClose((await forecastOf(croston(), demand)).mean, Array(3).fill(2.839 / 2.991), 12);
  });

  test("has the standard deviation of its one-step-ahead errors", async () => {
    const { mean, quantiles } = await forecastOf(croston(), [0, 2, 0, 4], { horizon: 2 });
    // After the 2 the rate is 2 / 2; after the 4 it is 2.2 / 2. The errors are 0 − 1 and 4 − 1.
    expectClose(mean, [1.1, 1.1], 12);
    expectClose(quantiles[2], Array(2).fill(1.1 + studentTQuantile(0.9, 2) * Math.sqrt((1 + 9) / 2)), 10);
  });

  test("forecasts zero after zeros, and the naive forecast where values are below 0", async () => {
    expect((await forecastOf(croston(), [0, 0, 0])).mean).toEqual([0, 0, 0]);
    expect(await forecastOf(croston(), [1, -2, 4])).toEqual(await forecastOf(baselines.naive(), [1, -2, 4]));
  });
});
