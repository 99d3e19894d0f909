// Adam in one pass over vectors in the memory of a WebAssembly module, four numbers at a time. In a graph the same update takes
// a dozen passes over the parameters and a second set of buffers.
//
// The formulas are those of `nn/optim/adam.ts`. Moments below TINY become 0: they no longer change any parameter, and
// arithmetic with denormal numbers is many times slower.

import { type Code, loop, moduleBytes, op, TYPE, type WasmFunction } from "./wasm-bytes.ts";

/** Bytes of the four numbers of a SIMD vector. */
export const LANE_BYTES = 16;

const TINY = 1e-36;

/** Numbers of one update. With k = √((1 − β₂ᵗ) / (1 − β₂)): */
export interface AdamNumbers {
  readonly beta1: number;
  readonly beta2: number;
  /** Factor on the gradient, from clipping. */
  readonly gradientScale: number;
  /** rate · (1 − β₁) / (1 − β₁ᵗ) · k */
  readonly step: number;
  /** ε k */
  readonly epsilon: number;
}

/** Byte offsets of vectors in the memory. Vectors are padded with zeros to whole SIMD vectors. */
export interface AdamVectors {
  readonly parameters: number;
  readonly m: number;
  readonly v: number;
  readonly gradient: number;
  /** Factors on the learning rate; without them all are 1. */
  readonly rateScale?: number;
}

export interface AdamKernel {
  /** Updates `bytes` bytes of each vector. */
  update(vectors: AdamVectors, bytes: number, numbers: AdamNumbers): void;
  /** The sum of the squares of `bytes` bytes of a vector. */
  sumOfSquares(vector: number, bytes: number): number;
}

type Exports = Record<"adam" | "scaledAdam" | "sumOfSquares", (...numbers: number[]) => number>;

const kernelBytes = () =>
  moduleBytes([adam("adam", false), adam("scaledAdam", true), sumOfSquares("sumOfSquares")]);

let compiled: WebAssembly.Module | undefined;

/** Whether this platform has WebAssembly with SIMD, without which the kernel does not run. */
export function hasSimd(): boolean {
  return typeof WebAssembly === "object" && WebAssembly.validate(kernelBytes());
}

/** The functions on this memory. */
export function adamKernel(memory: WebAssembly.Memory): AdamKernel {
  compiled ??= new WebAssembly.Module(kernelBytes());
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  const { adam: plain, scaledAdam, sumOfSquares: sum } = exports as unknown as Exports;
  return {
    update({ parameters, m, v, gradient, rateScale }, bytes, numbers) {
      const { beta1, beta2, gradientScale, step, epsilon } = numbers;
      const scalars = [beta1, beta2, gradientScale, step, epsilon, TINY];
      if (rateScale === undefined) plain(parameters, m, v, gradient, 0, parameters + bytes, ...scalars);
      else scaledAdam(parameters, m, v, gradient, rateScale, parameters + bytes, ...scalars);
    },
    sumOfSquares: (vector, bytes) => sum(vector, vector + bytes),
  };
}

/** An Adam update from the first vector's offset to its end, with a vector of scales or without one. */
function adam(name: string, scaled: boolean): WasmFunction {
  const [p, m, v, g, scales, end] = [0, 1, 2, 3, 4, 5];
  const scalars = [6, 7, 8, 9, 10, 11];
  const [beta1, beta2, gradientScale, step, epsilon, tiny] = [12, 13, 14, 15, 16, 17];
  const [slope, mean, square] = [18, 19, 20];
  const { get, set, load, store } = op;
  /** Leaves the value, or 0 where its absolute value is at most TINY. */
  const withoutTiny = (local: number): Code => [
    ...[...get(local), ...get(local), ...op.abs, ...get(tiny), ...op.greater, ...op.and],
  ];
  const advance = (pointer: number): Code => [
    ...[...get(pointer), ...op.i32Const(LANE_BYTES), ...op.i32Add, ...set(pointer)],
  ];
  const update: Code = [
    // slope = g · gradientScale
    ...[...get(g), ...load(), ...get(gradientScale), ...op.multiply, ...set(slope)],
    // mean = β₁ m + slope
    ...[...get(m), ...load(), ...get(beta1), ...op.multiply, ...get(slope), ...op.add, ...set(mean)],
    // square = β₂ v + slope²
    ...[...get(v), ...load(), ...get(beta2), ...op.multiply],
    ...[...get(slope), ...get(slope), ...op.multiply, ...op.add, ...set(square)],
    ...[...withoutTiny(mean), ...set(mean), ...withoutTiny(square), ...set(square)],
    ...[...get(m), ...get(mean), ...store, ...get(v), ...get(square), ...store],
    // p −= scales · step · mean / (√square + ε)
    ...[...get(p), ...get(p), ...load()],
    ...[...get(mean), ...get(square), ...op.sqrt, ...get(epsilon), ...op.add, ...op.divide],
    ...[...get(step), ...op.multiply],
    ...(scaled ? [...get(scales), ...load(), ...op.multiply] : []),
    ...[...op.subtract, ...store],
  ];
  return {
    name,
    parameters: [...Array(6).fill(TYPE.i32), ...Array(6).fill(TYPE.f32)],
    results: [],
    locals: Array(9).fill(TYPE.v128),
    body: [
      ...scalars.flatMap((scalar, i) => [...get(scalar), ...op.splat, ...set(beta1 + i)]),
      ...loop([
        ...[...update, ...[p, m, v, g].flatMap(advance), ...(scaled ? advance(scales) : [])],
        ...[...get(p), ...get(end), ...op.i32LessUnsigned],
      ]),
    ],
  };
}

/** The sum of squares from an offset to an end, in float64. */
function sumOfSquares(name: string): WasmFunction {
  const [pointer, end, first, last, square] = [0, 1, 2, 3, 4];
  const { get, set, load } = op;
  const addTo = (sum: number, half: Code): Code => [
    ...[...get(sum), ...get(square), ...half, ...op.toF64, ...op.f64AddPairs, ...set(sum)],
  ];
  return {
    name,
    parameters: [TYPE.i32, TYPE.i32],
    results: [TYPE.f64],
    locals: [TYPE.v128, TYPE.v128, TYPE.v128],
    body: [
      ...loop([
        ...[...get(pointer), ...load(), ...get(pointer), ...load(), ...op.multiply, ...set(square)],
        ...[...addTo(first, []), ...addTo(last, [...get(square), ...op.lastTwo])],
        ...[...get(pointer), ...op.i32Const(LANE_BYTES), ...op.i32Add, ...set(pointer)],
        ...[...get(pointer), ...get(end), ...op.i32LessUnsigned],
      ]),
      ...[...get(first), ...get(last), ...op.f64AddPairs, ...set(first)],
      ...[...get(first), ...op.f64Lane(0), ...get(first), ...op.f64Lane(1), ...op.f64Add],
    ],
  };
}
