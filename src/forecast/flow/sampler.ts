// Draws paths from a trained flow: what its policy intends, and what the channel makes of it.

import { numpy as np } from "@jax-js/jax";
import {
  type ArrayFunction,
  compile,
  type EngineName,
  type RandomStream,
  spec,
  type TypedArray,
} from "../../engine/index.ts";
import type { FlowModel } from "./model.ts";
import { rolloutPaths, uniformsPerStep } from "./rollout.ts";

export interface SamplerOptions {
  /** Contexts per call, and paths drawn for each. */
  readonly contexts: number;
  readonly paths: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export interface PathSampler {
  /** Tokens, [contexts, paths, H]. The arrays of the contexts come by name, [contexts, …]. */
  draw(
    params: Float32Array,
    inputs: Readonly<Record<string, TypedArray>>,
    stream: RandomStream,
  ): Promise<Int32Array>;
  dispose(): Promise<void>;
}

export async function pathSampler(model: FlowModel, options: SamplerOptions): Promise<PathSampler> {
  const { contexts: C, paths: n, engine, threads } = options;
  const { tokens: K, horizon: H, inputs: specs } = model.problem;
  const B = C * n;
  const names = Object.keys(specs);

  const sample: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    const arrays = Object.fromEntries(names.map((name) => [name, inputs[`input.${name}`]])); // [C, …]
    // Contexts are read once each, however many paths they get.
    const read = Object.fromEntries(
      Object.entries(model.read(params, arrays)).map(([name, array]: [string, np.Array]) => [
        name,
        np.broadcastTo(array, [n, ...array.shape]).reshape([B, ...array.shape.slice(1)]), // [n·C, …]
      ]),
    );
    const { tokens } = rolloutPaths(model, params, read, inputs.uniform, {
      temperature: np.ones([B]),
      epsilon: np.zeros([B]),
    }); // [H·n·C, K]
    const numbers = np.sum(np.multiply(tokens, np.arange(K).astype(np.float32)), 1); // [H·n·C]
    const byContext = np.transpose(numbers.reshape([H, n, C]), [2, 1, 0]); // [C, n, H]
    return { tokens: byContext.astype(np.int32) };
  };

  const program = await compile(
    sample,
    {
      params: spec([model.layout.size]),
      uniform: spec([H, B, uniformsPerStep(K)]),
      ...Object.fromEntries(
        names.map((name) => [`input.${name}`, spec([C, ...specs[name].shape], specs[name].dtype)]),
      ),
    } as Record<string, ReturnType<typeof spec>>,
    { name: "paths", engine, threads },
  );
  const uniform = new Float32Array(H * B * uniformsPerStep(K));
  return {
    async draw(params, inputs, stream) {
      const { tokens } = await program.run({
        params,
        uniform: stream.fillUniform(uniform),
        ...Object.fromEntries(names.map((name) => [`input.${name}`, inputs[name]])),
      });
      return tokens as Int32Array;
    },
    dispose: () => program.dispose(),
  };
}
