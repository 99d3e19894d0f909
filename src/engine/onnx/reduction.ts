// Lowers reductions and sorting.

import { sizeOf } from "../dtype.ts";
import type { ReduceOp } from "../ir.ts";
import { cast, mapTensor } from "./elementwise.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { LoweringContext } from "./lower.ts";
import type { ElementType } from "./model.ts";
import { storageOf, storeAxes, type View, viewOn } from "./views.ts";

const OPERATORS = { sum: "ReduceSum", prod: "ReduceProd", min: "ReduceMin", max: "ReduceMax" } as const;

export function reduce({ emitter, node, inputs: [x] }: LoweringContext<"reduce">): View[] {
  return [reduceView(emitter, x, node.attributes.kind, node.attributes.axes)];
}

/** Reduces axes of a view. A sum over a broadcast axis of extent n is n times one element. */
export function reduceView(emitter: Emitter, view: View, kind: ReduceOp, axes: readonly number[]): View {
  const type = view.base.type;
  if (type === "bool") {
    const numbers = cast(emitter, view, "int32");
    return cast(
      emitter,
      reduceView(
        emitter,
        numbers,
        { sum: "max", prod: "min", min: "min", max: "max" }[kind] as ReduceOp,
        axes,
      ),
      "bool",
    );
  }
  const canOverflow = kind === "sum" || kind === "prod";
  // Sums and products of integers are computed in 64 bits, where they wrap around correctly; int32 sums of ONNX Runtime
  // do not.
  if ((type === "int32" || type === "uint32") && canOverflow) {
    return cast(emitter, reduceView(emitter, cast(emitter, view, "int64"), kind, axes), type);
  }
  if (type === "uint32") return extremeOfUnsigned(emitter, view, kind, axes);
  const x = kind === "prod" ? storeAxes(emitter, view, axes) : view;
  const repeats = axes.filter((axis) => x.axes[axis] === null).reduce((n, axis) => n * x.shape[axis], 1);
  const { tensor, positions } = squeezed(emitter, storageOf(x));
  const at = axes.flatMap((axis) => positions[axis] ?? []).sort((a, b) => a - b);
  const keptPositions = positions.filter((_, axis) => !axes.includes(axis));
  const keptShape = x.shape.filter((_, axis) => !axes.includes(axis));
  // A reduced last dimension is kept with extent 1, because the result is usually broadcast along it again.
  const keepDimensions = at.includes(tensor.shape.length - 1) && at.length < tensor.shape.length;
  const moved = keptPositions.map((position) =>
    position === null || keepDimensions
      ? position
      : position - at.filter((reduced) => reduced < position).length,
  );
  const reduced = at.length === 0 ? tensor : reduceTensor(emitter, tensor, kind, at, keepDimensions);
  const result = viewOn(reduced, moved, keptShape);
  if (kind !== "sum" || repeats === 1) return result;
  return mapTensor(result, (sum) =>
    emitter.node("Mul", [sum, emitter.scalar(sum.type as "float32", repeats)], {}, sum.type, sum.shape),
  );
}

/** Drops last dimensions of extent 1, because ONNX Runtime reduces the last dimension fastest. */
function squeezed(
  emitter: Emitter,
  { tensor, positions }: ReturnType<typeof storageOf>,
): ReturnType<typeof storageOf> {
  const last = tensor.shape.findLastIndex((extent) => extent !== 1);
  if (last < 0 || last === tensor.shape.length - 1) return { tensor, positions };
  return {
    tensor: emitter.reshape(tensor, tensor.shape.slice(0, last + 1)),
    positions: positions.map((position) => (position !== null && position > last ? null : position)),
  };
}

/**
 * Computes the minimum or maximum of uint32 in int32: flipping the top bit keeps the order. (int64 is no alternative:
 * the vectorised int64 ReduceMax of ONNX Runtime 1.30 compares only the low words.)
 */
