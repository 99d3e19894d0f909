// CRPS in closed form against numerical integration of its definition, and its independence of the levels of a backtest.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../test/support/panels.ts";
import { RandomStream } from "../engine/index.ts";
import { quantileOfSorted } from "../math/statistics.ts";
import { studentTCrps, studentTQuantile } from "../math/student-t.ts";
import { type BacktestOptions, runBacktest } from "./backtest/backtest.ts";
import { naive, seasonalNaive } from "./baselines/index.ts";
import { crpsOfStep, quantileOfSteps } from "./step-distribution.ts";
import type { Forecaster, StepDistribution } from "./types.ts";

/** 2 ∫ pinball_q(Q(q), y) dq by the midpoint rule in t, with q = t² (3 − 2 t), which resolves both tails. */
function integratedCrps(quantile: (q: number) => number, actual: number): number {
  const n = 5_000;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const t = (i + 0.5) / n;
    const q = t * t * (3 - 2 * t);
    const error = actual - quantile(q);
    sum += (2 * error * (error >= 0 ? q : q - 1) * 6 * t * (1 - t)) / n;
  }
  return sum;
}

describe("CRPS in closed form equals the integral of its definition", () => {
  test.each([2, 3, 4, 7, 29, 30, Number.POSITIVE_INFINITY])(
    "for Student's t with %d degrees of freedom",
    (freedom) => {
      for (const actual of [0, -0.4, 2.5]) {
        const integral = integratedCrps((q) => studentTQuantile(q, freedom), actual);
        expect(studentTCrps(actual, freedom) / integral).toBeCloseTo(1, freedom === 2 ? 3 : 5);
      }
    },
  );

  test("for the normal distribution: σ (z (2 Φ(z) − 1) + 2 φ(z) − 1/√π), at z = 0 and far away", () => {
    const [location, scale] = [Float64Array.of(3), Float64Array.of(2)];
    const normal: StepDistribution = { kind: "student-t", location, scale, degreesOfFreedom: 100 };
    expect(crpsOfStep(normal, 0, 3)).toBeCloseTo((2 * (Math.SQRT2 - 1)) / Math.sqrt(Math.PI), 12);
    expect(crpsOfStep(normal, 0, 203)).toBeCloseTo(200 - 2 / Math.sqrt(Math.PI), 12);
  });

  test("for values with a linear quantile function between them, inside, between and outside", () => {
    const sorted = Float64Array.of(-3, -1, -1, 0.5, 4);
    const [location, scale] = [Float64Array.of(0, 10), Float64Array.of(1, 2)];
    const distribution: StepDistribution = { kind: "interpolated", location, scale, sorted };
    for (const actual of [-5, -3, -1, 0.1, 3.9, 6]) {
      const integral = integratedCrps((q) => quantileOfSorted(sorted, q), actual);
      expect(crpsOfStep(distribution, 0, actual)).toBeCloseTo(integral, 6);
      expect(crpsOfStep(distribution, 1, 10 + 2 * actual)).toBeCloseTo(2 * integral, 6);
    }
    expect([...quantileOfSteps(distribution, 0.25)]).toEqual([-1, 8]);
  });

  test.each([2, 5, 29, 100])(
    "with a floor, for Student's t with %d degrees of freedom",
    (degreesOfFreedom) => {
      const [location, scale] = [Float64Array.of(1), Float64Array.of(2)];
      for (const floor of [-4, 0, 1, 3]) {
        const distribution: StepDistribution = {
          kind: "student-t",
          location,
          scale,
          degreesOfFreedom,
          floor,
        };
        for (const actual of [-1, 0, 0.5, 6]) {
          const quantile = (q: number) => Math.max(floor, 1 + 2 * studentTQuantile(q, degreesOfFreedom));
          const integral = integratedCrps(quantile, actual);
          expect(crpsOfStep(distribution, 0, actual) / integral).toBeCloseTo(
            1,
            degreesOfFreedom === 2 ? 2 : 4,
          );
        }
        expect(quantileOfSteps(distribution, 0.001)[0]).toBeGreaterThanOrEqual(floor);
      }
    },
  );

  test("with a floor, for values with a linear quantile function between them", () => {
    const sorted = Float64Array.of(-3, -1, -1, 0.5, 4);
    const [location, scale] = [Float64Array.of(1), Float64Array.of(2)];
    for (const floor of [-7, -2, 0, 1.5, 20]) {
      const distribution: StepDistribution = { kind: "interpolated", location, scale, sorted, floor };
      for (const actual of [-8, 0, 1, 8, 30]) {
        const integral = integratedCrps((q) => Math.max(floor, 1 + 2 * quantileOfSorted(sorted, q)), actual);
        expect(crpsOfStep(distribution, 0, actual)).toBeCloseTo(integral, 5);
      }
    }
  });

  test("with a floor and without a spread is the distance from the floor or the value", () => {
    const [location, scale] = [Float64Array.of(-3, 2), new Float64Array(2)];
    const point: StepDistribution = { kind: "student-t", location, scale, degreesOfFreedom: 5, floor: 0 };
    expect([0, 1].map((step) => crpsOfStep(point, step, 5))).toEqual([5, 3]);
    expect(crpsOfStep(point, 0, -1)).toBe(1);
  });

  test("and is the absolute error without a spread, and infinite without a mean", () => {
    const [location, scale] = [Float64Array.of(3, 3), Float64Array.of(0, 1)];
    const cauchy: StepDistribution = { kind: "student-t", location, scale, degreesOfFreedom: 1 };
    expect(crpsOfStep(cauchy, 0, 5)).toBe(2);
    expect(crpsOfStep(cauchy, 1, 5)).toBe(Number.POSITIVE_INFINITY);
    const point: StepDistribution = { kind: "interpolated", location, scale, sorted: Float64Array.of(0) };
    expect(crpsOfStep(point, 1, 5)).toBe(2);
  });
});

