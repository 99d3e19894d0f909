// Nodes that compute the same have the same key.

import { type ArraySpec, describe, type TypedArray } from "./dtype.ts";
import type { OpName } from "./ir.ts";

const COMMUTATIVE = new Set<OpName>(["add", "mul", "min", "max", "bitCombine"]);

/** `operands` are numbers that stand for what the node reads. */
export function nodeKey(
  op: OpName,
  operands: readonly number[],
  attributes: object,
  outputs: readonly ArraySpec[],
): string {
  const ids = COMMUTATIVE.has(op) ? operands.toSorted((a, b) => a - b) : operands;
  const text = Object.values(attributes).map((value) =>
    ArrayBuffer.isView(value) ? constantKey(value as TypedArray) : JSON.stringify(value),
  );
  return `${op}(${ids.join(",")})${text.join(";")}:${outputs.map(describe).join()}`;
}

let anonymous = 0;

/** Small constants are compared by content; large ones are never the same. */
function constantKey(data: TypedArray): string {
  if (data.length > 1024) return `#${anonymous++}`;
  return `${data.constructor.name}${Array.from(data, (x) => (Object.is(x, -0) ? "-0" : x)).join(",")}`;
}
