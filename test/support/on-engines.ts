// Runs array functions on both engines and compares their outputs with float64 values.
//
// The tolerance is 1e-4 for the native engine and 1e-3 for jax-js, whose WebAssembly logarithm is inaccurate. Gradients
// are compared relative to their largest entry, other outputs relative to 1 + |value|.

import { expect } from "vitest";
import type { TypedArray } from "../../src/engine/dtype.ts";
import { compile, ENGINES, type EngineName } from "../../src/engine/index.ts";
import type { ArrayFunction, Specs } from "../../src/engine/trace.ts";
import { largestMagnitude, relativeDifference, scaledDifference } from "./difference.ts";
import type { CheckedGradients } from "./gradients.ts";

export const TOLERANCE: Readonly<Record<EngineName, number>> = { native: 1e-4, web: 1e-4, jax: 1e-3 };

type Inputs = Readonly<Record<string, TypedArray>>;

/** Outputs of one call of a new program. */
export async function runOnce(
  engine: EngineName,
  f: ArrayFunction,
  specs: Specs,
  inputs: Inputs,
): Promise<Record<string, TypedArray>> {
  const program = await compile(f, specs, { engine });
  const outputs = await program.run(inputs);
  await program.dispose();
  return outputs;
}

/** Expects the float64 value and gradients on both engines, and at least one gradient that is not zero. */
export async function expectGradientsOnEngines(checked: CheckedGradients): Promise<void> {
  const { gradientFunction, specs, inputs, value, gradients } = checked;
  expect(Math.max(...Object.values(gradients).map(largestMagnitude))).toBeGreaterThan(0);
  for (const engine of ENGINES) {
    const outputs = await runOnce(engine, gradientFunction, specs, inputs);
    expect(relativeDifference(outputs.value, [value]), `value on ${engine}`).toBeLessThan(TOLERANCE[engine]);
    for (const [name, expected] of Object.entries(gradients)) {
      expect(scaledDifference(outputs[name], expected), `gradient by ${name} on ${engine}`).toBeLessThan(
        TOLERANCE[engine],
      );
    }
  }
}

/** Expects the float64 outputs on both engines. */
export async function expectOutputsOnEngines(
  f: ArrayFunction,
  specs: Specs,
  inputs: Inputs,
  expected: Readonly<Record<string, ArrayLike<number>>>,
): Promise<void> {
  for (const engine of ENGINES) {
    const outputs = await runOnce(engine, f, specs, inputs);
    expect(Object.keys(outputs)).toEqual(Object.keys(expected));
    for (const [name, values] of Object.entries(expected)) {
      expect(relativeDifference(outputs[name], values), `${name} on ${engine}`).toBeLessThan(
        TOLERANCE[engine],
      );
    }
  }
}
