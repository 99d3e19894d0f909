// Lowers gather and scatter. Several index arrays are combined to one position along the flattened indexed axes.

import { sizeOf } from "../dtype.ts";
import { broadcastShapes, range, stridesOf } from "../shape.ts";
import { mapTensor } from "./elementwise.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { LoweringContext } from "./lower.ts";
import {
  alignView,
  arrange,
  elementwise,
  materialise,
  memoryOrder,
  reshapeView,
  storageOf,
  storeAxes,
  transposeView,
  type View,
  viewOn,
} from "./views.ts";

export function gather({ emitter, node, inputs: [x, ...indices] }: LoweringContext<"gather">): View[] {
  const { axes, outDim } = node.attributes;
  const index = flatIndex(
    emitter,
    indices,
    axes.map((axis) => x.shape[axis]),
  );
  const kept = range(x.shape.length).filter((axis) => !axes.includes(axis));
  const shape = node.outputs[0].shape;
  const { tensor, positions, at } = withIndexedAxesMerged(emitter, x, axes, kept);
  // All elements along a broadcast axis are equal, so the index does not matter.
  if (at === null) {
    const keptPositions = kept.map((axis) => positions[axis]);
    keptPositions.splice(outDim, 0, ...index.shape.map(() => null));
    return [viewOn(tensor, keptPositions, shape)];
  }
  const indexOrder = memoryOrder(index);
  const indexTensor = arrange(emitter, index, indexOrder);
  const extents = tensor.shape.toSpliced(at, 1, ...indexTensor.shape);
  const result = emitter.node("Gather", [tensor, indexTensor], { axis: at }, tensor.type, extents);
  const addedRank = indexOrder.length - 1;
  const newPositions: (number | null)[] = kept.map((axis) => {
    const position = positions[axis];
    return position === null || position < at ? position : position + addedRank;
  });
  const indexPositions = index.shape.map((_, i) =>
    indexOrder.includes(i) ? at + indexOrder.indexOf(i) : null,
  );
  newPositions.splice(outDim, 0, ...indexPositions);
  return [viewOn(result, newPositions, shape)];
}

/** The indexed array as a tensor with all indexed axes merged into dimension `at`. Null if all are broadcast axes. */
function withIndexedAxesMerged(
  emitter: Emitter,
  x: View,
  axes: readonly number[],
  kept: readonly number[],
): { tensor: Tensor; positions: (number | null)[]; at: number | null } {
  if (axes.every((axis) => x.axes[axis] === null)) return { ...storageOf(x), at: null };
  if (axes.length === 1) {
    const { tensor, positions } = storageOf(x);
    return { tensor, positions, at: positions[axes[0]] };
  }
  const real = storeAxes(emitter, x, axes);
  const rest = memoryOrder(real).filter((axis) => kept.includes(axis));
  const arranged = arrange(emitter, real, [...axes, ...rest]);
  const tensor = emitter.reshape(arranged, [
    sizeOf(axes.map((axis) => x.shape[axis])),
    ...rest.map((axis) => x.shape[axis]),
  ]);
  const positions = x.shape.map((_, axis) => (rest.includes(axis) ? rest.indexOf(axis) + 1 : null));
  return { tensor, positions, at: 0 };
}

