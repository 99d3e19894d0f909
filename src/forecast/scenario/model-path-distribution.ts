// A trained forecasting model as a path distribution, and series as its contexts. The parameters of the model are
// constants of the programs, and each series is encoded once.

import { numpy as np } from "@jax-js/jax";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { encodeSeries } from "../model/features.ts";
import { forecastNetwork, networkInputs } from "../model/forecast-network.ts";
import { tokenCount } from "../model/quantiser.ts";
import type { ForecastModel } from "../model/train.ts";
import { allocateWindowArrays, windowSizes, writeWindow } from "../model/window-arrays.ts";
import type { Series } from "../types.ts";
import type { PathContext, PathDistribution } from "./path-distribution.ts";
import { type TokenValues, tokenValues } from "./token-values.ts";

export interface ModelPathDistribution {
  readonly distribution: PathDistribution;
  /** One context per series. Its paths begin after the last row of the series. */
  contexts(series: readonly Series[]): Promise<ModelContext[]>;
}

export type ModelContext = PathContext & TokenValues;

export function modelPathDistribution(model: ForecastModel): ModelPathDistribution {
  const { settings, features, shape, bins, parameters } = model;
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const K = tokenCount(bins);
  const P = sizes.steps;
  const M = features.targets.length;
  const [W, D] = [settings.width, network.futureWidth];
  // One array for all calls, so that a program holds the parameters only once.
  let constant: np.Array | undefined;
  const params = () => {
    constant ??= np.array(parameters); // [size]
    return network.layout.split(constant);
  };
  const encodedOf = ({ context, future }: Readonly<Record<string, np.Array>>) => ({
    embedding: context,
    future,
  });

  return {
    distribution: {
      tokens: K,
      steps: P,
      targets: M,
      contextWidth: W,
      inputs: { context: spec([W]), future: spec([P, D]) },
      atStep(inputs, t, path) {
        const steps = path.slice(0, t).map((token) => token.reshape([-1, 1, K])); // t × [B, 1, K]
        const before = t > 0 ? np.concatenate(steps, 1) : undefined; // [B, t, K]
        return np.log(network.stepProbabilities(params(), t, encodedOf(inputs), before)); // [B, K]
      },
      atAllSteps(inputs, paths) {
        const [B, n] = paths.shape;
        // A row of zeros becomes −1, the index of an unknown token.
        const indices = np
          .arange(K + 1)
          .slice([1, K + 1])
          .astype(np.float32); // [K]
        const tokens = np.subtract(np.matmul(paths, indices), 1).astype(np.int32); // [B, n]
        const rest = () => np.full([B, P - n], -1).astype(np.int32); // [B, P − n]
        const padded = n < P ? np.concatenate([tokens, rest()], 1) : tokens; // [B, P]
        const probabilities = network.pathProbabilities(params(), encodedOf(inputs), padded); // [B, P, K]
        return np.log(n < P ? probabilities.slice([], [0, n]) : probabilities); // [B, n, K]
      },
    },
    async contexts(series) {
      const program = await compile(
        function encodeWindow(inputs: Readonly<Record<string, np.Array>>) {
          const { embedding: context, future } = network.encode(
            network.layout.split(inputs.parameters),
            inputs,
          );
          return { context, future };
        },
        {
          ...(network.inputSpecs(1) as Record<string, ReturnType<typeof spec>>),
          parameters: spec([network.layout.size]),
        },
        { engine: settings.engine, threads: settings.threads },
      );
      const contexts: ModelContext[] = [];
      try {
        for (const one of series) {
          const encoded = encodeSeries(features, one, shape.horizon);
          const arrays = allocateWindowArrays(1, shape, sizes);
          const scales = writeWindow(
            { features, shape, sizes },
            { series: encoded, origin: encoded.rows },
            arrays,
            0,
          );
          const inputs = { ...networkInputs(network, arrays, 1), parameters } as Record<string, TypedArray>;
          const { context, future } = await program.run(inputs);
          contexts.push({ id: one.id, inputs: { context, future }, ...tokenValues(bins, encoded, scales) });
        }
        return contexts;
      } finally {
        await program.dispose();
      }
    },
  };
}
