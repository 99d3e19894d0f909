// Calibrated intervals: quantiles of known errors, and the errors that a proxy makes on strings it did not see.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { calibrate, predictiveMoments, unseenError } from "./calibration.ts";

const predictions = (errors: readonly number[], deviation = 1) =>
  errors.map((error) => ({ mean: 5, deviation, score: 5 + error * deviation }));

test("the ends are the quantiles of standardised errors: 10 % below, 10 % above", () => {
  const errors = Array.from({ length: 101 }, (_, i) => i / 50 - 1); // −1 to 1 in steps of 1/50
  const { low, high, factor } = calibrate(predictions(errors, 3), []);
  expect(low).toBeCloseTo(-0.8, 6);
  expect(high).toBeCloseTo(0.8, 6);
  expect(factor).toBeCloseTo(0.8 / 1.2816, 9);
});

test("a proxy that is too optimistic gets intervals below its mean", () => {
  const stream = RandomStream.fromSeed(1);
  const { low, high } = calibrate(predictions(Array.from({ length: 100 }, () => -2 + stream.uniform())), []);
  expect(high).toBeLessThan(-1);
  expect(low).toBeGreaterThan(-2);
});

test("unseen strings decide until there are enough proposals", () => {
  const unseen = predictions(Array.from({ length: 100 }, (_, i) => i / 100));
  const few = calibrate(predictions([50]), unseen);
  expect(few.high).toBeLessThan(1);
  const many = calibrate(predictions(Array.from({ length: 16 }, () => 50)), unseen);
  expect(many.low).toBeCloseTo(50, 6);
  expect(many.high).toBeCloseTo(50, 6);
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
  expect(calibrate(exact, exact).high).toBeLessThan(1e-8);
});
