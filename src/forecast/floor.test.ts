// The floor at 0 of forecasts of series that never were negative.

import { expect, test } from "vitest";
import { forecastOf } from "../../test/support/forecast-of.ts";
import { panelOf } from "../../test/support/panels.ts";
import { naive } from "./baselines/index.ts";
import { atLeastZero, withFloor } from "./floor.ts";
import { forecasterByName } from "./forecasters/forecaster-by-name.ts";
import { crps } from "./metrics/index.ts";
import { crpsOfSamples } from "./metrics/sample-scores.ts";

const counts = [3, 0, 5, 1, 0, 4, 0, 0, 2, 0];

test("of counts holds for mean, median and all quantiles, and other values stay as they are", async () => {
  const plain = await forecastOf(naive(), counts);
  const { mean, quantiles } = await forecastOf(withFloor(naive()), counts);
  expect(plain.quantiles[0].every((value) => value < 0)).toBe(true);
  expect(quantiles[0]).toEqual([0, 0, 0]);
  expect([mean, quantiles[1], quantiles[2]]).toEqual([plain.mean, plain.quantiles[1], plain.quantiles[2]]);
});

test("is not set for a series with a value below 0, also beside one without", async () => {
  const panel = panelOf({ counts, changes: [1, -2, 3, 0] });
  const request = { horizon: 2, quantiles: [0.1] };
  const [first, second] = await (await withFloor(naive()).fit(panel)).predict(panel, request);
  expect(first.quantiles[0][0]).toBe(0);
  expect(first.distribution?.floor).toBe(0);
  expect(second.quantiles[0][0]).toBeLessThan(0);
  expect(second.distribution?.floor).toBeUndefined();
});

test("moves the values of paths below 0, and the mean with them", () => {
  const paths = [Float64Array.of(-2, 1), Float64Array.of(4, 3)];
  const mean = Float64Array.of(1, 2);
  const moved = atLeastZero({ id: "a", target: "y", mean, quantiles: [Float64Array.of(-2, 1)], paths });
  expect(moved.paths?.map((path) => [...path])).toEqual([
    [0, 1],
    [4, 3],
  ]);
  expect([...moved.mean]).toEqual([2, 2]);
  expect([...moved.quantiles[0]]).toEqual([0, 1]);
  // CRPS is that of the moved paths.
  const actual = Float64Array.of(0, 2);
  const scale = { absolute: 1, squared: 1 };
  const score = crps([0.5], [0.5])([{ id: "a", target: "y", actual, scale, forecast: moved }]);
  expect(score.value).toBeCloseTo((crpsOfSamples([0, 4], 0) + crpsOfSamples([1, 3], 2)) / 2, 12);
});

test("changes nothing, to the bit, if no path is below 0", () => {
  const paths = [Float64Array.of(0.1), Float64Array.of(0.2), Float64Array.of(0.3)];
  // Not the sum in this order divided by three.
  const mean = Float64Array.of(0.2);
  const same = atLeastZero({ id: "a", target: "y", mean, quantiles: [], paths });
  expect(same.mean).toBe(mean);
  expect(same.paths).toEqual(paths);
});

test("is the default of forecasters by name, and can be left out", async () => {
  const low = async (floor?: "auto" | "none") =>
    (await forecastOf(forecasterByName({ name: "naive" }, { horizon: 3, floor }), counts)).quantiles[0][0];
  expect(await low()).toBe(0);
  expect(await low("none")).toBeLessThan(0);
});
