// Runs array functions of an environment on the host and checks the shapes and types of their results.

import { numpy as np } from "@jax-js/jax";
import { describeSpec, interpret, spec, trace } from "../../../engine/index.ts";
import type { Fail } from "./fail.ts";

export interface ArrayForm {
  readonly shape: readonly number[];
  readonly dtype: "float32" | "int32" | "bool";
  /** Alternative shape with a single row that applies to every trajectory. */
  readonly alternative?: readonly number[];
}

/** Checks an array and broadcasts a single row to all rows. `at` is the place in the trajectory, for the message. */
export function checkArray(
  fail: Fail,
  what: string,
  array: np.Array,
  { shape, dtype, alternative = shape }: ArrayForm,
  at = "",
): np.Array {
  const forms = [...new Set([shape, alternative].map((form) => describeSpec({ shape: form, dtype })))];
  const rule = `${what} must be ${forms.join(" or ")} for ${shape[0]} trajectories`;
  if (array === null || typeof array !== "object" || !("shape" in array)) {
    return fail(`${rule}, got ${array}${at}`);
  }
  const found = describeSpec(spec(array.shape, array.dtype as "float32"));
  if (!forms.includes(found)) fail(`${rule}, got ${found}${at}`);
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

/** Traces a function and interprets it in float32, the precision of the engines. A violation that `f` reports through
 * the `Fail` that it receives is rethrown unchanged. */
export function traceAndRun(
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
    // Tracing wraps the error in another one, so the original error is kept in `failure`.
    if (failure) throw failure;
    return fail(`its array functions cannot be traced: ${error instanceof Error ? error.message : error}`);
  }
}
