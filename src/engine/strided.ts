// Strided access to arrays, with which the interpreter reads and writes views.

import { sizeOf } from "./dtype.ts";
import { alignRight, type Shape, stridesOf } from "./shape.ts";

/** A strided view of an array x: the element at an index is x[offset + Σ index · stride]. */
export interface Strided {
  readonly offset: number;
  readonly strides: readonly number[];
}

export function sliceStrided(shape: Shape, starts: readonly number[]): Strided {
  const strides = stridesOf(shape);
  return { offset: starts.reduce((sum, start, i) => sum + start * strides[i], 0), strides };
}

/** Visits all indices of a shape in row-major order, with the position of each strided operand at that index. */
export function forEachIndex(
  shape: Shape,
  operands: readonly Strided[],
  visit: (i: number, positions: readonly number[]) => void,
): void {
  const size = sizeOf(shape);
  const index = new Array<number>(shape.length).fill(0);
  const positions = operands.map(({ offset }) => offset);
  for (let i = 0; i < size; i++) {
    visit(i, positions);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis]++;
      for (const [k, { strides }] of operands.entries()) positions[k] += strides[axis];
      if (index[axis] < shape[axis]) break;
      for (const [k, { strides }] of operands.entries()) positions[k] -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

export function readStrided(x: Float64Array, strided: Strided, shape: Shape): Float64Array {
  const data = new Float64Array(sizeOf(shape));
  forEachIndex(shape, [strided], (i, [at]) => {
    data[i] = x[at];
  });
  return data;
}

export function broadcastStrided(shape: Shape, rank: number): Strided {
  const extents = alignRight(shape, rank);
  const strides = stridesOf(extents);
  return { offset: 0, strides: strides.map((stride, i) => (extents[i] === 1 ? 0 : stride)) };
}
