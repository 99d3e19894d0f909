// A trained model with twice the bins that says the same: each bin is cut in two, and both halves inherit what the
// network says of the whole. Training may then go on at the finer grain.

import type { DrawnModel } from "./draw.ts";
import { forecastNetwork } from "./network.ts";
import { splitBins, splitLogits, tokensOf } from "./quantiser.ts";
import { windowSizes } from "./windows.ts";

/** The same law over finer tokens, exactly where nothing is smoothed; smoothing spreads over twice the tokens. */
export function refineModel<Model extends DrawnModel>(model: Model): Model {
  const { settings, features, shape } = model;
  const sizes = windowSizes(features, shape);
  const bins = splitBins(model.bins);
  const [K, finer] = [tokensOf(model.bins), tokensOf(bins)];
  const before = forecastNetwork(settings, shape, sizes, model.bins).layout;
  const after = forecastNetwork(settings, shape, sizes, bins).layout;
  const lastLayer = settings.hidden.length;
  const parameters = new Float32Array(after.size);
  before.entries.forEach(({ path, offset, size }, i) => {
    const old = model.parameters.subarray(offset, offset + size);
    const { offset: start } = after.entries[i];
    parameters.set(refined(path, old), start);
  });
  return { ...model, settings: { ...settings, bins: bins.edges.length - 1 }, bins, parameters };

  /** What has a number per token gets one per finer token; all else stays. */
  function refined(path: string, old: Float32Array): Float32Array {
    if (path === `path.mlp.layers.${lastLayer}.bias`) return Float32Array.from(splitLogits(old)); // [finer]
    if (path === "base") return Float32Array.from(splitLogits(old)); // [finer]
    if (path === `path.mlp.layers.${lastLayer}.weight`) return columns(old); // [hidden, finer]
    if (path === "path.tokens") return rows(old); // [finer, E]
    if (path === "path.table") return columns(rows(old)); // [finer, finer]
    return old;
  }

  function columns(old: Float32Array): Float32Array {
    const count = old.length / K;
    return Float32Array.from({ length: count * finer }, (_, i) => {
      const [row, token] = [Math.floor(i / finer), i % finer];
      return old[row * K + parentOf(token)];
    });
  }

  function rows(old: Float32Array): Float32Array {
    const width = old.length / K;
    return Float32Array.from(
      { length: finer * width },
      (_, i) => old[parentOf(Math.floor(i / width)) * width + (i % width)],
    );
  }

  /** The token that a finer one is a half of; tails are whole. */
  function parentOf(token: number): number {
    return Math.ceil(token / 2);
  }
}
