// Scores of quantiles, paths and intervals against closed forms and brute force.

import { describe, expect, test } from "vitest";
import { forecastCase } from "../../../test/support/forecast-cases.ts";
import { RandomStream } from "../../engine/index.ts";
import { normalCdf, normalDensity, normalQuantile } from "../../math/normal-distribution.ts";
import {
  coverage,
  crpsOfQuantiles,
  crpsOfSamples,
  energyScore,
  intervalQuantiles,
  intervalWidth,
  meanEnergyScore,
  msis,
  pinballLoss,
  pitHistogram,
  quantileCrps,
  sampleCrps,
  winkler,
  winklerScore,
  wql,
} from "./index.ts";

const missing = Number.NaN;

/** CRPS of a normal forecast: σ (z (2 Φ(z) − 1) + 2 φ(z) − 1/√π), with z = (y − μ) / σ. */
function normalCrps(mean: number, deviation: number, actual: number): number {
  const z = (actual - mean) / deviation;
  return deviation * (z * (2 * normalCdf(z) - 1) + 2 * normalDensity(z) - 1 / Math.sqrt(Math.PI));
}

/** The midpoints of n intervals of equal probability. */
function evenQuantiles(n: number): number[] {
  return Array.from({ length: n }, (_, i) => (i + 0.5) / n);
}

describe("CRPS", () => {
  const quantiles = evenQuantiles(4000);
  const values = quantiles.map((q) => 3 + 2 * normalQuantile(q));

  test.each([3, 1.5, 6, -4, 12])(
    "of a normal forecast equals its closed form at %d, from quantiles and from samples",
    (actual) => {
      const exact = normalCrps(3, 2, actual);
      expect(crpsOfQuantiles(quantiles, values, actual)).toBeCloseTo(exact, 3);
      expect(crpsOfSamples(values, actual, { fair: false })).toBeCloseTo(exact, 3);
    },
  );

  test("of samples equals the mean over all pairs", () => {
    const stream = RandomStream.fromSeed(5);
    const samples = Array.from({ length: 17 }, () => Math.round(10 * stream.uniform()));
    const n = samples.length;
    const pairs = samples.flatMap((a) => samples.map((b) => Math.abs(a - b))).reduce((a, b) => a + b);
    const distance = samples.reduce((sum, x) => sum + Math.abs(x - 4.2), 0) / n;
    expect(crpsOfSamples(samples, 4.2)).toBeCloseTo(distance - pairs / 2 / (n * (n - 1)), 12);
    expect(crpsOfSamples(samples, 4.2, { fair: false })).toBeCloseTo(distance - pairs / 2 / n ** 2, 12);
  });

  test("has an expectation independent of the number of samples only in its fair form", () => {
    const values = [0, 1, 5];
    const mean = (fair: boolean) =>
      values.flatMap((a) => values.map((b) => crpsOfSamples([a, b], 2, { fair }))).reduce((a, b) => a + b) /
      9;
    const expected = crpsOfSamples(values, 2, { fair: false });
    expect(mean(true)).toBeCloseTo(expected, 12);
    expect(mean(false)).toBeGreaterThan(expected + 0.1);
  });

  test("of a deterministic forecast is the absolute error", () => {
    expect(crpsOfSamples([7], 4, { fair: false })).toBe(3);
    expect(crpsOfQuantiles([0.25, 0.75], [7, 7], 4)).toBeCloseTo(3, 12);
  });

  test("needs at least two samples in the fair form", () => {
    expect(() => crpsOfSamples([1], 0)).toThrow("crpsOfSamples: there must be at least 2 samples, got 1");
  });

  test("is the mean over observed steps", () => {
    const one = forecastCase({
      actual: [1, missing, 3],
      paths: [
        [0, 0, 0],
        [1, 0, 4],
      ],
    });
    const expected = (crpsOfSamples([0, 1], 1) + crpsOfSamples([0, 4], 3)) / 2;
    expect(sampleCrps([one]).value).toBeCloseTo(expected, 12);
    expect(sampleCrps([forecastCase({ actual: [1] })]).value).toBeNull();
    expect(quantileCrps([])([one])).toEqual({ value: null, reason: "the forecasts have no quantiles" });
  });
});

