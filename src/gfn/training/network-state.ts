// The state tensors of a trained network inside a program: parameters, Adam moments and step count.

import type { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec } from "../../engine/index.ts";
import { type AdamState, adam, optimiserStep } from "../../nn/index.ts";

export type Network = "policy" | "dynamics";

/** Names of the state tensors of the networks. */
export type StateName = Network | `${Network}.${"m" | "v" | "step"}`;

type Arrays = Readonly<Record<string, np.Array>>;

export function stateNames(net: Network): readonly StateName[] {
  return [net, `${net}.m`, `${net}.v`, `${net}.step`];
}

/** Specs of the state tensors of a network with this number of parameters. */
export function stateSpecs(net: Network, size: number): Readonly<Record<string, ArraySpec>> {
  const vector = spec([size]);
  return { [net]: vector, [`${net}.m`]: vector, [`${net}.v`]: vector, [`${net}.step`]: spec([], "int32") };
}

/** One Adam update with the input `<net>.rate`, and gradient clipping if `clip` is not 0. Returns the new state tensors
 * by name, and the norm of the gradient before clipping, []. */
export function updateNetwork(
  net: Network,
  inputs: Arrays,
  gradient: np.Array,
  clip: number,
  rateScale?: Float32Array,
): { readonly state: Arrays; readonly norm: np.Array } {
  const before: AdamState = { m: inputs[`${net}.m`], v: inputs[`${net}.v`], step: inputs[`${net}.step`] };
  const optimiser = adam({ learningRate: inputs[`${net}.rate`], rateScale });
  const { params, state, norm } = optimiserStep(optimiser, inputs[net], gradient, before, clip);
  const [parameters, m, v, steps] = stateNames(net);
  return { state: { [parameters]: params, [m]: state.m, [v]: state.v, [steps]: state.step }, norm };
}
