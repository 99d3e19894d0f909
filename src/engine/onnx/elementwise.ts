// Lowers elementwise operations, with workarounds for element types that ONNX Runtime's kernels do not support.

import { sizeOf } from "../dtype.ts";
import { broadcastShapes } from "../shape.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { LoweringContext } from "./lower.ts";
import type { ElementType } from "./model.ts";
import { elementwise, storageOf, type View, viewOn } from "./views.ts";

type AnyLowered = Pick<LoweringContext<"add">, "emitter" | "inputs">;

/** Applies a function to the tensor of a view. Broadcast axes stay broadcast. */
export function mapTensor(view: View, f: (tensor: Tensor) => Tensor): View {
  const { tensor, positions } = storageOf(view);
  return viewOn(f(tensor), positions, view.shape);
}

/** Lowering to an operator with one operand. */
export function unary(operator: string) {
  return ({ emitter, inputs: [x] }: AnyLowered): View[] => [
    mapTensor(x, (tensor) =>
      tensor.type === "uint32" && operator === "Neg"
        ? emitter.node("Sub", [emitter.scalar("uint32", 0), tensor], {}, "uint32", tensor.shape)
        : emitter.node(operator, [tensor], {}, tensor.type, tensor.shape),
    ),
  ];
}

/** Lowering of floor and ceil, which leave integers unchanged. */
export function rounding(operator: "Floor" | "Ceil") {
  return (lowered: AnyLowered): View[] =>
    lowered.inputs[0].base.type === "float32" ? unary(operator)(lowered) : [lowered.inputs[0]];
}

export function cast(emitter: Emitter, view: View, type: ElementType): View {
  return view.base.type === type ? view : mapTensor(view, (tensor) => emitter.cast(tensor, type));
}

/** Lowering to an operator with two operands; `logical` is the operator for booleans. */
export function binary(operator: string, logical?: "And" | "Or") {
  return ({ emitter, inputs }: AnyLowered): View[] => {
    const type = inputs[0].base.type;
    const name = type === "bool" && logical ? logical : operator;
    const attributes: Record<string, number> = operator === "Mod" ? { fmod: 1 } : {};
    return [
      elementwise(emitter, inputs, type, (operands, shape) =>
        emitter.node(name, operands, attributes, type, shape),
      ),
    ];
  };
}

/**
 * Division rounded towards zero, as Div does for integers. Integer division by zero and −2³¹ / −1 would crash the
 * process. Therefore the division is done in 64 bits, and a zero divisor is replaced by 1 (the result of a division by
 * zero is undefined, as in jax-js).
 */
export function idiv({
  emitter,
  inputs,
  constant,
}: Pick<LoweringContext<"idiv">, "emitter" | "inputs" | "constant">): View[] {
  const type = inputs[0].base.type;
  const divisor = constant(1);
  if (type !== "float32" && divisor !== undefined && divisor > 0) return binary("Div")({ emitter, inputs });
  if (type !== "float32") {
    const [x, y] = inputs.map((view) => cast(emitter, view, "int64"));
    const safe = mapTensor(y, (tensor) => {
      const isZero = emitter.node("Equal", [tensor, emitter.scalar("int64", 0)], {}, "bool", tensor.shape);
      return emitter.node("Where", [isZero, emitter.scalar("int64", 1), tensor], {}, "int64", tensor.shape);
    });
    const [quotient] = binary("Div")({ emitter, inputs: [x, safe] });
    return [cast(emitter, quotient, type)];
  }
  const [quotient] = binary("Div")({ emitter, inputs });
  return [
    mapTensor(quotient, (tensor) => {
      const on = (operator: string, ...operands: Tensor[]) =>
        emitter.node(operator, operands, {}, "float32", tensor.shape);
      return on("Mul", on("Sign", tensor), on("Floor", on("Abs", tensor)));
    }),
  ];
}

export function bitCombine({ emitter, node, inputs }: LoweringContext<"bitCombine">): View[] {
  const type = inputs[0].base.type;
  const name = { and: "And", or: "Or", xor: "Xor" }[node.attributes.kind];
  const operator = type === "bool" ? name : `Bitwise${name}`;
  return [
    elementwise(emitter, inputs, type, (operands, shape) =>
      emitter.node(operator, operands, {}, type, shape),
    ),
  ];
}

/** Logical shifts, which ONNX has for unsigned integers only. */
export function bitShift({ emitter, node, inputs }: LoweringContext<"bitShift">): View[] {
  const direction = node.attributes.kind === "shl" ? "LEFT" : "RIGHT";
  const operands = inputs.map((view) => cast(emitter, view, "uint32"));
  const shifted = elementwise(emitter, operands, "uint32", (tensors, shape) =>
    emitter.node("BitShift", tensors, { direction }, "uint32", shape),
  );
  return [cast(emitter, shifted, inputs[0].base.type)];
}

export function compare({ emitter, node, inputs }: LoweringContext<"compare">): View[] {
  const isBool = inputs[0].base.type === "bool";
  return [
    elementwise(emitter, inputs, "bool", ([x, y], shape) => {
      const on = (operator: string, operands: readonly Tensor[], extents = shape) =>
        emitter.node(operator, operands, {}, "bool", extents);
      const not = (tensor: Tensor) => on("Not", [tensor], tensor.shape);
      switch (node.attributes.kind) {
        case "less":
          return isBool ? on("And", [not(x), y]) : on("Less", [x, y]);
        case "lessEqual":
          return isBool ? on("Or", [not(x), y]) : on("LessOrEqual", [x, y]);
        case "equal":
          return on("Equal", [x, y]);
        case "notEqual":
          return not(on("Equal", [x, y]));
        default:
          return node.attributes.kind satisfies never;
      }
    }),
  ];
}

export function where({ emitter, inputs: [condition, x, y], usedOnce }: LoweringContext<"where">): View[] {
  const type = x.base.type;
  if (type === "bool") {
    return [
      elementwise(emitter, [condition, x, y], "bool", ([c, a, b], shape) => {
        const on = (operator: string, operands: readonly Tensor[], extents: readonly number[]) =>
          emitter.node(operator, operands, {}, "bool", extents);
        const chosen = on("And", [c, a], broadcastShapes(c.shape, a.shape));
        const other = on("And", [on("Not", [c], c.shape), b], broadcastShapes(c.shape, b.shape));
        return on("Or", [chosen, other], shape);
      }),
    ];
  }
  const through: ElementType = type === "uint32" ? "int64" : type;
  const branches = [x, y].map((view) => cast(emitter, view, through));
  const chosen = elementwise(emitter, [condition, ...branches], through, ([c, ...values], shape) =>
    emitter.node("Where", [usedOnce(0) ? c : expandColumn(emitter, c, shape), ...values], {}, through, shape),
  );
  return [cast(emitter, chosen, type)];
}

/** Longest rows for which an expanded condition is faster, and the fewest of them. */
const [LONGEST_ROW, FEWEST_ROWS] = [16, 64];

/** Expands a condition that is the same in all of a row, because Where takes each short row separately. This pays where several
 * choices share the expanded condition. */
function expandColumn(emitter: Emitter, condition: Tensor, shape: readonly number[]): Tensor {
  const row = shape.at(-1) ?? 1;
  const isColumn = condition.shape.at(-1) === 1 && row > 1 && condition.shape.length === shape.length;
  const rows = sizeOf(condition.shape);
  return isColumn && row <= LONGEST_ROW && rows >= FEWEST_ROWS && rows * row === sizeOf(shape)
    ? emitter.expand(condition, shape)
    : condition;
}
