// A scalar function of float inputs in which one operation takes part, smooth at the chosen point.

import type { numpy as np } from "@jax-js/jax";
import type { OpName } from "../../../src/engine/ir.ts";
import type { HostInput, HostInputs } from "../gradients.ts";

type Arrays = Readonly<Record<string, np.Array>>;

export interface GradientCase {
  readonly title: string;
  readonly f: (inputs: Arrays) => np.Array;
  /** Inputs to differentiate by. */
  readonly floats: HostInputs;
  /** Other inputs: indices, masks, whole numbers. */
  readonly fixed?: HostInputs;
  /** Relative error allowed between the float64 gradient and its finite difference. */
  readonly tolerance?: number;
}

export type GradientCases = Readonly<Partial<Record<OpName, readonly GradientCase[]>>>;

/** int32 numbers. */
export function whole(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "int32" };
}

/** uint32 numbers. */
export function unsigned(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "uint32" };
}

/** Truth values as 0 and 1. */
export function truth(shape: readonly number[], data: readonly number[]): HostInput {
  return { shape, data, dtype: "bool" };
}
