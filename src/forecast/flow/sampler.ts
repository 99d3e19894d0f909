// Samples paths from a trained GFlowNet: actions from its policy, outcomes from the noise channel.

import { numpy as np } from "@jax-js/jax";
import {
  type ArrayFunction,
  type ArraySpec,
  compile,
  type EngineName,
  type RandomStream,
  spec,
  type TypedArray,
} from "../../engine/index.ts";
import { oneHotIndices } from "../../nn/one-hot.ts";
import { contextArrays, contextInputs, contextSpecs, repeatContexts } from "./context-arrays.ts";
import type { FlowModel } from "./flow-model.ts";
import { rolloutPaths, uniformsPerStep } from "./rollout.ts";

/** Options of `flowSampler`. */
export interface FlowSamplerOptions {
  /** Contexts per call. */
  readonly contexts: number;
  /** Paths per context. */
  readonly paths: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** Samples token paths from a trained model. */
export interface FlowSampler {
  /** Tokens of the sampled paths, [contexts, paths, H]. `inputs` are the arrays of the contexts by name, [contexts, …]. */
  sample(
    params: Float32Array,
    inputs: Readonly<Record<string, TypedArray>>,
    stream: RandomStream,
  ): Promise<Int32Array>;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

/** Compiles a sampler of token paths. */
export async function flowSampler(model: FlowModel, options: FlowSamplerOptions): Promise<FlowSampler> {
  const { contexts: C, paths: n, engine, threads } = options;
  const { tokens: K, horizon: H, inputs: specs } = model.problem;
  const B = C * n;
  const names = Object.keys(specs);

  const sample: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    // Each context is encoded once, regardless of the number of paths.
    const context = repeatContexts(model.encode(params, contextArrays(names, inputs)), n); // [n·C, …]
    const { outcomes } = rolloutPaths(model, params, context, inputs.uniform, {
      temperature: np.ones([B]),
      epsilon: np.zeros([B]),
    }); // [H·n·C, K]
    const tokens = oneHotIndices(outcomes); // [H·n·C]
    const byContext = np.transpose(tokens.reshape([H, n, C]), [2, 1, 0]); // [C, n, H]
    return { tokens: byContext.astype(np.int32) };
  };

  const example: Record<string, ArraySpec> = {
    params: spec([model.layout.size]),
    uniform: spec([H, B, uniformsPerStep(K)]),
    ...contextSpecs(specs, C),
  };
  const program = await compile(sample, example, { name: "paths", engine, threads });
  const uniform = new Float32Array(H * B * uniformsPerStep(K));
  return {
    async sample(params, inputs, stream) {
      const { tokens } = await program.run({
        params,
        uniform: stream.fillUniform(uniform),
        ...contextInputs(names, inputs),
      });
      return tokens as Int32Array;
    },
    dispose: () => program.dispose(),
  };
}
