// A multilayer perceptron: linear layers with an activation between them.

import type { numpy as np } from "@jax-js/jax";
import { type ActivationName, activationNamed, relu } from "./activations.ts";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { glorotUniform, heUniform, type Initialiser } from "./init.ts";
import { type LinearParams, linear } from "./linear.ts";
import type { Module } from "./module.ts";
import type { EachSum } from "./recall.ts";

export type MlpParams = { readonly layers: readonly LinearParams[] };

export interface MlpOptions {
  readonly inputs: number;
  /** Width of each hidden layer; none makes the network linear. */
  readonly hidden: readonly number[];
  readonly outputs: number;
  readonly activation?: ActivationName;
  /** Weights of the hidden layers. */
  readonly hiddenInit?: Initialiser;
  /** Weights of the last layer; `zeros` makes every policy start uniform. */
  readonly outputInit?: Initialiser;
}

/** Maps [..., inputs] to [..., outputs]; no activation after the last layer. `each` sees the sums of all layers. */
export function mlp({
  inputs,
  hidden,
  outputs,
  activation = "relu",
  hiddenInit = heUniform,
  outputInit = glorotUniform,
}: MlpOptions): Module<MlpParams, [x: np.Array, each?: EachSum]> {
  checkSizes("mlp", { inputs, outputs });
  hidden.forEach((width, i) => {
    checkSizes("mlp", { [`hidden[${i}]`]: width });
  });
  const activate = activationNamed("mlp", activation);
  const widths = [inputs, ...hidden, outputs];
  const layers = widths
    .slice(1)
    .map((width, i) => linear(widths[i], width, { weightInit: i < hidden.length ? hiddenInit : outputInit }));
  return {
    params: { layers: layers.map(({ params }) => params) },
    apply({ layers: params }, x, each = (sum) => sum) {
      checkLastAxis("mlp", "x", x, inputs);
      const rows = x.ndim === 2 ? x : x.reshape([-1, inputs]); // [R, inputs]
      const output = layers.reduce((h, layer, i) => {
        const sum = layer.apply(params[i], h); // [R, widths[i + 1]]
        // What relu gives says its derivative, too, so that is noted: nobody else reads the sum, and both are one step.
        if (i < hidden.length && activate === relu) return relu(sum, each); // [R, widths[i + 1]]
        return i < hidden.length ? activate(each(sum)) : each(sum); // [R, widths[i + 1]]
      }, rows); // [R, outputs]
      return x.ndim === 2 ? output : output.reshape([...x.shape.slice(0, -1), outputs]); // [..., outputs]
    },
  };
}