export function scatter({
  emitter,
  node,
  inputs: [updates, ...indices],
}: LoweringContext<"scatter">): View[] {
  const { axes, outDim, shape, kind } = node.attributes;
  const index = flatIndex(
    emitter,
    indices,
    axes.map((axis) => shape[axis]),
  );
  const kept = range(shape.length).filter((axis) => !axes.includes(axis));
  const indexRank = index.shape.length;
  const indexAxes = range(indexRank).map((i) => outDim + i);
  const keptAxes = range(updates.shape.length).filter((axis) => !indexAxes.includes(axis));
  const count = sizeOf(index.shape);
  const width = sizeOf(kept.map((axis) => shape[axis]));
  const rows = sizeOf(axes.map((axis) => shape[axis]));
  const flat = reshapeView(emitter, transposeView(updates, [...indexAxes, ...keptAxes]), [count, width]);
  const type = updates.base.type === "uint32" ? "int64" : updates.base.type;
  const values = emitter.cast(materialise(emitter, flat), type);
  const positions = emitter.reshape(materialise(emitter, index), [count]);
  const zeros = emitter.expand(emitter.cast(emitter.scalar("float32", 0), type), [rows, width]);
  // ScatterND is faster, but with several threads ONNX Runtime loses additions to the same row.
  const byRows = kind === "add" && width > 1 && emitter.threads === 1;
  const result = byRows
    ? emitter.node("ScatterND", [zeros, columnOf(emitter, positions), values], { reduction: "add" }, type, [
        rows,
        width,
      ])
    : emitter.node(
        "ScatterElements",
        [zeros, repeatedInRows(emitter, positions, width, rows), values],
        { axis: 0, reduction: kind === "add" ? "add" : "none" },
        type,
        [rows, width],
      );
  const order = [...axes, ...kept];
  const extents = order.map((axis) => shape[axis]);
  const tensor = emitter.reshape(emitter.cast(result, updates.base.type), extents);
  return [
    viewOn(
      tensor,
      shape.map((_, axis) => order.indexOf(axis)),
      shape,
    ),
  ];
}

/** Positions [count] as int64 [count, 1]. */
function columnOf(emitter: Emitter, positions: Tensor): Tensor {
  return emitter.cast(emitter.reshape(positions, [positions.shape[0], 1]), "int64");
}

/** All integers up to this number are exact in float32. */
const MAX_EXACT_INTEGER = 2 ** 24;

/** Positions [count], each repeated along a row: [count, width]. A matrix product is faster than Expand. */
function repeatedInRows(emitter: Emitter, positions: Tensor, width: number, rows: number): Tensor {
  const column = emitter.reshape(positions, [positions.shape[0], 1]);
  const shape = [positions.shape[0], width];
  if (width === 1) return column;
  if (rows > MAX_EXACT_INTEGER) return emitter.expand(column, shape);
  const ones = emitter.constant("float32", [1, width], new Float32Array(width).fill(1));
  const numbers = emitter.node("MatMul", [emitter.cast(column, "float32"), ones], {}, "float32", shape);
  return emitter.cast(numbers, positions.type);
}

/** Indices clamped to their axis. Constant indices inside the axis need no operator. */
function clamped(emitter: Emitter, view: View, extent: number): View {
  return mapTensor(view, (tensor) => {
    const constant = emitter.initializers.find(({ name }) => name === tensor.name)?.data as
      | Int32Array
      | undefined;
    if (constant?.every((index) => index >= 0 && index < extent)) return tensor;
    const bounds = [emitter.scalar("int32", 0), emitter.scalar("int32", extent - 1)];
    return emitter.node("Clip", [tensor, ...bounds], {}, "int32", tensor.shape);
  });
}

/** Row-major position along the indexed axes, as an int32 view with the common shape of the index arrays. */
function flatIndex(emitter: Emitter, indices: readonly View[], extents: readonly number[]): View {
  const shape = broadcastShapes(...indices.map((view) => view.shape));
  const strides = stridesOf(extents);
  const terms = indices.map((view, i) => {
    const inside = clamped(emitter, view, extents[i]);
    if (strides[i] === 1) return inside;
    return mapTensor(inside, (tensor) =>
      emitter.node("Mul", [tensor, emitter.scalar("int32", strides[i])], {}, "int32", tensor.shape),
    );
  });
  const sum = terms.reduce((a, b) =>
    elementwise(emitter, [a, b], "int32", (operands, sumShape) =>
      emitter.node("Add", operands, {}, "int32", sumShape),
    ),
  );
  return { ...alignView(sum, shape.length), shape };
}
