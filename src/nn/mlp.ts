// A multilayer perceptron: linear layers with an activation function between them.

import type { numpy as np } from "@jax-js/jax";
import type { ActivationHook } from "./activation-reuse.ts";
import { type ActivationName, activationByName, relu } from "./activations.ts";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { glorotUniform, heUniform, type Initialiser } from "./init.ts";
import { type LinearParams, linear } from "./linear.ts";
import type { Module } from "./module.ts";
import type { ArraysOf } from "./params.ts";

/** Parameters of a multilayer perceptron. */
export type MlpParams = { readonly layers: readonly LinearParams[] };

/** A multilayer perceptron as a module, with a second entry after its first layer. */
export interface Mlp extends Module<MlpParams, [x: np.Array, hook?: ActivationHook]> {
  /** The output [R, outputs] from the sums x W + b of the first layer, [R, width of the first layer], for a caller that
   * computes these sums in another way. */
  applyToFirstSums(params: ArraysOf<MlpParams>, sums: np.Array, hook?: ActivationHook): np.Array;
}

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
}: MlpOptions): Mlp {
  checkSizes("mlp", { inputs, outputs });
  hidden.forEach((width, i) => {
    checkSizes("mlp", { [`hidden[${i}]`]: width });
  });
  const activate = activationByName("mlp", activation);
  const widths = [inputs, ...hidden, outputs];
  const layers = widths
    .slice(1)
    .map((width, i) => linear(widths[i], width, { weightInit: i < hidden.length ? hiddenInit : outputInit }));
  /** What follows the sums of layer i, [R, widths[i + 1]]: its activation, except after the last layer. */
  const finishLayer = (sum: np.Array, i: number, hook: ActivationHook) => {
    // The derivative of relu follows from its value, so the hook receives that value. The sum then has no other use, and
    // the engine can fuse the linear layer with relu.
    if (i < hidden.length && activate === relu) return relu(sum, hook); // [R, widths[i + 1]]
    return i < hidden.length ? activate(hook(sum)) : hook(sum); // [R, widths[i + 1]]
  };
  const applyToFirstSums: Mlp["applyToFirstSums"] = ({ layers: params }, sums, hook = (value) => value) =>
    layers
      .slice(1)
      .reduce(
        (h, layer, i) => finishLayer(layer.apply(params[i + 1], h), i + 1, hook),
        finishLayer(sums, 0, hook),
      ); // [R, outputs]
  return {
    params: { layers: layers.map(({ params }) => params) },
    applyToFirstSums,
    apply(params, x, hook) {
      checkLastAxis("mlp", "x", x, inputs);
      const rows = x.ndim === 2 ? x : x.reshape([-1, inputs]); // [R, inputs]
      const output = applyToFirstSums(params, layers[0].apply(params.layers[0], rows), hook); // [R, outputs]
      return x.ndim === 2 ? output : output.reshape([...x.shape.slice(0, -1), outputs]); // [..., outputs]
    },
  };
}
