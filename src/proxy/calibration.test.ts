// Calibrated intervals: quantiles of known errors, and the errors that a proxy makes on strings it did not see.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { calibrate, predictiveMoments, unseenError } from "./calibration.ts";

const predictions = (errors: readonly number[], deviation = 1) =>
  errors.map((error) => ({ mean: 5, deviation, score: 5 + error * deviation }));

test("the ends are the quantiles of standardised errors: 10 % below, 10 % above", () => {
  const errors = Array.from({ length: 10_001 }, (_, i) => i / 5000 - 1); // −1 to 1
  const { low, high, factor } = calibrate(predictions(errors, 3).slice(-200), []);
  // The latest 200 errors, 0.96 to 1, and sixteen normal ones, of which three are larger and thirteen smaller.
  expect(low).toBeGreaterThan(0.96);
  expect(high).toBeLessThan(1);
  expect(factor).toBeCloseTo((high - low) / 2 / 1.2816, 8);
});

test("without any errors the interval is nearly that of the normal distribution", () => {
  const { low, high } = calibrate([], []);
  expect(high).toBeGreaterThan(1.1);
  expect(high).toBeLessThan(1.29);
  expect(low).toBeCloseTo(-high, 6);
});

test("a proxy that is too optimistic gets intervals below its mean", () => {
  const stream = RandomStream.fromSeed(1);
  const errors = Array.from({ length: 200 }, () => -2 + stream.uniform());
  const { low, high } = calibrate(predictions(errors), []);
  expect(high).toBeLessThan(-1);
  expect(low).toBeGreaterThan(-2);
});

test("unseen strings with the highest predictions decide until there are enough proposals", () => {
  const unseen = Array.from({ length: 400 }, (_, i) => ({
    mean: i,
    deviation: 1,
    score: i < 300 ? i - 9 : i + 7,
  }));
  expect(calibrate([], unseen).high).toBeCloseTo(7, 6);
  expect(calibrate(predictions([50]), unseen).high).toBeCloseTo(7, 6);
  const many = calibrate(predictions(Array.from({ length: 160 }, () => 50)), unseen);
  expect([many.low, many.high]).toEqual([expect.closeTo(50, 6), expect.closeTo(50, 6)]);
});

test("the deviation has the disagreement of the members and the error of all", () => {
  const { mean, deviation } = predictiveMoments([Float64Array.of(1), Float64Array.of(3)], 7);
  expect([mean[0], deviation[0]]).toEqual([2, 3]);
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
  expect(calibrate(exact, exact).high * Math.sqrt(error)).toBeLessThan(2e-6);
});
