// A supervised training step: forward pass, backward pass, gradient clipping, Adam. `mlp_step` of
// rivals/pytorch_iteration.py does the same work.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { compile, RandomStream, spec } from "../../src/engine/index.ts";
import { adam, clipByGlobalNorm, layout, mlp } from "../../src/nn/index.ts";
import type { CompiledWorkload, WorkloadOptions } from "./workload.ts";

const ROWS = 256;
const INPUTS = 32;
const OUTPUTS = 8;
const CLIP = 10;
const LEARNING_RATE = 1e-3;

const STATE = ["params", "m", "v", "step"] as const;
type Name = (typeof STATE)[number] | "x" | "y";

/** Trains a network with two hidden layers by mean squared error on 256 rows. */
export async function mlpStep({ hidden, engine, threads }: WorkloadOptions): Promise<CompiledWorkload> {
  const network = mlp({ inputs: INPUTS, hidden: [hidden, hidden], outputs: OUTPUTS });
  const params = layout(network.params);
  const optimiser = adam({ learningRate: LEARNING_RATE });

  function step(inputs: Readonly<Record<Name, np.Array>>) {
    const squaredError = (flat: np.Array) => {
      const difference = network.apply(params.split(flat), inputs.x).sub(inputs.y); // [256, 8]
      return np.mean(np.multiply(difference, difference)); // []
    };
    const [loss, raw] = valueAndGrad(squaredError)(inputs.params); // [], [P]
    const { gradient } = clipByGlobalNorm(raw, CLIP); // [P]
    const { m, v, step } = inputs;
    const update = optimiser.update(inputs.params, gradient, { m, v, step });
    return { loss, params: update.params, ...update.state };
  }

  const flat = spec([params.size]);
  const example = {
    x: spec([ROWS, INPUTS]),
    y: spec([ROWS, OUTPUTS]),
    params: flat,
    m: flat,
    v: flat,
    step: spec([], "int32"),
  };
  const program = await compile(step, example, { name: "mlp-step", engine, threads, state: STATE });
  const stream = RandomStream.fromSeed(0);
  program.write({ params: params.init(stream.split("params")) });
  const x = normals(stream.split("x"), ROWS * INPUTS); // [256, 32]
  const y = normals(stream.split("y"), ROWS * OUTPUTS); // [256, 8]
  return {
    graphs: [program.graph],
    compileSeconds: program.compileSeconds,
    iterate: async () => (await program.run({ x, y })).loss[0],
  };
}

function normals(stream: RandomStream, size: number): Float32Array {
  return Float32Array.from({ length: size }, () => stream.normal());
}
