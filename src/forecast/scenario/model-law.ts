// A trained model as a law of token paths, and series as its contexts. The model stays as it is: its parameters are
// constants of the programs, and what it reads of a series is read once.

import { numpy as np } from "@jax-js/jax";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { type ReadSeries, readSeries } from "../model/features.ts";
import type { ForecastModel } from "../model/likelihood.ts";
import { forecastNetwork } from "../model/network.ts";
import { tokensOf } from "../model/quantiser.ts";
import { type WindowArrays, windowArrays, windowSizes, writeWindow } from "../model/windows.ts";
import type { Series } from "../types.ts";
import type { LawContext, PathLaw } from "./law.ts";
import { type TokenNumbers, tokenNumbers } from "./token-numbers.ts";

export interface ModelLaw {
  readonly law: PathLaw;
  /** The series as they stand: paths go on after their last rows. */
  contexts(series: readonly Series[]): Promise<ModelContext[]>;
}

export type ModelContext = LawContext & TokenNumbers;

export function modelLaw(model: ForecastModel): ModelLaw {
  const { settings, features, shape, bins, parameters } = model;
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const K = tokensOf(bins);
  const P = sizes.steps;
  const M = features.targets.length;
  const [W, D] = [settings.width, network.ahead];
  // Held as one array, so that a program has it once however often it is read.
  let held: np.Array | undefined;
  const params = () => {
    held ??= np.array(parameters); // [size]
    return network.layout.split(held);
  };
  const readOf = ({ thought, known }: Readonly<Record<string, np.Array>>) => ({ thought, known });

  return {
    law: {
      tokens: K,
      steps: P,
      targets: M,
      thought: W,
      inputs: { thought: spec([W]), known: spec([P, D]) },
      at(inputs, t, path) {
        const steps = path.slice(0, t).map((token) => token.reshape([-1, 1, K])); // t × [B, 1, K]
        const before = t > 0 ? np.concatenate(steps, 1) : undefined; // [B, t, K]
        return np.log(network.next(params(), t, readOf(inputs), before)); // [B, K]
      },
      all(inputs, paths) {
        const [B, n] = paths.shape;
        // A row of zeros is token −1, which is one that is not known.
        const numbers = np
          .arange(K + 1)
          .slice([1, K + 1])
          .astype(np.float32); // [K]
        const tokens = np.subtract(np.matmul(paths, numbers), 1).astype(np.int32); // [B, n]
        const rest = () => np.full([B, P - n], -1).astype(np.int32); // [B, P − n]
        const whole = n < P ? np.concatenate([tokens, rest()], 1) : tokens; // [B, P]
        const law = network.all(params(), readOf(inputs), whole); // [B, P, K]
        return np.log(n < P ? law.slice([], [0, n]) : law); // [B, n, K]
      },
    },
    async contexts(series) {
      const reader = await compile(
        function readWindow(inputs: Readonly<Record<string, np.Array>>) {
          return network.read(network.layout.split(inputs.parameters), inputs);
        },
        {
          ...(network.specs(1) as Record<string, ReturnType<typeof spec>>),
          parameters: spec([network.layout.size]),
        },
        { engine: settings.engine, threads: settings.threads },
      );
      const names = Object.keys(network.specs(1)) as (keyof WindowArrays)[];
      const contexts: ModelContext[] = [];
      try {
        for (const one of series) {
          const read: ReadSeries = readSeries(features, one, shape.horizon);
          const arrays = windowArrays(1, shape, sizes);
          const centrings = writeWindow(
            { features, shape, sizes },
            { series: read, origin: read.rows },
            arrays,
            0,
          );
          const windows = Object.fromEntries(names.map((name) => [name, arrays[name]]));
          const said = await reader.run({ ...windows, parameters } as Record<string, TypedArray>);
          contexts.push({
            id: one.id,
            inputs: { thought: said.thought, known: said.known },
            ...tokenNumbers(bins, read, centrings),
          });
        }
        return contexts;
      } finally {
        await reader.dispose();
      }
    },
  };
}
