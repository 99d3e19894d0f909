// Irregular times: the model knows the gap before each future step, and regular series have no such input.

import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import type { Panel, Series } from "../types.ts";
import { encodeSeries, fitFeatures, futureTimes } from "./features.ts";
import { tokenModel } from "./forecaster.ts";
import { timeGapNumbers } from "./time-gap-numbers.ts";
import { allocateWindowArrays, windowSizes, writeWindow } from "./window-arrays.ts";

const HOUR = 3_600_000;
/** Gap in hours, and standard deviation of the change over it. */
const SHORT = { hours: 1, spread: 0.1 };
const LONG = { hours: 25, spread: 10 };

/** Random walks whose steps take 1 hour or 25 hours at random. */
function irregularPanel(count: number, rows: number): Panel {
  const stream = RandomStream.fromSeed(3).split("gaps");
  const series = Array.from({ length: count }, (_, i): Series => {
    let [time, value] = [0, 0];
    const path = Array.from({ length: rows }, () => {
      const { hours, spread } = stream.uniform() < 0.5 ? SHORT : LONG;
      time += hours * HOUR;
      value += spread * stream.normal();
      return { time, value };
    });
    return {
      id: `series ${i}`,
      times: Float64Array.from(path, (row) => row.time),
      targets: [Float64Array.from(path, (row) => row.value)],
      covariates: {},
      statics: {},
    };
  });
  return { series, targets: ["y"], covariates: [], frequency: null, season: 1 };
}

/** The panel with future times these hours apart. */
function withFuture(panel: Panel, ...hours: readonly number[]): Panel {
  return {
    ...panel,
    series: panel.series.map((one) => {
      let time = one.times.at(-1)!;
      const times = Float64Array.from(hours, (gap) => {
        time += gap * HOUR;
        return time;
      });
      return { ...one, future: { times, covariates: {} } };
    }),
  };
}

test("intervals follow the known gap of a step: a spread of 0.1 after an hour, of 10 after 25 hours", async () => {
  const panel = irregularPanel(5, 400);
  const forecaster = await tokenModel({
    ...{ horizon: 1, context: 8, bins: 32, width: 8, hidden: [32], lags: [], samples: 400 },
    ...{ batch: 64, iterations: 250, validateEvery: 50, learningRate: 1e-2 },
  }).fit(panel);
  /** Median width of the 80 % intervals, divided by that of the true distribution. */
  const relativeWidth = async ({ hours, spread }: typeof SHORT) => {
    const request = { horizon: 1, quantiles: [0.1, 0.9] };
    const forecasts = await forecaster.predict(withFuture(panel, hours), request);
    const widths = Float64Array.from(forecasts, ({ quantiles: [low, high] }) => high[0] - low[0]).sort();
    return widths[widths.length >> 1] / (2 * 1.2816 * spread);
  };
  const [short, long] = [await relativeWidth(SHORT), await relativeWidth(LONG)];
  await forecaster.dispose();
  // A model that does not see the gap gives both the same width: some 70 times too wide after an hour.
  expect(short).toBeGreaterThan(0.5);
  expect(short).toBeLessThan(4);
  expect(long).toBeGreaterThan(0.6);
  expect(long).toBeLessThan(1.8);
});

test("a step has the log gap before it and the log time since the origin, in median gaps", () => {
  const panel = irregularPanel(1, 50);
  const features = fitFeatures(panel, { horizon: 2 });
  const shape = { context: 4, recent: 1, horizon: 2, scaleRows: 8, drift: false, averagedSeasons: 0 };
  const sizes = windowSizes(features, shape);
  const write = (...hours: readonly number[]) => {
    const arrays = allocateWindowArrays(1, shape, sizes);
    const [series] = withFuture(panel, ...hours).series;
    const encoded = encodeSeries(features, series, 2);
    writeWindow({ features, shape, sizes }, { series: encoded, origin: 50 }, arrays, 0);
    return arrays.futureNumbers;
  };
  const unit = features.medianGap / HOUR;
  const D = sizes.futureChannels;
  const numbers = write(1, 25);
  const logs = (...hours: readonly number[]) => hours.map((gap) => Math.fround(Math.log1p(gap / unit)));
  // There are no covariates, so the two numbers are the last of each step.
  expect([...numbers.subarray(D - 2, D)]).toEqual(logs(1, 1));
  expect([...numbers.subarray(2 * D - 2)]).toEqual(logs(25, 26));
  expect(timeGapNumbers(Float64Array.of(0, 2, 5), 1, 1, 2)).toEqual([Math.log1p(1.5), Math.log1p(2.5)]);
});

test("a panel with one gap has no such inputs, with or without a frequency", () => {
  const irregular = irregularPanel(2, 20);
  const hourly = {
    ...irregular,
    series: irregular.series.map((one) => ({ ...one, times: one.times.map((_, t) => t * HOUR) })),
  };
  const shape = { context: 4, recent: 1, horizon: 2, scaleRows: 8, drift: false, averagedSeasons: 0 };
  const widthOf = (panel: Panel) => windowSizes(fitFeatures(panel, { horizon: 2 }), shape).futureChannels;
  expect(widthOf(irregular) - widthOf(hourly)).toBe(2);
  const frequency = { unit: "hour", count: 1 } as const;
  expect(fitFeatures({ ...hourly, frequency }, { horizon: 2 })).not.toHaveProperty("timeGaps");
});

test("times after the given future ones continue at the median gap", () => {
  const [one] = withFuture(irregularPanel(1, 5), 25).series;
  const last = one.times.at(-1)!;
  expect([...futureTimes(one, null, HOUR, 3)].map((time) => (time - last) / HOUR)).toEqual([25, 26, 27]);
});
