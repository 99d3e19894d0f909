import { expect, test } from "vitest";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { RandomStream } from "../../engine/index.ts";
import { encodeSeries, fitFeatures } from "./features.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { fitBins, tokenCount } from "./quantiser.ts";
import { completeForecastSettings } from "./settings.ts";
import { calibrateTemperatures, temperaturesOf } from "./temperature-calibration.ts";
import { windowShape } from "./train.ts";
import { windowSizes } from "./window-arrays.ts";
import { splitWindows } from "./window-split.ts";

const settings = completeForecastSettings({
  horizon: 3,
  bins: 12,
  width: 4,
  hidden: [4],
  lags: [],
  averagedSeasons: 4,
  smoothing: 0,
});
const panel = syntheticPanel({ rows: 200 });
const features = fitFeatures(panel, settings);
const shape = windowShape(settings, features);
const sizes = windowSizes(features, shape);
const series = panel.series.map((one) => encodeSeries(features, one, 3));
const { validation } = splitWindows(series, { horizon: 3, season: features.season, validationShare: 0.3 });
const windows = Array.from({ length: validation.count }, (_, i) => validation.at(i));
const stream = RandomStream.fromSeed(4);
const bins = fitBins(
  Float64Array.from({ length: 2000 }, () => 2 * stream.normal()),
  { bins: settings.bins },
);

/** A model that predicts the same bell-shaped distribution at every step; `sharpness` makes it narrower. */
function bellModel(sharpness: number) {
  const { layout } = forecastNetwork(settings, shape, sizes, bins);
  const parameters = new Float32Array(layout.size);
  const { offset } = layout.entries.find(({ path }) => path === "path.mlp.layers.1.bias")!;
  const K = tokenCount(bins);
  for (let k = 0; k < K; k++) parameters[offset + k] = -sharpness * (k - (K - 1) / 2) ** 2;
  return { settings, features, shape, bins, parameters };
}

async function temperaturesFor(sharpness: number): Promise<number[]> {
  const model = bellModel(sharpness);
  const parameters = await calibrateTemperatures(model, windows, RandomStream.fromSeed(1));
  return [...temperaturesOf({ ...model, parameters })];
}

test("logits that are larger by a factor get temperatures that are higher by that factor", async () => {
  const [temperatures, sharper] = [await temperaturesFor(0.12), await temperaturesFor(0.12 * 1.2)];
  expect(Math.min(...temperatures)).toBeGreaterThan(0.6);
  expect(Math.max(...sharper)).toBeLessThan(1.9);
  // Both calibrated distributions should be equal; they differ slightly, because the calibration stops after a few
  // rounds.
  temperatures.forEach((temperature, t) => {
    expect(Math.abs(sharper[t] / temperature / 1.2 - 1)).toBeLessThan(0.06);
  });
});

test("a distribution that is much too narrow gets the highest temperature, one that is much too wide the lowest", async () => {
  for (const temperature of await temperaturesFor(2)) expect(temperature).toBeCloseTo(2, 5);
  for (const temperature of await temperaturesFor(0.005)) expect(temperature).toBeCloseTo(0.5, 5);
});
