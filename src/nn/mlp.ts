// A multilayer perceptron: linear layers with an activation function between them.

import type { numpy as np } from "@jax-js/jax";
import type { ActivationHook } from "./activation-reuse.ts";
import { type ActivationName, activationByName, relu } from "./activations.ts";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { glorotUniform, heUniform, type Initialiser } from "./init.ts";
import { type LinearParams, linear } from "./linear.ts";
import type { Module } from "./module.ts";

/** Parameters of a multilayer perceptron. */
export type MlpParams = { readonly layers: readonly LinearParams[] };

/** Options of `mlp`. */
export interface MlpOptions {
  readonly inputs: number;
  /** Width of each hidden layer. An empty list gives a linear network. */
  readonly hidden: readonly number[];
  readonly outputs: number;
  /** Default: relu. */
  readonly activation?: ActivationName;
  /** Initialiser of the weights of hidden layers. Default: He uniform. */
  readonly hiddenInit?: Initialiser;
  /** Initialiser of the weights of the last layer. Default: Glorot uniform. With `zeros`, a policy starts uniform. */
  readonly outputInit?: Initialiser;
}

/**
 * Maps [..., inputs] to [..., outputs], without activation after the last layer. The hook receives one array per layer.
 *
 * @example
 * ```ts
 * import { compile, RandomStream, spec } from "gflownet/engine";
 * import { layout, mlp } from "gflownet/nn";
 *
 * const network = mlp({ inputs: 2, hidden: [8], outputs: 3 });
 * const parameters = layout(network.params);
 * const program = await compile(({ flat, x }) => ({ y: network.apply(parameters.split(flat), x) }), {
 *   flat: spec([parameters.size]),
 *   x: spec([5, 2]),
 * });
 * const flat = parameters.init(RandomStream.fromSeed(0));
 * const { y } = await program.run({ flat, x: new Float32Array(10) });
 * console.log(y.length); // 15
 * await program.dispose();
 * ```
 */
export function mlp({
  inputs,
  hidden,
  outputs,
  activation = "relu",
  hiddenInit = heUniform,
  outputInit = glorotUniform,
}: MlpOptions): Module<MlpParams, [x: np.Array, hook?: ActivationHook]> {
  checkSizes("mlp", { inputs, outputs });
  hidden.forEach((width, i) => {
    checkSizes("mlp", { [`hidden[${i}]`]: width });
  });
  const activate = activationByName("mlp", activation);
  const widths = [inputs, ...hidden, outputs];
  const layers = widths
    .slice(1)
    .map((width, i) => linear(widths[i], width, { weightInit: i < hidden.length ? hiddenInit : outputInit }));
  return {
    params: { layers: layers.map(({ params }) => params) },
    apply({ layers: params }, x, hook = (activation) => activation) {
      checkLastAxis("mlp", "x", x, inputs);
      const rows = x.ndim === 2 ? x : x.reshape([-1, inputs]); // [R, inputs]
      const output = layers.reduce((h, layer, i) => {
        const sum = layer.apply(params[i], h); // [R, widths[i + 1]]
        // The derivative of relu follows from its value, so the hook receives that value. The sum then has no other
        // use, and the engine can fuse the linear layer with relu.
        if (i < hidden.length && activate === relu) return relu(sum, hook); // [R, widths[i + 1]]
        return i < hidden.length ? activate(hook(sum)) : hook(sum); // [R, widths[i + 1]]
      }, rows); // [R, outputs]
      return x.ndim === 2 ? output : output.reshape([...x.shape.slice(0, -1), outputs]); // [..., outputs]
    },
  };
}
