// Type of gradient cases: a scalar function of float inputs that uses one operation and is smooth at the chosen point.

import { numpy as np } from "@jax-js/jax";
import type { OpName } from "../../../src/engine/ir.ts";
import { type HostInput, type HostInputs, weightedSum } from "../gradients.ts";

type Arrays = Readonly<Record<string, np.Array>>;

export interface GradientCase {
  readonly title: string;
  readonly f: (inputs: Arrays) => np.Array;
  /** Inputs with respect to which the function is differentiated. */
  readonly floats: HostInputs;
  /** Other inputs: indices, masks, integers. */
  readonly fixed?: HostInputs;
  /** Largest relative error between the float64 gradient and the finite difference. */
  readonly tolerance?: number;
}

export type GradientCases = Readonly<Partial<Record<OpName, readonly GradientCase[]>>>;

/** An int32 input. */
export function int32Input(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "int32" };
}

/** A uint32 input. */
export function uint32Input(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "uint32" };
}

/** A boolean input, given as 0 and 1. */
export function boolInput(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "bool" };
}

/** Reduces an array to a scalar, [], whose derivative depends on the values of the array. */
export function sineSum(x: np.Array): np.Array {
  return weightedSum(np.sin(x)); // []
}
