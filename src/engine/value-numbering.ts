// Value numbering: nodes with equal operations and operands get the same key, and their values get the same number.

import { type ArraySpec, describeSpec, type TypedArray } from "./dtype.ts";
import type { Graph, OpName, Value } from "./ir.ts";

const COMMUTATIVE = new Set<OpName>(["add", "mul", "min", "max", "bitCombine"]);

/** Key of a computation. `operands` are the numbers of the node's inputs; equal keys mean equal results. */
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
  return `${op}(${ids.join(",")})${text.join(";")}:${outputs.map(describeSpec).join()}`;
}

let largeConstants = 0;

/** Most elements of a constant that is compared by its content. */
const MOST_COMPARED = 1 << 14;

/** Larger constants always count as different. */
function constantKey(data: TypedArray): string {
  if (data.length > MOST_COMPARED) return `#${largeConstants++}`;
  return `${data.constructor.name}${Array.from(data, (x) => (Object.is(x, -0) ? "-0" : x)).join(",")}`;
}

/** A number for each value of a graph. Values that are computed equally from equal values have the same number. */
export function numberValues({ inputs, nodes }: Graph): ReadonlyMap<Value, number> {
  const numbers = new Map<Value, number>();
  const numberOfKey = new Map<string, number>();
  for (const { value } of inputs) numbers.set(value, numbers.size);
  let next = numbers.size;
  for (const node of nodes) {
    const operands = node.inputs.map((value) => numbers.get(value)!);
    const key = nodeKey(node.op, operands, node.attributes, node.outputs);
    const first = numberOfKey.get(key) ?? next;
    if (first === next) {
      numberOfKey.set(key, first);
      next += node.outputs.length;
    }
    for (const [i, value] of node.outputs.entries()) numbers.set(value, first + i);
  }
  return numbers;
}
