// Initialisers of parameters: functions from a shape and a random stream to initial values.
//
// Weights have the shape [inputs, outputs]. As in a convolution, further leading axes multiply both the number of
// inputs and the number of outputs.

import { sizeOf } from "../engine/dtype.ts";
import type { RandomStream } from "../engine/random-stream.ts";
import { checkSizes } from "./checks.ts";

/** A function that gives the initial values of a parameter. */
export type Initialiser = (shape: readonly number[], stream: RandomStream) => Float32Array;

/** All values are 0. */
export const zeros: Initialiser = (shape) => new Float32Array(sizeOf(shape));

/** All values are 1. */
export const ones: Initialiser = (shape) => new Float32Array(sizeOf(shape)).fill(1);

/** All values are `value`. */
export function constant(value: number): Initialiser {
  return (shape) => new Float32Array(sizeOf(shape)).fill(value);
}

/** Uniform between −limit and limit. */
export function uniform(limit: number): Initialiser {
  return (shape, stream) => sample(shape, () => limit * (2 * stream.uniform() - 1));
}

/** Normal with mean 0 and this standard deviation. */
export function normal(deviation: number): Initialiser {
  return (shape, stream) => sample(shape, () => deviation * stream.normal());
}

/** Keeps the variance of activations and gradients through linear and tanh layers (Glorot and Bengio 2010). */
export const glorotUniform: Initialiser = (shape, stream) => {
  const { fanIn, fanOut } = fans(shape);
  return uniform(Math.sqrt(6 / (fanIn + fanOut)))(shape, stream);
};

/** Glorot initialisation with a normal distribution (Glorot and Bengio 2010). */
export const glorotNormal: Initialiser = (shape, stream) => {
  const { fanIn, fanOut } = fans(shape);
  return normal(Math.sqrt(2 / (fanIn + fanOut)))(shape, stream);
};

/** Keeps the variance of activations through relu layers (He et al. 2015). */
export const heUniform: Initialiser = (shape, stream) =>
  uniform(Math.sqrt(6 / fans(shape).fanIn))(shape, stream);

/** He initialisation with a normal distribution (He et al. 2015). */
export const heNormal: Initialiser = (shape, stream) =>
  normal(Math.sqrt(2 / fans(shape).fanIn))(shape, stream);

/** Orthonormal columns, or rows if there are more columns than rows, times `gain` (Saxe et al. 2013). */
export function orthogonal(gain = 1): Initialiser {
  return (shape, stream) => {
    if (shape.length < 2) {
      throw new RangeError(`orthogonal: the shape must have at least two axes, got [${shape.join(", ")}]`);
    }
    const outputs = shape[shape.length - 1];
    const inputs = sizeOf(shape) / outputs;
    const [count, length] = inputs >= outputs ? [outputs, inputs] : [inputs, outputs];
    const vectors = orthonormal(count, length, stream);
    const weight = new Float32Array(inputs * outputs);
    for (let i = 0; i < inputs; i++) {
      for (let o = 0; o < outputs; o++) {
        weight[i * outputs + o] = gain * (inputs >= outputs ? vectors[o][i] : vectors[i][o]);
      }
    }
    return weight;
  };
}

/** Initialises each of `count` equal column blocks separately, for several matrices stored side by side. */
export function columnBlocks(init: Initialiser, count: number): Initialiser {
  checkSizes("columnBlocks", { count });
  return (shape, stream) => {
    const columns = shape[shape.length - 1];
    if (columns === undefined || columns % count !== 0) {
      throw new RangeError(
        `columnBlocks: the last axis must be a multiple of ${count}, got [${shape.join(", ")}]`,
      );
    }
    const width = columns / count;
    const weight = new Float32Array(sizeOf(shape));
    for (let block = 0; block < count; block++) {
      const values = init([...shape.slice(0, -1), width], stream.split(`block ${block}`));
      for (let i = 0; i < values.length; i++) {
        const row = Math.floor(i / width);
        weight[row * columns + block * width + (i % width)] = values[i];
      }
    }
    return weight;
  };
}

/** Number of inputs per output (fanIn) and of outputs per input (fanOut). */
export function fans(shape: readonly number[]): { fanIn: number; fanOut: number } {
  const size = sizeOf(shape);
  if (shape.length < 2) return { fanIn: size, fanOut: size };
  return { fanIn: size / shape[shape.length - 1], fanOut: size / shape[shape.length - 2] };
}

function sample(shape: readonly number[], draw: () => number): Float32Array {
  return new Float32Array(sizeOf(shape)).map(draw);
}

/** Gram–Schmidt orthonormalisation of normal random vectors, with two passes per vector against rounding errors. */
function orthonormal(count: number, length: number, stream: RandomStream): Float64Array[] {
  const vectors: Float64Array[] = [];
  for (let k = 0; k < count; k++) {
    const vector = new Float64Array(length).map(() => stream.normal());
    for (let pass = 0; pass < 2; pass++) {
      for (const other of vectors) {
        const overlap = inner(vector, other);
        for (let i = 0; i < length; i++) vector[i] -= overlap * other[i];
      }
    }
    const norm = Math.sqrt(inner(vector, vector));
    vectors.push(vector.map((x) => x / norm));
  }
  return vectors;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
