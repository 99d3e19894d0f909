// Reductions and sorting.

import { sizeOf } from "../dtype.ts";
import type { ReduceOp } from "../ir.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { Lowered } from "./lower.ts";
import type { ElementType } from "./model.ts";
import { cast, mapStored } from "./scalar.ts";
import { realise, stored, type View, viewOn } from "./views.ts";

const OPERATORS = { sum: "ReduceSum", prod: "ReduceProd", min: "ReduceMin", max: "ReduceMax" } as const;

export function reduce({ emitter, node, inputs: [x] }: Lowered<"reduce">): View[] {
  return [reduceView(emitter, x, node.attributes.kind, node.attributes.axes)];
}

/** Reduces axes away. Repeated axes are not walked: a sum over n equal numbers is n times one of them. */
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
  const adds = kind === "sum" || kind === "prod";
  // In 64 bits sums and products wrap as they should; ONNX Runtime's int32 sums do not.
  if ((type === "int32" || type === "uint32") && adds) {
    return cast(emitter, reduceView(emitter, cast(emitter, view, "int64"), kind, axes), type);
  }
  if (type === "uint32") return extremeOfUnsigned(emitter, view, kind, axes);
  const x = kind === "prod" ? realise(emitter, view, axes) : view;
  const repeats = axes.filter((axis) => x.axes[axis] === null).reduce((n, axis) => n * x.shape[axis], 1);
  const { tensor, positions } = stored(x);
  const at = axes.flatMap((axis) => positions[axis] ?? []).sort((a, b) => a - b);
  const keptPositions = positions.filter((_, axis) => !axes.includes(axis));
  const keptShape = x.shape.filter((_, axis) => !axes.includes(axis));
  // A reduced last dimension stays with extent 1: what follows mostly broadcasts the result along it again.
  const keepDimensions = at.includes(tensor.shape.length - 1) && at.length < tensor.shape.length;
  const moved = keptPositions.map((position) =>
    position === null || keepDimensions ? position : position - at.filter((gone) => gone < position).length,
  );
  const reduced = at.length === 0 ? tensor : reduceTensor(emitter, tensor, kind, at, keepDimensions);
  const result = viewOn(reduced, moved, keptShape);
  if (kind !== "sum" || repeats === 1) return result;
  return mapStored(result, (sum) =>
    emitter.node("Mul", [sum, emitter.scalar(sum.type as "float32", repeats)], {}, sum.type, sum.shape),
  );
}

/** Through int32 with the top bit turned over, which keeps the order. (Not through int64: ONNX Runtime 1.30's
 * vectorised int64 ReduceMax compares the low words only.) */
function extremeOfUnsigned(emitter: Emitter, view: View, kind: ReduceOp, axes: readonly number[]): View {
  const turnTopBit = (x: View) =>
    mapStored(x, (tensor) =>
      emitter.node("BitwiseXor", [tensor, emitter.scalar("uint32", 0x80000000)], {}, "uint32", tensor.shape),
    );
  const signed = cast(emitter, turnTopBit(view), "int32");
  return turnTopBit(cast(emitter, reduceView(emitter, signed, kind, axes), "uint32"));
}

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
    // A row of ones times the matrix: much faster than ReduceSum over leading axes.
    const rows = sizeOf(at.map((position) => tensor.shape[position]));
    const ones = emitter.constant("float32", [rows], new Float32Array(rows).fill(1));
    const matrix = emitter.reshape(tensor, [rows, sizeOf(shape)]);
    return emitter.reshape(emitter.node("MatMul", [ones, matrix], {}, "float32", [sizeOf(shape)]), shape);
  }
  const keepdims = keepDimensions ? 1 : 0;
  return emitter.node(OPERATORS[kind], [tensor, emitter.integers(at)], { keepdims }, tensor.type, shape);
}

export function sort(lowered: Lowered<"sort">): View[] {
  return [sorted(lowered.emitter, lowered.inputs[0])[0]];
}

export function argsort(lowered: Lowered<"argsort">): View[] {
  return sorted(lowered.emitter, lowered.inputs[0]);
}

/** Ascending values and their positions along the last axis. TopK keeps equal values in order. */
function sorted(emitter: Emitter, view: View): [View, View] {
  const type = view.base.type;
  const through: ElementType = type === "uint32" ? "int64" : type === "bool" ? "int32" : type;
  const last = view.shape.length - 1;
  const x = realise(emitter, cast(emitter, view, through), [last]);
  const { tensor, positions } = stored(x);
  const axis = positions[last];
  if (axis === null) {
    const zero = viewOn(
      emitter.scalar("int32", 0),
      view.shape.map(() => null),
      view.shape,
    );
    return [view, zero];
  }
  const [values, indices] = emitter.nodeWith(
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
