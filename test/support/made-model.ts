// A forecasting model for tests of all that comes after training.

import { RandomStream } from "../../src/engine/index.ts";
import { fitFeatures } from "../../src/forecast/model/features.ts";
import { type ForecastModel, windowShape } from "../../src/forecast/model/likelihood.ts";
import { forecastNetwork } from "../../src/forecast/model/network.ts";
import { fitBins } from "../../src/forecast/model/quantiser.ts";
import { completeSettings, type ForecastSettings } from "../../src/forecast/model/settings.ts";
import { windowSizes } from "../../src/forecast/model/windows.ts";
import type { Panel } from "../../src/forecast/types.ts";

/** A model that has learned nothing: its parameters are drawn at random. */
export function madeModel(panel: Panel, given: ForecastSettings): ForecastModel {
  const settings = completeSettings(given);
  const features = fitFeatures(panel, settings);
  const shape = windowShape(settings, features);
  const stream = RandomStream.fromSeed(9);
  const numbers = Float64Array.from({ length: 1000 }, () => 1.5 * stream.normal());
  const bins = fitBins(numbers, { bins: settings.bins });
  const { layout } = forecastNetwork(settings, shape, windowSizes(features, shape), bins);
  const parameters = Float32Array.from({ length: layout.size }, () => 0.5 * stream.normal());
  const trained = {
    iterations: 0,
    best: 0,
    validation: null,
    tailShare: 0.01,
    windows: 0,
    windowsPerSecond: 0,
    dataChecksum: 0,
  };
  return { settings, features, shape, bins, parameters, trained };
}
