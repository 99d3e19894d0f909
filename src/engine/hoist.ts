// Hoisting: an operation that is applied equally to all parts of a split is applied once, to the array before the split.
//
// An unrolled loop splits its random numbers by step and does the same to each part. Hoisting turns these many small
// operations into a few large ones.

import type { Graph, Node, OpName, Value } from "./ir.ts";
import { alignRight } from "./shape.ts";
import { nodeKey, numberValues } from "./value-numbering.ts";

/** Smallest number of parts for which hoisting pays for the additional split. */
const MIN_PARTS = 3;

/** Operations that compute each element from the corresponding elements of their operands. */
const ELEMENTWISE: ReadonlySet<OpName> = new Set<OpName>([
  "neg",
  "reciprocal",
  "floor",
  "ceil",
  "sin",
  "cos",
  "asin",
  "atan",
  "exp",
  "log",
  "erf",
  "sqrt",
  "add",
  "sub",
  "mul",
  "div",
  "idiv",
  "mod",
  "min",
  "max",
  "bitCombine",
  "bitShift",
  "compare",
  "cast",
  "bitcast",
  "where",
]);

/** An array and the parts that it is split into along an axis. */
interface SplitArray {
  readonly array: Value;
  readonly axis: number;
  readonly parts: readonly Value[];
}

/** An equivalent graph in which operations on all parts of a split come before the split. */
export function hoistAboveSplits(graph: Graph): Graph {
  const valueNumbers = numberValues(graph);
  const definedAt = new Map<Value, number>();
  const consumers = new Map<Value, Set<Node>>();
  graph.nodes.forEach((node, position) => {
    for (const value of node.outputs) definedAt.set(value, position);
    for (const value of node.inputs) consumers.set(value, (consumers.get(value) ?? new Set()).add(node));
  });
  const positionOf = (value: Value) => definedAt.get(value) ?? -1;
  const values = [...graph.inputs.map(({ value }) => value), ...definedAt.keys()];
  let next = 1 + values.reduce((largest, { id }) => Math.max(largest, id), -1);
  const removed = new Set<Node>();
  const added = new Map<number, Node[]>();
  const add = (node: Node) => {
    const position = Math.max(...node.inputs.map(positionOf));
    added.set(position, [...(added.get(position) ?? []), node]);
    for (const value of node.outputs) definedAt.set(value, position);
  };

  const pending = graph.nodes.flatMap(splitOf);
  for (let split = pending.pop(); split; split = pending.pop()) {
    for (const group of commonOperations(split)) pending.push(...hoist(split, group));
  }
  const nodes = [-1, ...graph.nodes.keys()].flatMap((position) => {
    const node = graph.nodes[position];
    return [...(node && !removed.has(node) ? [node] : []), ...(added.get(position) ?? [])];
  });
  return { ...graph, nodes };

  /**
   * Replaces a group of equal operations on the parts by one operation on the array. Returns the results of that
   * operation, each split into the results of the replaced operations.
   */
  function hoist({ array, axis, parts }: SplitArray, group: readonly Node[]): SplitArray[] {
    // An operation whose two operands are both parts can belong to two groups. Hoist it only once.
    if (group.some((node) => removed.has(node))) return [];
    for (const node of group) removed.add(node);
    // Take the other operands from the earliest node of the group: they are defined before any result is used.
    const first = group.reduce((a, b) => (positionOf(a.outputs[0]) < positionOf(b.outputs[0]) ? a : b));
    const part = parts[group.indexOf(first)];
    const results = first.outputs.map(({ shape, dtype }, k): SplitArray => {
      const resultAxis = axis + shape.length - part.shape.length;
      const fullShape = shape.map((size, i) => (i === resultAxis ? array.shape[axis] : size));
      const resultParts = group.map((node) => node.outputs[k]);
      return { array: { id: next++, dtype, shape: fullShape }, axis: resultAxis, parts: resultParts };
    });
    const inputs = first.inputs.map((value) => (value === part ? array : value));
    add({ ...first, inputs, outputs: results.map((result) => result.array) } as Node);
    for (const { array, axis, parts } of results) {
      const sizes = parts.map(({ shape }) => shape[axis]);
      add({ op: "split", inputs: [array], attributes: { axis, sizes }, outputs: parts });
    }
    return results;
  }

  /** Groups of equal operations, one on each part, in the order of the parts. */
  function commonOperations(split: SplitArray): Node[][] {
    const [first, ...others] = split.parts.map((part) => {
      const operations = new Map<string, Node>();
      for (const node of consumers.get(part) ?? []) {
        const key = removed.has(node) ? undefined : hoistingKey(node, part, split.axis);
        if (key !== undefined && !operations.has(key)) operations.set(key, node);
      }
      return operations;
    });
    return (
      [...first]
        .filter(([key]) => others.every((operations) => operations.has(key)))
        .map(([key, node]) => [node, ...others.map((operations) => operations.get(key)!)])
        // Skip splits with at least as many parts as the outer split: the next pass would exchange the two splits
        // again.
        .filter((group) => group[0].outputs.length < group.length)
    );
  }

  /** Key of an operation on a part, equal for equal operations on other parts. Undefined if it cannot be hoisted. */
  function hoistingKey(node: Node, part: Value, axis: number): string | undefined {
    const keepsAxis = ELEMENTWISE.has(node.op) || (node.op === "split" && node.attributes.axis !== axis);
    const rank = node.outputs[0].shape.length;
    const resultAxis = axis + rank - part.shape.length;
    const others = node.inputs.filter((value) => value !== part);
    if (!keepsAxis || others.some(({ shape }) => alignRight(shape, rank)[resultAxis] !== 1)) return undefined;
    const operands = node.inputs.map((value) => (value === part ? -1 : valueNumbers.get(value)!));
    return nodeKey(node.op, operands, node.attributes, []);
  }
}

function splitOf(node: Node): SplitArray[] {
  if (node.op !== "split" || node.outputs.length < MIN_PARTS) return [];
  return [{ array: node.inputs[0], axis: node.attributes.axis, parts: node.outputs }];
}
