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
  forEachRow(shape, operands, (start, length, positions, steps) => {
    const at = positions.slice();
    for (let i = start; i < start + length; i++) {
      visit(i, at);
      for (let k = 0; k < at.length; k++) at[k] += steps[k];
    }
  });
}

/**
 * Visits all indices of a shape in row-major order, many at a time: `length` indices from number `start` on, where the
 * position of operand k begins at positions[k] and grows by steps[k].
 */
export function forEachRow(
  shape: Shape,
  operands: readonly Strided[],
  visit: (start: number, length: number, positions: readonly number[], steps: readonly number[]) => void,
): void {
  const size = sizeOf(shape);
  if (size === 0) return;
  const axes = mergedAxes(shape, operands);
  const { extent: length, strides: steps } = axes.pop() ?? { extent: 1, strides: operands.map(() => 0) };
  const index = new Array<number>(axes.length).fill(0);
  const positions = operands.map(({ offset }) => offset);
  for (let start = 0; start < size; start += length) {
    visit(start, length, positions, steps);
    for (let axis = axes.length - 1; axis >= 0; axis--) {
      const { extent, strides } = axes[axis];
      index[axis]++;
      for (let k = 0; k < positions.length; k++) positions[k] += strides[k];
      if (index[axis] < extent) break;
      for (let k = 0; k < positions.length; k++) positions[k] -= strides[k] * extent;
      index[axis] = 0;
    }
  }
}

interface Axis {
  readonly extent: number;
  /** The stride of each operand. */
  readonly strides: readonly number[];
}

/**
 * The axes without axes of extent 1. Neighbouring axes are merged if their strides let all operands pass through them
 * as one axis.
 */
function mergedAxes(shape: Shape, operands: readonly Strided[]): Axis[] {
  const axes: Axis[] = [];
  shape.forEach((extent, i) => {
    if (extent === 1) return;
    const strides = operands.map((operand) => operand.strides[i]);
    const outer = axes.at(-1);
    if (outer?.strides.every((stride, k) => stride === strides[k] * extent)) {
      axes[axes.length - 1] = { extent: outer.extent * extent, strides };
    } else axes.push({ extent, strides });
  });
  return axes;
}

export function readStrided(x: Float64Array, strided: Strided, shape: Shape): Float64Array {
  const data = new Float64Array(sizeOf(shape));
  forEachRow(shape, [strided], (start, length, [from], [step]) => {
    for (let i = 0; i < length; i++) data[start + i] = x[from + i * step];
  });
  return data;
}

/** Writes the elements of x, an array of a shape, to the positions of a strided view of `data`. */
export function writeStrided(x: Float64Array, shape: Shape, strided: Strided, data: Float64Array): void {
  forEachRow(shape, [strided], (start, length, [to], [step]) => {
    for (let i = 0; i < length; i++) data[to + i * step] = x[start + i];
  });
}

export function broadcastStrided(shape: Shape, rank: number): Strided {
  const extents = alignRight(shape, rank);
  const strides = stridesOf(extents);
  return { offset: 0, strides: strides.map((stride, i) => (extents[i] === 1 ? 0 : stride)) };
}
