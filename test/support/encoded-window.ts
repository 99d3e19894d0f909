// The window after the last row of each series, as inputs of a forecasting network.

import { encodeSeries } from "../../src/forecast/model/features.ts";
import { forecastNetwork, networkInputs } from "../../src/forecast/model/forecast-network.ts";
import type { ForecastModel } from "../../src/forecast/model/train.ts";
import { allocateWindowArrays, windowSizes, writeWindow } from "../../src/forecast/model/window-arrays.ts";
import type { Series } from "../../src/forecast/types.ts";
import type { HostInput } from "./gradients.ts";

/**
 * `arrays` are the inputs of the encoder. `inputs` are the same arrays as inputs of `evaluate`, with the parameters
 * under the name `flat`.
 */
export function encodedWindow(
  { features, shape, settings, bins, parameters }: ForecastModel,
  series: readonly Series[],
) {
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const all = allocateWindowArrays(series.length, shape, sizes);
  const locationScales = series.map((one, index) => {
    const encoded = encodeSeries(features, one, shape.horizon);
    return writeWindow({ features, shape, sizes }, { series: encoded, origin: encoded.rows }, all, index);
  });
  const specs = Object.entries(network.inputSpecs(series.length));
  const arrays = networkInputs(network, all, series.length);
  const inputs: Record<string, HostInput> = {
    ...Object.fromEntries(
      specs.map(([name, { shape, dtype }]) => [name, { shape, dtype, data: arrays[name] }]),
    ),
    flat: { shape: [network.layout.size], data: parameters },
  };
  return { network, locationScales, arrays, inputs };
}
