// Checks gradients against finite differences, both in float64.
//
// The function and its gradient are traced separately and run by the interpreter, independently of engines and float32.
// The result has everything that is needed to run the same gradient program on an engine and to compare it with the
// float64 values: `gradientFunction`, `specs`, `inputs` and `gradients`.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import type { ArraySpec, DType } from "../../src/engine/dtype.ts";
import { hostArray, sizeOf, type TypedArray } from "../../src/engine/dtype.ts";
import { interpret, type Precision } from "../../src/engine/interpret.ts";
import { RandomStream } from "../../src/engine/random-stream.ts";
import { type ArrayFunction, trace } from "../../src/engine/trace.ts";
import type { Module } from "../../src/nn/module.ts";
import { type ArraysOf, layout, type ParamTree } from "../../src/nn/params.ts";

export { largestDifference } from "./difference.ts";

export interface HostInput {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
  /** Default: float32. */
  readonly dtype?: DType;
}

export type HostInputs = Readonly<Record<string, HostInput>>;
type Arrays = Readonly<Record<string, np.Array>>;

export interface GradientOptions {
  readonly name?: string;
  /** Inputs without a gradient, such as indices and masks. */
  readonly fixed?: HostInputs;
  /** Half the width of a central difference. Default: 1e-5. */
  readonly step?: number;
  /** Largest relative error. Default: 1e-6. */
  readonly tolerance?: number;
  /** Number of coordinates to check per input, chosen at random if it has more. Default: 24. */
  readonly coordinates?: number;
}

export interface CheckedGradients {
  readonly value: number;
  /** Gradient with respect to each float input, in float64. */
  readonly gradients: Readonly<Record<string, Float64Array>>;
  /** Inputs -> { value }. */
  readonly valueFunction: ArrayFunction;
  /** Inputs -> { value, and the gradient of each float input under the name of the input }. */
  readonly gradientFunction: ArrayFunction;
  readonly specs: Readonly<Record<string, ArraySpec>>;
  /** All inputs as typed arrays. */
  readonly inputs: Readonly<Record<string, TypedArray>>;
}

/** Throws unless the gradient of a scalar function agrees with its central differences. */
export function checkGradients(
  f: (inputs: Arrays) => np.Array,
  floats: HostInputs,
  { name = "f", fixed = {}, step = 1e-5, tolerance = 1e-6, coordinates = 24 }: GradientOptions = {},
): CheckedGradients {
  const all = { ...floats, ...fixed };
  const names = Object.keys(floats);
  const specs = specsOf(all);
  const valueFunction: ArrayFunction = (inputs) => ({ value: f(inputs) });
  const gradientFunction: ArrayFunction = (inputs) => {
    const free = Object.fromEntries(names.map((key) => [key, inputs[key]]));
    const [value, gradients] = valueAndGrad((moved: Arrays) => f({ ...inputs, ...moved }))(free);
    return { value, ...gradients };
  };
  const valueGraph = trace(valueFunction, specs, name);
  const gradientGraph = trace(gradientFunction, specs, `gradient of ${name}`);
  const point = Object.fromEntries(
    Object.entries(all).map(([key, { data, dtype = "float32" }]) => [
      key,
      Float64Array.from(hostArray(dtype, data)),
    ]),
  );
  const valueAt = (moved: Readonly<Record<string, Float64Array>>) => interpret(valueGraph, moved).value[0];

  const { value: traced, ...gradients } = interpret(gradientGraph, point);
  const value = valueAt(point);
  const problems = close(value, traced[0], tolerance, 0) ? [] : [`value: ${traced[0]} should be ${value}`];
  const stream = RandomStream.fromSeed(0).split("gradients");
  for (const key of names) {
    const largest = gradients[key].reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
    const floor = 1e-9 * (1 + Math.abs(value)) + 1e-2 * tolerance * largest;
    for (const i of chosen(point[key].length, coordinates, stream)) {
      const [right, left] = [step, -step].map((shift) =>
        valueAt({ ...point, [key]: point[key].map((x, k) => (k === i ? x + shift : x)) }),
      );
      const difference = (right - left) / (2 * step);
      if (close(gradients[key][i], difference, tolerance, floor)) continue;
      problems.push(`${key}[${i}]: gradient ${gradients[key][i]}, difference ${difference}`);
    }
  }
  if (problems.length > 0) {
    throw new Error(
      `gradient of ${name} is wrong in ${problems.length} places:\n${problems.slice(0, 8).join("\n")}`,
    );
  }
  return { value, gradients, valueFunction, gradientFunction, specs, inputs: hostInputs(all) };
}

