// Doubles the bins of a trained model without changing its predictive distribution: each bin is cut in two, and both
// halves inherit the parameters of the bin. Training can then continue with finer bins.

import { forecastNetwork } from "./forecast-network.ts";
import { splitBins, splitLogits, tokenCount } from "./quantiser.ts";
import { windowSizes } from "./window-arrays.ts";
import type { ModelWithoutReport } from "./window-sampler.ts";

/** The predictive distribution stays exactly the same without smoothing; smoothing is uniform over the new tokens. */
export function doubleBins<Model extends ModelWithoutReport>(model: Model): Model {
  const { settings, features, shape } = model;
  const sizes = windowSizes(features, shape);
  const bins = splitBins(model.bins);
  const [K, newK] = [tokenCount(model.bins), tokenCount(bins)];
  const oldLayout = forecastNetwork(settings, shape, sizes, model.bins).layout;
  const newLayout = forecastNetwork(settings, shape, sizes, bins).layout;
  const lastLayer = settings.hidden.length;
  const parameters = new Float32Array(newLayout.size);
  oldLayout.entries.forEach(({ path, offset, size }, i) => {
    const old = model.parameters.subarray(offset, offset + size);
    parameters.set(expand(path, old), newLayout.entries[i].offset);
  });
  return { ...model, settings: { ...settings, bins: bins.edges.length - 1 }, bins, parameters };

  /** Expands the parameters that have one entry per token. All others stay the same. */
  function expand(path: string, old: Float32Array): Float32Array {
    if (path === `path.mlp.layers.${lastLayer}.bias`) return Float32Array.from(splitLogits(old)); // [newK]
    if (path === "base") return Float32Array.from(splitLogits(old)); // [newK]
    if (path === `path.mlp.layers.${lastLayer}.weight`) return expandColumns(old); // [hidden, newK]
    if (path === "path.tokens") return expandRows(old); // [newK, E]
    if (path === "path.table") return expandColumns(expandRows(old)); // [newK, newK]
    return old;
  }

  function expandColumns(old: Float32Array): Float32Array {
    const rows = old.length / K;
    return Float32Array.from({ length: rows * newK }, (_, i) => {
      const [row, token] = [Math.floor(i / newK), i % newK];
      return old[row * K + parentToken(token)];
    });
  }

  function expandRows(old: Float32Array): Float32Array {
    const width = old.length / K;
    return Float32Array.from(
      { length: newK * width },
      (_, i) => old[parentToken(Math.floor(i / width)) * width + (i % width)],
    );
  }

  /** The old token whose bin contains the bin of this new token. The bins of the two tails are not split. */
  function parentToken(token: number): number {
    return Math.ceil(token / 2);
  }
}
