// Checks arrays handed to a program against what it was compiled for.

import { type ArraySpec, describe, holds, sizeOf, type TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Specs } from "./trace.ts";

/** Every named input must be there, of the right type and size, and no other. */
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

export function checkArray(program: string, key: string, spec: ArraySpec, data: unknown): void {
  if (!holds(spec.dtype, data)) {
    const got = data === null || data === undefined ? String(data) : (data as object).constructor.name;
    throw new InputError(`${program}: ${key} must be ${describe(spec)}, got ${got}`);
  }
  if (data.length !== sizeOf(spec.shape)) {
    throw new InputError(`${program}: ${key} must be ${describe(spec)}, got ${data.length} numbers`);
  }
  // Engines read other bytes as they please.
  const at = spec.dtype === "bool" ? data.findIndex((x) => x > 1) : -1;
  if (at >= 0) throw new InputError(`${program}: ${key} has ${data[at]} at index ${at}; it must be 0 or 1`);
}

/** State must be finite: a NaN in the parameters would spread to everything. */
export function checkFinite(program: string, key: string, data: TypedArray): void {
  const at = data instanceof Float32Array ? data.findIndex((x) => !Number.isFinite(x)) : -1;
  if (at >= 0) throw new InputError(`${program}: ${key} has ${data[at]} at index ${at}; it must be finite`);
}

function namesOf(specs: Specs): string {
  return Object.keys(specs).join(", ") || "none";
}