describe("the energy score", () => {
  test("of one step is the fair CRPS, and of two equal steps √2 times that", () => {
    const values = [1, 4, 4, 9];
    const exact = crpsOfSamples(values, 3);
    const score = (steps: number) =>
      energyScore(
        values.map((x) => new Float64Array(steps).fill(x)),
        new Float64Array(steps).fill(3),
      );
    expect(score(1)).toBeCloseTo(exact, 12);
    expect(score(2)).toBeCloseTo(Math.SQRT2 * exact, 12);
  });

  test("of several steps uses Euclidean distances over the observed steps", () => {
    const paths = [
      [0, 50, 0],
      [3, 60, 4],
    ];
    const one = forecastCase({ actual: [0, missing, 0], paths });
    expect(meanEnergyScore([one]).value).toBeCloseTo(5 / 2 - 5 / 2, 12);
    expect(meanEnergyScore([forecastCase({ actual: [0, 50, 0], paths })]).value).toBeCloseTo(0, 12);
    expect(
      meanEnergyScore([
        forecastCase({
          actual: [3, 0],
          paths: [
            [0, 0],
            [0, 4],
          ],
        }),
      ]).value,
    ).toBeCloseTo(4 - 2, 12);
  });

  test("tells right margins with wrong correlations from right ones", () => {
    const same = [
      [1, 1],
      [-1, -1],
    ].map((path) => Float64Array.from(path));
    const opposite = [
      [1, -1],
      [-1, 1],
    ].map((path) => Float64Array.from(path));
    const mean = (paths: Float64Array[]) =>
      (energyScore(paths, Float64Array.of(1, 1)) + energyScore(paths, Float64Array.of(-1, -1))) / 2;
    expect(mean(same)).toBeLessThan(mean(opposite) - 0.1);
  });

  test("is null without paths", () => {
    const { value, reason } = meanEnergyScore([forecastCase({ actual: [1] })]);
    expect([value, reason]).toEqual([null, "the forecaster samples fewer than two paths"]);
  });
});

describe("the quantile loss", () => {
  test("has its smallest expectation at the quantile", () => {
    const outcomes = Array.from({ length: 10 }, (_, i) => i);
    const loss = (f: number) => outcomes.reduce((sum, y) => sum + pinballLoss(0.25, f, y), 0);
    const best = outcomes.reduce((a, b) => (loss(b) < loss(a) ? b : a));
    expect(best).toBe(2);
  });

  test("in weighted form is pooled over all forecasts, as in GluonTS", () => {
    const q = [0.1, 0.5, 0.9];
    const cases = [
      forecastCase({
        actual: [4, missing],
        quantiles: [
          [1, 0],
          [3, 0],
          [6, 0],
        ],
      }),
      forecastCase({
        actual: [-2, 10],
        quantiles: [
          [-3, 8],
          [-1, 9],
          [0, 9],
        ],
      }),
    ];
    const term = (q: number, f: number, y: number) => 2 * Math.abs((y - f) * ((y <= f ? 1 : 0) - q));
    const sums = q.map((p, i) =>
      cases
        .flatMap(({ actual, forecast }) =>
          Array.from(actual, (y, t) => (Number.isNaN(y) ? 0 : term(p, forecast.quantiles[i][t], y))),
        )
        .reduce((a, b) => a + b),
    );
    expect(wql(q)(cases).value).toBeCloseTo(sums.reduce((a, b) => a + b / 16, 0) / 3, 12);
    expect(wql(q, [0.5])(cases).value).toBeCloseTo(sums[1] / 16, 12);
  });

  test("is null with a reason if it is undefined", () => {
    const zero = [forecastCase({ actual: [0], quantiles: [[1]] })];
    expect(wql([0.5])(zero)).toEqual({ value: null, reason: "all actual values are zero" });
    expect(wql([0.5], [0.1, 0.5])(zero)).toEqual({
      value: null,
      reason: "the metric needs the quantiles 0.1, 0.5, and the forecasts do not have all of them",
    });
    expect(wql([0.5])([forecastCase({ actual: [1], quantiles: [[missing]] })]).reason).toBe(
      "a forecast is not finite",
    );
  });
});