/**
 * Checks the gradients of a module with respect to its parameters, which are random, and its float inputs. The output is
 * reduced to a scalar with random weights, so that errors do not cancel.
 */
export function checkModuleGradients<P extends ParamTree>(
  module: Pick<Module<P>, "params">,
  apply: (params: ArraysOf<P>, inputs: Arrays) => np.Array,
  floats: HostInputs,
  options: GradientOptions = {},
): CheckedGradients {
  const params = layout(module.params);
  const flat = randomInput([params.size], "params", 0.5);
  return checkGradients(
    ({ params: vector, ...inputs }) => weightedSum(apply(params.split(vector), inputs)),
    { params: flat, ...floats },
    { coordinates: 48, ...options },
  );
}

/** Sum of the entries of an array times fixed random weights, []. */
export function weightedSum(x: np.Array): np.Array {
  const weights = Float32Array.from(randomInput(x.shape, "weights").data);
  return np.sum(np.multiply(x, np.array(weights, { shape: x.shape })));
}

/** Normal random numbers that depend only on the name. */
export function randomInput(shape: readonly number[], name: string, deviation = 1): HostInput {
  const stream = RandomStream.fromSeed(1).split(name);
  return { shape, data: Float32Array.from({ length: sizeOf(shape) }, () => deviation * stream.normal()) };
}

/** Random integers from 0 to n − 1 that depend only on the name. */
export function randomTokens(shape: readonly number[], n: number, name: string): HostInput {
  const stream = RandomStream.fromSeed(2).split(name);
  return { shape, dtype: "int32", data: Int32Array.from({ length: sizeOf(shape) }, () => stream.integer(n)) };
}

/** Traces a function and runs it with the interpreter. */
export function evaluate<O extends string>(
  f: (inputs: Arrays) => Readonly<Record<O, np.Array>>,
  inputs: HostInputs,
  precision: Precision = "float64",
): Record<O, Float64Array> {
  const graph = trace(f as ArrayFunction, specsOf(inputs));
  return interpret(graph, hostInputs(inputs), precision) as Record<O, Float64Array>;
}

/** Shapes and types of inputs. */
export function specsOf(inputs: HostInputs): Record<string, ArraySpec> {
  return Object.fromEntries(
    Object.entries(inputs).map(([key, { shape, dtype = "float32" }]) => [key, { shape, dtype }]),
  );
}

/** Inputs as typed arrays. */
export function hostInputs(inputs: HostInputs): Record<string, TypedArray> {
  return Object.fromEntries(
    Object.entries(inputs).map(([key, { data, dtype = "float32" }]) => [key, hostArray(dtype, data)]),
  );
}

function close(a: number, b: number, relative: number, absolute: number): boolean {
  return Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b)) + absolute;
}

/** All positions, or `count` random ones if there are more. */
function chosen(length: number, count: number, stream: RandomStream): number[] {
  const positions = Array.from({ length }, (_, i) => i);
  if (length <= count) return positions;
  for (let i = 0; i < count; i++) {
    const j = i + stream.integer(length - i);
    [positions[i], positions[j]] = [positions[j], positions[i]];
  }
  return positions.slice(0, count);
}