describe("the CRPS of a backtest", () => {
  const stream = RandomStream.fromSeed(4);
  const values = Array.from({ length: 60 }, () => stream.normal());
  const backtestCrps = async (levels: readonly number[], options: Partial<BacktestOptions> = {}) => {
    const panel = panelOf({ a: values }, 1);
    const forecasters = [seasonalNaive(), seasonalNaive({ predictiveDistribution: "empirical" })].map(
      (one, i) => ({ ...one, name: `${one.name}${i || ""}` }),
    );
    const { models } = await runBacktest({ panel, forecasters, horizon: 2, windows: 3, levels, ...options });
    return models.map(({ metrics }) => metrics.overall.CRPS.value!);
  };

  test("does not depend on the levels, and equals the mean of the closed form over steps and windows", async () => {
    const [gaussian, empirical] = await backtestCrps([80]);
    expect(await backtestCrps([])).toEqual([gaussian, empirical]);
    expect(await backtestCrps([10, 50, 99])).toEqual([gaussian, empirical]);
    let expected = 0;
    for (const cut of [54, 56, 58]) {
      const changes = values.slice(1, cut).map((value, t) => value - values[t]);
      const deviation = Math.sqrt(changes.reduce((sum, e) => sum + e * e, 0) / changes.length);
      for (const h of [1, 2]) {
        const scale = deviation * Math.sqrt(h);
        const z = (values[cut + h - 1] - values[cut - 1]) / scale;
        expected += (scale * studentTCrps(z, 100)) / 6;
      }
    }
    expect(gaussian).toBeCloseTo(expected, 12);
  });

  test("does not depend on the levels if a forecaster gives quantiles only", async () => {
    const inner = naive();
    const onlyQuantiles: Forecaster = {
      name: "Quantiles",
      async fit(...given) {
        const fitted = await inner.fit(...given);
        return {
          predict: async (...inputs) =>
            (await fitted.predict(...inputs)).map(({ distribution: _, ...forecast }) => forecast),
        };
      },
    };
    const [few] = await backtestCrps([80], { forecasters: [onlyQuantiles] });
    const [many] = await backtestCrps([80, 95, 99], { forecasters: [onlyQuantiles] });
    expect(many).toBe(few);
  });

  test("is null with the reason if a spread is estimated from a single error", async () => {
    const panel = panelOf({ a: [1, 2, 4] }, 1);
    const { models } = await runBacktest({ panel, forecasters: [naive()], horizon: 1 });
    expect(models[0].metrics.overall.CRPS).toEqual({
      value: null,
      reason: "a spread estimated from a single error gives a distribution without a mean",
    });
  });
});
