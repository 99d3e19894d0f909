// Exports a trained forecasting model as two ONNX files: the context encoder and the path network.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec } from "../../engine/index.ts";
import { toOnnx } from "../../engine/onnx/index.ts";
import { checkSizes } from "../../nn/checks.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { tokenCount } from "./quantiser.ts";
import type { ForecastModel } from "./train.ts";
import { windowSizes } from "./window-arrays.ts";

/** A forecasting model as the bytes of two `.onnx` files. */
export interface ExportedForecastModel {
  /** Inputs: the window arrays. Outputs: `embedding` [rows, W] and `future` [rows, P, D′]. */
  readonly encoder: Uint8Array;
  /** Inputs: `embedding`, `future`, and `tokens` int32 [rows, P]. Output: `probabilities` [rows, P, K]. */
  readonly paths: Uint8Array;
}

/** Both networks with their parameters, for a fixed number of rows. */
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
  const inputSpecs = network.inputSpecs(rows) as Record<string, ArraySpec>;

  function encode(inputs: Readonly<Record<string, np.Array>>) {
    const { embedding, future } = network.encode(params(), inputs); // [rows, W], [rows, P, D′]
    // `future` may be an unchanged input; the product makes it a separate output.
    return { embedding, future: np.multiply(future, 1) };
  }

  return {
    encoder: toOnnx(encode, inputSpecs, {
      name: "encoder",
      description: "Encodes the past of series for a forecast.",
      ports: {
        numbers: "Numbers of each row of the past, the latest row last.",
        present: "1 for a row of the series, 0 for padding.",
        futureNumbers: "Known numbers of each future step.",
        embedding: "Context embedding.",
        future: "Inputs of the path network for each future step.",
      },
      metadata,
    }),
    paths: toOnnx(
      (inputs: Readonly<Record<"embedding" | "future" | "tokens", np.Array>>) => ({
        probabilities: network.pathProbabilities(params(), inputs, inputs.tokens),
      }),
      {
        embedding: spec([rows, settings.width]),
        future: spec([rows, sizes.steps, network.futureWidth]),
        tokens: spec([rows, sizes.steps], "int32"),
      },
      {
        name: "paths",
        description: `Predicts the next of ${tokenCount(bins)} tokens at every step of paths.`,
        ports: {
          tokens:
            "Tokens sampled so far, −1 for later steps. Call the network again after each sampled step.",
          probabilities: "Probability of each token at each step, given the tokens before it.",
        },
        metadata,
      },
    ),
  };
}
