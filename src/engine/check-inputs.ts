// Checks the arrays of a call against the specs that the program was compiled for.

import { type ArraySpec, describeSpec, isHostArray, sizeOf, type TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Specs } from "./trace.ts";

/** Throws unless the inputs have exactly the names of the specs, each with the right type and size. */
export function checkInputs(
  program: string,
  specs: Specs,
  inputs: Readonly<Record<string, TypedArray>>,
): void {
  if (inputs === null || typeof inputs !== "object") {
    throw new InputError(`${program}: inputs must be a record of arrays, got ${inputs}`);
  }
  for (const key in specs) {
    if (!(key in inputs)) throw new InputError(`${program}: input ${key} is missing`);
    checkArray(program, key, specs[key], inputs[key]);
  }
  for (const key in inputs) {
    if (!(key in specs))
      throw new InputError(`${program}: ${key} is not an input; inputs are ${namesOf(specs)}`);
  }
}

/** Throws unless the array has the type and size of the spec. */
export function checkArray(program: string, key: string, spec: ArraySpec, data: unknown): void {
  if (!isHostArray(spec.dtype, data)) {
    const got = data === null || data === undefined ? String(data) : (data as object).constructor.name;
    throw new InputError(`${program}: ${key} must be ${describeSpec(spec)}, got ${got}`);
  }
  if (data.length !== sizeOf(spec.shape)) {
    throw new InputError(`${program}: ${key} must be ${describeSpec(spec)}, got ${data.length} numbers`);
  }
  // The engines interpret booleans stored as bytes other than 0 and 1 differently.
  const at = spec.dtype === "bool" ? data.findIndex((x) => x > 1) : -1;
  if (at >= 0) throw new InputError(`${program}: ${key} has ${data[at]} at index ${at}; it must be 0 or 1`);
}

/** Throws unless all floats are finite. One NaN in the parameters would spread to every result. */
export function checkFinite(program: string, key: string, data: TypedArray): void {
  const at = data instanceof Float32Array ? data.findIndex((x) => !Number.isFinite(x)) : -1;
  if (at >= 0) throw new InputError(`${program}: ${key} has ${data[at]} at index ${at}; it must be finite`);
}

function namesOf(specs: Specs): string {
  return Object.keys(specs).join(", ") || "none";
}
