// Batches of windows with their true values, as inputs of the training programs.

import type { TypedArray } from "../../engine/index.ts";
import { type ForecastNetwork, networkInputs } from "./forecast-network.ts";
import { standardise } from "./location-scale.ts";
import { type Bins, tokenOf } from "./quantiser.ts";
import {
  allocateWindowArrays,
  type WindowEncoding,
  type WindowPosition,
  writeWindow,
} from "./window-arrays.ts";

type HostBatch = Readonly<Record<string, TypedArray>>;
/** Returns the same arrays at every call, with new contents. */
export type BatchWriter = (windows: readonly WindowPosition[]) => HostBatch;

/** Writes up to `batch` windows. The remaining rows of a smaller batch have weight 0. */
export function batchWriter(
  encoding: WindowEncoding,
  bins: Bins,
  batch: number,
  network: ForecastNetwork,
): BatchWriter {
  const P = encoding.sizes.steps;
  const M = encoding.features.targets.length;
  const arrays = allocateWindowArrays(batch, encoding.shape, encoding.sizes);
  const tokens = new Int32Array(batch * P);
  const weights = new Float32Array(batch * P);
  const standardised = new Float32Array(batch * P);
  const inputs = {
    ...networkInputs(network, arrays, batch),
    tokens,
    weights,
    ...(network.pointForecast && { standardised }),
  };
  return (windows) => {
    weights.fill(0);
    windows.forEach((window, index) => {
      const { series, origin } = window;
      const locationScales = writeWindow(encoding, window, arrays, index);
      for (let step = 0; step < P; step++) {
        const [h, j] = [Math.floor(step / M), step % M];
        const row = origin + h;
        const x = row < series.rows ? standardise(locationScales[j], h, series.targets[j][row]) : Number.NaN;
        const at = index * P + step;
        const isObserved = Number.isFinite(x);
        tokens[at] = isObserved ? tokenOf(bins, x) : MISSING_TOKEN;
        weights[at] = isObserved ? 1 : 0;
        standardised[at] = isObserved ? Math.max(-POINT_LIMIT, Math.min(POINT_LIMIT, x)) : 0;
      }
    });
    return inputs;
  };
}

/** Token of a missing value. Its one-hot encoding is a row of zeros. */
const MISSING_TOKEN = -1;
/** Absolute values are clipped to this number for the point loss, so that an outlier does not dominate it. */
const POINT_LIMIT = 20;
