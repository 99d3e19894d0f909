// Builds graph nodes for elementwise formulas. It is used for operations that are composed of simpler ones, such as
// erfc.

import { type DType, hostArray } from "./dtype.ts";
import type { BinaryOp, BitOp, GraphBuilder, OpName, ShiftOp, UnaryOp, Value } from "./ir.ts";
import { broadcastShapes } from "./shape.ts";

type Operand = Value | number;

/** Functions that append elementwise nodes on values of one dtype. Plain numbers become constants. */
export function elementwiseBuilder(builder: GraphBuilder, dtype: DType) {
  const value = (x: Operand) =>
    typeof x === "number"
      ? builder.add("constant", [], { data: hostArray(dtype, [x]) }, [{ shape: [], dtype }])[0]
      : x;
  const apply = <K extends OpName>(
    op: K,
    operands: readonly Operand[],
    attributes: object,
    result: DType = dtype,
  ) => {
    const inputs = operands.map(value);
    const shape = broadcastShapes(...inputs.map((input) => input.shape));
    return builder.add<OpName>(op, inputs, attributes as never, [{ shape, dtype: result }])[0];
  };
  const binary = (op: BinaryOp) => (x: Operand, y: Operand) => apply(op, [x, y], {});
  return {
    add: binary("add"),
    sub: binary("sub"),
    mul: binary("mul"),
    div: binary("div"),
    max: binary("max"),
    unary: (op: UnaryOp, x: Value) => apply(op, [x], {}),
    bits: (kind: BitOp, x: Operand, y: Operand) => apply("bitCombine", [x, y], { kind }),
    shift: (kind: ShiftOp, x: Operand, y: Operand) => apply("bitShift", [x, y], { kind }),
    less: (x: Operand, y: Operand) => apply("compare", [x, y], { kind: "less" }, "bool"),
    where: (condition: Value, x: Operand, y: Operand) => {
      const branches = [value(x), value(y)];
      const shape = broadcastShapes(condition.shape, ...branches.map((branch) => branch.shape));
      return builder.add("where", [condition, ...branches], {}, [{ shape, dtype }])[0];
    },
  };
}