function extremeOfUnsigned(emitter: Emitter, view: View, kind: ReduceOp, axes: readonly number[]): View {
  const flipTopBit = (x: View) =>
    mapTensor(x, (tensor) =>
      emitter.node("BitwiseXor", [tensor, emitter.scalar("uint32", 0x80000000)], {}, "uint32", tensor.shape),
    );
  const signed = cast(emitter, flipTopBit(view), "int32");
  return flipTopBit(cast(emitter, reduceView(emitter, signed, kind, axes), "uint32"));
}

/** Rows that are summed by a matrix product have at most this many numbers, and there are at least this many. */
const [LONGEST_SHORT_ROW, MANY_ROWS] = [16, 64];

function reduceTensor(
  emitter: Emitter,
  tensor: Tensor,
  kind: ReduceOp,
  at: readonly number[],
  keepDimensions: boolean,
): Tensor {
  const shape = keepDimensions
    ? tensor.shape.map((extent, position) => (at.includes(position) ? 1 : extent))
    : tensor.shape.filter((_, position) => !at.includes(position));
  const leading = at.every((position, i) => position === i) && at.length < tensor.shape.length;
  if (kind === "sum" && tensor.type === "float32" && leading) {
    // A vector of ones times the matrix is much faster than ReduceSum over leading axes.
    const rows = sizeOf(at.map((position) => tensor.shape[position]));
    const ones = emitter.constant("float32", [rows], new Float32Array(rows).fill(1));
    const matrix = emitter.reshape(tensor, [rows, sizeOf(shape)]);
    return emitter.reshape(emitter.node("MatMul", [ones, matrix], {}, "float32", [sizeOf(shape)]), shape);
  }
  const last = tensor.shape.length - 1;
  const row = tensor.shape[last];
  const rows = sizeOf(shape);
  if (kind === "sum" && tensor.type === "float32" && at.length === 1 && at[0] === last) {
    if (row <= LONGEST_SHORT_ROW && rows >= MANY_ROWS) {
      // So is the matrix times a vector of ones if rows are short, because ReduceSum takes them one by one.
      const ones = emitter.constant("float32", [row, 1], new Float32Array(row).fill(1));
      const matrix = emitter.reshape(tensor, [rows, row]);
      return emitter.reshape(emitter.node("MatMul", [matrix, ones], {}, "float32", [rows, 1]), shape);
    }
  }
  const keepdims = keepDimensions ? 1 : 0;
  return emitter.node(OPERATORS[kind], [tensor, emitter.integers(at)], { keepdims }, tensor.type, shape);
}

export function sort(lowered: LoweringContext<"sort">): View[] {
  return [sorted(lowered.emitter, lowered.inputs[0])[0]];
}

export function argsort(lowered: LoweringContext<"argsort">): View[] {
  return sorted(lowered.emitter, lowered.inputs[0]);
}

/** Values sorted ascending along the last axis, and their positions. TopK keeps equal values in order. */
function sorted(emitter: Emitter, view: View): [View, View] {
  const type = view.base.type;
  const through: ElementType = type === "uint32" ? "int64" : type === "bool" ? "int32" : type;
  const last = view.shape.length - 1;
  const x = storeAxes(emitter, cast(emitter, view, through), [last]);
  const { tensor, positions } = storageOf(x);
  const axis = positions[last];
  if (axis === null) {
    const zero = viewOn(
      emitter.scalar("int32", 0),
      view.shape.map(() => null),
      view.shape,
    );
    return [view, zero];
  }
  const [values, indices] = emitter.multiOutputNode(
    "TopK",
    [tensor, emitter.integers([view.shape[last]])],
    { axis, largest: 0, sorted: 1 },
    [
      { type: through, shape: tensor.shape },
      { type: "int64", shape: tensor.shape },
    ],
  );
  return [
    cast(emitter, viewOn(values, positions, view.shape), type),
    cast(emitter, viewOn(indices, positions, view.shape), "int32"),
  ];
}
