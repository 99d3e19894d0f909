// How programs receive the arrays of contexts: one program input per array, under the name `input.<array>`, so that the
// arrays of a problem cannot collide with the other inputs of a program.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { NamedArrays } from "./problem.ts";

const PREFIX = "input.";

/** The specs of the program inputs for C contexts, from the specs of one context. */
export function contextSpecs(
  specs: Readonly<Record<string, ArraySpec>>,
  C: number,
): Record<string, ArraySpec> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { shape, dtype }]) => [PREFIX + name, spec([C, ...shape], dtype)]),
  );
}

/** The program inputs that hold the arrays with these names. */
export function contextInputs(
  names: readonly string[],
  arrays: Readonly<Record<string, TypedArray>>,
): Record<string, TypedArray> {
  return Object.fromEntries(names.map((name) => [PREFIX + name, arrays[name]]));
}

/** Inside a program: the arrays with these names, [C, …] each. */
export function contextArrays(names: readonly string[], inputs: NamedArrays): NamedArrays {
  return Object.fromEntries(names.map((name) => [name, inputs[PREFIX + name]]));
}

/** Repeats all contexts n times, [C, …] to [n·C, …]. */
export function repeatContexts(arrays: object, n: number): Record<string, np.Array> {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, array]: [string, np.Array]) => [name, repeatRows(array, n)]),
  );
}

/** Repeats all rows of an array n times, [C, …] to [n·C, …]. */
export function repeatRows(array: np.Array, n: number): np.Array {
  const [C, ...rest] = array.shape;
  return n === 1 ? array : np.broadcastTo(array, [n, C, ...rest]).reshape([n * C, ...rest]); // [n·C, …]
}
