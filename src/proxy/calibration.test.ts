// Calibrated intervals: quantiles of known errors, and the errors that a proxy makes on strings it did not see.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { mean } from "../math/statistics.ts";
import { calibrate, type JudgedPrediction, predictiveMoments, unseenError } from "./calibration.ts";

const predictions = (errors: readonly number[], deviation = 1) =>
  errors.map((error) => ({ mean: 5, deviation, score: 5 + error * deviation }));

/** A round whose intervals held 80 % of the scores, so that nothing adapts to it. */
const round = (errors: readonly number[], deviation = 1) =>
  predictions(errors, deviation).map((each, i) => ({ ...each, isInside: i % 5 < 4 }));

test("half the width is the quantile of standardised errors that holds 80 % of them", () => {
  const errors = Array.from({ length: 10_000 }, (_, i) => i / 5000 - 1); // −1 to 1
  const { halfWidth, factor } = calibrate([round(errors, 3)], []);
  // The latest 200 errors, .96 to 1, and sixteen normal ones, of which four are larger and twelve smaller.
  expect(halfWidth).toBeGreaterThan(0.96);
  expect(halfWidth).toBeLessThan(1);
  expect(factor).toBeCloseTo(halfWidth / 1.2816, 8);
});

test("without any errors the interval is nearly that of the normal distribution", () => {
  const { halfWidth } = calibrate([], []);
  expect(halfWidth).toBeGreaterThan(1.1);
  expect(halfWidth).toBeLessThan(1.35);
});

test("unseen strings with the highest predictions decide until there are enough proposals", () => {
  const unseen = Array.from({ length: 400 }, (_, i) => ({
    mean: i,
    deviation: 1,
    score: i < 300 ? i - 9 : i + 7,
  }));
  expect(calibrate([], unseen).halfWidth).toBeCloseTo(7, 6);
  const one = calibrate([round([50])], unseen).halfWidth; // held, so that the factor is smaller than 1
  expect(one).toBeCloseTo(7 * Math.exp((2 * (0.8 - 1)) / 17), 6);
  const many = round(Array.from({ length: 160 }, () => 50));
  expect(calibrate([many], unseen).halfWidth).toBeCloseTo(50, 6);
});

test("intervals hold 80 % over the rounds although all errors of a round share one offset", () => {
  const stream = RandomStream.fromSeed(1);
  const rounds: JudgedPrediction[][] = [];
  for (let i = 0; i < 40; i++) {
    const { halfWidth } = calibrate(rounds, []);
    const offset = 1.5 * stream.normal();
    const errors = Array.from({ length: 96 }, () => offset + stream.normal());
    rounds.push(
      predictions(errors).map((each, j) => ({ ...each, isInside: Math.abs(errors[j]) <= halfWidth })),
    );
  }
  const shares = rounds.map((each) => mean(each.map(({ isInside }) => Number(isInside))));
  expect(mean(shares)).toBeGreaterThan(0.76);
  expect(mean(shares)).toBeLessThan(0.84);
  expect(Math.min(...shares)).toBeLessThan(0.5); // single rounds may hold few
});

test("intervals become neither endlessly wide nor endlessly narrow", () => {
  const errors = Array.from({ length: 200 }, () => 1);
  const judged = (isInside: boolean) =>
    Array.from({ length: 50 }, () => predictions(errors).map((each) => ({ ...each, isInside })));
  expect(calibrate(judged(true), []).halfWidth).toBeCloseTo(1 / 4, 6);
  expect(calibrate(judged(false), []).halfWidth).toBeCloseTo(4, 6);
});

test("the deviation has the disagreement of the members and the error of all", () => {
  const moments = predictiveMoments([Float64Array.of(1), Float64Array.of(3)], 7);
  expect([moments.mean[0], moments.deviation[0]]).toEqual([2, 3]);
});

test("one extreme error does not hide the size of the others", () => {
  const scores = [...Array.from({ length: 99 }, (_, i) => (i % 2 ? 1 : -1)), 1e6];
  expect(unseenError({ outOfFold: new Float64Array(100) }, { scores })).toBeCloseTo((99 + 100) / 100, 9);
});

test("a perfect proxy is as certain as rounding allows", () => {
  const scores = [0, 2, 0, 2];
  const error = unseenError({ outOfFold: Float64Array.from(scores) }, { scores });
  expect(error).toBeCloseTo(1e-12, 20);
  const exact = [0, 1, 2].map((score) => ({
    mean: score,
    deviation: Math.sqrt(error),
    score: score + 1e-16,
  }));
  expect(calibrate([], exact).halfWidth * Math.sqrt(error)).toBeLessThan(2e-6);
});
