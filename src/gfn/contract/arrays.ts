// What array functions of an environment give has the shape and type that it must have.

import { numpy as np } from "@jax-js/jax";
import { describeSpec, interpret, spec, trace } from "../../engine/index.ts";
import type { Fail } from "./fail.ts";

export interface Form {
  readonly shape: readonly number[];
  readonly dtype: "float32" | "int32" | "bool";
  /** Another shape that will do: one row that stands for all. */
  readonly other?: readonly number[];
}

/** The array with all its rows, one of which may stand for all. `at` says where in an episode it was asked for. */
export function checkArray(
  fail: Fail,
  what: string,
  array: np.Array,
  { shape, dtype, other = shape }: Form,
  at = "",
): np.Array {
  const forms = [...new Set([shape, other].map((form) => describeSpec({ shape: form, dtype })))];
  const wanted = `${what} must be ${forms.join(" or ")} for ${shape[0]} episodes`;
  if (array === null || typeof array !== "object" || !("shape" in array)) {
    return fail(`${wanted}, got ${array}${at}`);
  }
  const found = describeSpec(spec(array.shape, array.dtype as "float32"));
  if (!forms.includes(found)) fail(`${wanted}, got ${found}${at}`);
  return found === forms[0] ? array : np.broadcastTo(array, [...shape]); // shape
}

type Inputs = Readonly<
  Record<
    string,
    {
      readonly shape: readonly number[];
      readonly dtype?: "int32";
      readonly data: ArrayLike<number>;
    }
  >
>;

/** Traces a function and runs it once, in float32 as engines do. What fails inside goes through as it is. */
export function runOnce(
  fail: Fail,
  f: (arrays: Readonly<Record<string, np.Array>>, failing: Fail) => Record<string, np.Array>,
  inputs: Inputs,
): Record<string, Float64Array> {
  let failure: unknown;
  const failing: Fail = (what) => {
    try {
      return fail(what);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const names = Object.keys(inputs);
  const specs = names.map((name) => [name, spec(inputs[name].shape, inputs[name].dtype)]);
  try {
    const graph = trace((arrays) => f(arrays, failing), Object.fromEntries(specs), "check");
    return interpret(graph, Object.fromEntries(names.map((name) => [name, inputs[name].data])), "float32");
  } catch (error) {
    // Tracing wraps errors.
    if (failure) throw failure;
    return fail(`what it does cannot be traced: ${error instanceof Error ? error.message : error}`);
  }
}

/** Rows with a single 1; negative numbers give rows of zeros. */
export function oneHotRows(numbers: readonly number[], width: number): Float32Array {
  const rows = new Float32Array(numbers.length * width);
  numbers.forEach((number, row) => {
    if (number >= 0) rows[row * width + number] = 1;
  });
  return rows;
}
