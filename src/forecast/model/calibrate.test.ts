import { expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { RandomStream } from "../../engine/index.ts";
import { calibrated, temperaturesOf } from "./calibrate.ts";
import { fitFeatures, readSeries } from "./features.ts";
import { windowShape } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { fitBins, tokensOf } from "./quantiser.ts";
import { completeSettings } from "./settings.ts";
import { nearestSeasons } from "./training-batch.ts";
import { splitWindows } from "./training-windows.ts";
import { windowSizes } from "./windows.ts";

const settings = completeSettings({
  horizon: 3,
  bins: 12,
  width: 4,
  hidden: [4],
  lags: [],
  seasons: 4,
  smoothing: 0,
});
const panel = madePanel({ rows: 200 });
const features = fitFeatures(panel, settings);
const shape = windowShape(settings, features);
const sizes = windowSizes(features, shape);
const series = panel.series.map((one) => readSeries(features, one, 3));
const { validation } = splitWindows(series, { horizon: 3, season: features.season, validation: 0.3 });
const windows = Array.from({ length: validation.count }, (_, i) => validation.at(i));
const stream = RandomStream.fromSeed(4);
const bins = fitBins(
  Float64Array.from({ length: 2000 }, () => 2 * stream.normal()),
  { bins: settings.bins },
);

/** Says the same at every step: a bell around the middle, of which `sharpness` says how narrow it is. */
function bell(sharpness: number) {
  const { layout } = forecastNetwork(settings, shape, sizes, bins);
  const parameters = new Float32Array(layout.size);
  const { offset } = layout.entries.find(({ path }) => path === "path.mlp.layers.1.bias")!;
  const K = tokensOf(bins);
  for (let k = 0; k < K; k++) parameters[offset + k] = -sharpness * (k - (K - 1) / 2) ** 2;
  return { settings, features, shape, bins, parameters };
}

async function temperaturesFor(sharpness: number): Promise<number[]> {
  const model = bell(sharpness);
  const parameters = await calibrated(model, windows, RandomStream.fromSeed(1));
  return [...temperaturesOf({ ...model, parameters })];
}

test("a model that is surer by a factor gets temperatures that are higher by that factor", async () => {
  const [one, surer] = [await temperaturesFor(0.12), await temperaturesFor(0.12 * 1.2)];
  expect(Math.min(...one)).toBeGreaterThan(0.6);
  expect(Math.max(...surer)).toBeLessThan(1.9);
  // It is the same law again, and so the same draws; only how it was found differs.
  one.forEach((temperature, t) => {
    expect(Math.abs(surer[t] / temperature / 1.2 - 1)).toBeLessThan(0.06);
  });
});

test("a model that is far too sure gets the highest temperature, one that says next to nothing the lowest", async () => {
  for (const temperature of await temperaturesFor(2)) expect(temperature).toBeCloseTo(2, 5);
  for (const temperature of await temperaturesFor(0.005)) expect(temperature).toBeCloseTo(0.5, 5);
});

test("what is nearest to what comes is the mean of seasons for noise, the last value for a walk", () => {
  const walks = madePanel({ rows: 200 });
  const walk = walks.series.map((one) => {
    let sum = 0;
    const values = one.targets[0].map((x) => {
      sum += x - 10;
      return sum;
    });
    return readSeries(features, { ...one, targets: [values] }, 3);
  });
  const nearest = (read: typeof series) => {
    const { training } = splitWindows(read, { horizon: 3, season: features.season, validation: 0 });
    return nearestSeasons(features, shape, training, () => RandomStream.fromSeed(2));
  };
  expect(nearest(series)).toBe(4);
  expect(nearest(walk)).toBe(0);
});