describe("intervals", () => {
  const q = [0.1, 0.9];
  const one = forecastCase({
    actual: [1, 5, 9, missing],
    quantiles: [
      [0, 5, 2, 0],
      [2, 8, 8, 1],
    ],
    scale: { absolute: 2, squared: 1 },
  });

  test("of a level are bounded by two quantiles", () => {
    expect(intervalQuantiles(80)).toEqual([0.1, 0.9]);
    expect(intervalQuantiles(95)).toEqual([0.025, 0.975]);
    expect(() => intervalQuantiles(100)).toThrow(
      "intervalQuantiles: a level must be between 0 and 100 percent, got 100",
    );
  });

  test("have coverage with bounds included, a width, and a penalty for values outside", () => {
    expect(coverage(q, 80)([one]).value).toBeCloseTo(2 / 3, 12);
    expect(intervalWidth(q, 80)([one]).value).toBeCloseTo(11 / 3, 12);
    expect(winkler(q, 80)([one]).value).toBeCloseTo((11 + 10) / 3, 10);
    expect(msis(q, 80)([one]).value).toBeCloseTo(21 / 3 / 2, 10);
    expect(winklerScore(50, 0, 1, -2)).toBe(1 + 4 * 2);
  });

  test("that are missing or not finite have no value", () => {
    for (const metric of [coverage, intervalWidth, winkler, msis]) {
      const reason = "the metric needs the quantiles 0.025, 0.975, and the forecasts do not have all of them";
      expect(metric(q, 95)([one])).toEqual({ value: null, reason });
      expect(metric(q, 80)([forecastCase({ actual: [1], quantiles: [[missing], [1]] })])).toEqual({
        value: null,
        reason: "a forecast is not finite",
      });
    }
  });
});

describe("the PIT histogram", () => {
  const stream = RandomStream.fromSeed(2);
  const outcomes = Array.from({ length: 3000 }, () => normalQuantile(0.0001 + 0.9998 * stream.uniform()));
  const q = evenQuantiles(20);
  const units = q.map(normalQuantile);
  const histogram = (deviation: number) =>
    pitHistogram(
      outcomes.map((y) => forecastCase({ actual: [y], quantiles: units.map((z) => [deviation * z]) })),
      q,
      4,
    )!;

  test("is flat for calibrated quantiles, high at the ends for narrow ones, low for wide ones", () => {
    for (const share of histogram(1)) expect(share).toBeCloseTo(0.25, 1.5);
    expect(histogram(0.5)[0]).toBeGreaterThan(0.32);
    expect(histogram(2)[0]).toBeLessThan(0.15);
    expect(histogram(2).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  });

  test("of paths is exactly flat if every rank of the actual value is equally frequent", () => {
    const paths = [[1], [2], [3]];
    const cases = [0.5, 1.5, 2.5, 3.5].map((y) => forecastCase({ actual: [y], paths }));
    expect(Array.from(pitHistogram(cases, [], 4)!)).toEqual([0.25, 0.25, 0.25, 0.25]);
    // An actual value equal to a sample may lie on either side of it.
    expect(Array.from(pitHistogram([forecastCase({ actual: [2], paths })], [], 4)!)).toEqual([
      0, 0.5, 0.5, 0,
    ]);
  });

  test("distributes mass uniformly between quantiles, and skips missing values", () => {
    const between = forecastCase({
      actual: [5, missing],
      quantiles: [
        [0, 0],
        [5, 5],
        [9, 9],
      ],
    });
    expect(Array.from(pitHistogram([between], [0.25, 0.5, 0.75], 4)!)).toEqual([0, 0.5, 0.5, 0]);
    expect(pitHistogram([forecastCase({ actual: [missing] })], [0.5])).toBeNull();
    expect(pitHistogram([forecastCase({ actual: [1] })], [])).toBeNull();
  });
});
