// A trained forecasting model as `.onnx` files: one reads contexts, one says the next token of paths.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec } from "../../engine/index.ts";
import { toOnnx } from "../../engine/onnx/index.ts";
import { checkSizes } from "../../nn/checks.ts";
import type { ForecastModel } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { tokensOf } from "./quantiser.ts";
import { windowSizes } from "./windows.ts";

export interface ExportedForecastModel {
  /** Window arrays to `thought` [rows, W] and `ahead` [rows, P, D′]. */
  readonly encoder: Uint8Array;
  /** `thought`, `ahead` and `tokens` int32 [rows, P] to `law` [rows, P, tokens]. */
  readonly paths: Uint8Array;
}

/** Both networks with their weights, for a fixed number of rows. */
export function exportForecastModel(
  model: ForecastModel,
  { rows }: { readonly rows: number },
): ExportedForecastModel {
  checkSizes("exportForecastModel", { rows });
  const { settings, features, shape, bins } = model;
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const params = () => network.layout.split(np.array(model.parameters));
  const metadata = {
    horizon: `${shape.horizon}`,
    context: `${shape.context}`,
    targets: JSON.stringify(features.targets),
    season: `${features.season}`,
    edges: JSON.stringify([...bins.edges]),
    tails: JSON.stringify(bins.tails),
    features: JSON.stringify(features),
    seed: `${settings.seed}`,
  };
  const example = network.specs(rows) as Record<string, ArraySpec>;

  function encode(inputs: Readonly<Record<string, np.Array>>) {
    const { thought, known } = network.read(params(), inputs); // [rows, W], [rows, P, D′]
    // One input handed on as it is would be no output of its own.
    return { thought, ahead: np.multiply(known, 1) };
  }

  return {
    encoder: toOnnx(encode, example, {
      name: "encoder",
      description: "Reads the past of series for a forecast.",
      ports: {
        numbers: "Numbers of each row of the past, the last row last.",
        present: "1 where a row is there, 0 where it is padding.",
        known: "Numbers that are known of each step ahead.",
        thought: "What the past comes to.",
        ahead: "What the path network takes of each step ahead.",
      },
      metadata,
    }),
    paths: toOnnx(
      (inputs: Readonly<Record<"thought" | "ahead" | "tokens", np.Array>>) => ({
        law: network.all(params(), { thought: inputs.thought, known: inputs.ahead }, inputs.tokens),
      }),
      {
        thought: spec([rows, settings.width]),
        ahead: spec([rows, sizes.steps, network.ahead]),
        tokens: spec([rows, sizes.steps], "int32"),
      },
      {
        name: "paths",
        description: `Says the next of ${tokensOf(bins)} tokens at every step of paths.`,
        ports: {
          tokens: "Tokens so far, −1 where none is drawn yet: draw step by step and call again.",
          law: "Probability of each token at each step, given the tokens before it.",
        },
        metadata,
      },
    ),
  };
}
