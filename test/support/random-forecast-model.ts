// A forecasting model with random parameters, for tests that need no training.

import { RandomStream } from "../../src/engine/index.ts";
import { fitFeatures } from "../../src/forecast/model/features.ts";
import { forecastNetwork } from "../../src/forecast/model/forecast-network.ts";
import { fitBins } from "../../src/forecast/model/quantiser.ts";
import { completeForecastSettings, type ForecastSettings } from "../../src/forecast/model/settings.ts";
import { type ForecastModel, windowShape } from "../../src/forecast/model/train.ts";
import { windowSizes } from "../../src/forecast/model/window-arrays.ts";
import type { Panel } from "../../src/forecast/types.ts";

export function randomForecastModel(panel: Panel, input: ForecastSettings): ForecastModel {
  const settings = completeForecastSettings(input);
  const features = fitFeatures(panel, settings);
  const shape = windowShape(settings, features);
  const stream = RandomStream.fromSeed(9);
  const values = Float64Array.from({ length: 1000 }, () => 1.5 * stream.normal());
  const bins = fitBins(values, { bins: settings.bins });
  const { layout } = forecastNetwork(settings, shape, windowSizes(features, shape), bins);
  const parameters = Float32Array.from({ length: layout.size }, () => 0.5 * stream.normal());
  const trained = {
    iterations: 0,
    bestIteration: 0,
    validationLoss: null,
    tailShare: 0.01,
    trainingWindows: 0,
    windowsPerSecond: 0,
    dataChecksum: 0,
  };
  return { settings, features, shape, bins, parameters, trained };
}
