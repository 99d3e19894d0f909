// What happens to all pieces of a split alike happens once, before the split. An unrolled loop takes its random numbers
// apart step by step and does the same to each: that is many small operations, or a few on all of them.

import type { Graph, Node, OpName, Value } from "./ir.ts";
import { nodeKey } from "./node-key.ts";
import { alignRight } from "./shape.ts";

/** Fewer pieces are not worth another split. */
const FEWEST_PIECES = 3;

/** Operations on one element of each operand. */
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

/** An array and the pieces that it is split into along an axis. */
interface Family {
  readonly whole: Value;
  readonly axis: number;
  readonly pieces: readonly Value[];
}

/** An equivalent graph. */
export function beforeSplits(graph: Graph): Graph {
  const sameness = numbering(graph);
  const places = new Map<Value, number>();
  const readers = new Map<Value, Set<Node>>();
  graph.nodes.forEach((node, place) => {
    for (const value of node.outputs) places.set(value, place);
    for (const value of node.inputs) readers.set(value, (readers.get(value) ?? new Set()).add(node));
  });
  const placeOf = (value: Value) => places.get(value) ?? -1;
  const values = [...graph.inputs.map(({ value }) => value), ...places.keys()];
  let next = 1 + values.reduce((largest, { id }) => Math.max(largest, id), -1);
  const gone = new Set<Node>();
  const added = new Map<number, Node[]>();
  const add = (node: Node) => {
    const place = Math.max(...node.inputs.map(placeOf));
    added.set(place, [...(added.get(place) ?? []), node]);
    for (const value of node.outputs) places.set(value, place);
  };

  const families = graph.nodes.flatMap(familyOf);
  for (let family = families.pop(); family; family = families.pop()) {
    for (const group of groupsOf(family)) families.push(...hoisted(family, group));
  }
  const nodes = [-1, ...graph.nodes.keys()].flatMap((place) => {
    const node = graph.nodes[place];
    return [...(node && !gone.has(node) ? [node] : []), ...(added.get(place) ?? [])];
  });
  return { ...graph, nodes };

  /** Puts one operation on the whole in place of those on the pieces; what it gives, with their results as pieces. */
  function hoisted({ whole, axis, pieces }: Family, group: readonly Node[]): Family[] {
    // What takes two pieces may be in two groups.
    if (group.some((node) => gone.has(node))) return [];
    for (const node of group) gone.add(node);
    // All that the first of them reads is there before any of their results is needed.
    const first = group.reduce((a, b) => (placeOf(a.outputs[0]) < placeOf(b.outputs[0]) ? a : b));
    const own = pieces[group.indexOf(first)];
    const results = first.outputs.map(({ shape, dtype }, k): Family => {
      const along = axis + shape.length - own.shape.length;
      const grown = shape.map((size, i) => (i === along ? whole.shape[axis] : size));
      const parts = group.map((node) => node.outputs[k]);
      return { whole: { id: next++, dtype, shape: grown }, axis: along, pieces: parts };
    });
    const inputs = first.inputs.map((value) => (value === own ? whole : value));
    add({ ...first, inputs, outputs: results.map((result) => result.whole) } as Node);
    for (const { whole, axis, pieces } of results) {
      const sizes = pieces.map(({ shape }) => shape[axis]);
      add({ op: "split", inputs: [whole], attributes: { axis, sizes }, outputs: pieces });
    }
    return results;
  }

  /** Operations that every piece goes through alike: those on one piece each, in the order of pieces. */
  function groupsOf(family: Family): Node[][] {
    const [first, ...others] = family.pieces.map((piece) => {
      const alike = new Map<string, Node>();
      for (const node of readers.get(piece) ?? []) {
        const description = gone.has(node) ? undefined : describe(node, piece, family.axis);
        if (description !== undefined && !alike.has(description)) alike.set(description, node);
      }
      return alike;
    });
    return (
      [...first]
        .filter(([description]) => others.every((alike) => alike.has(description)))
        .map(([description, node]) => [node, ...others.map((alike) => alike.get(description)!)])
        // Splits that swap places with as many or more would only swap back.
        .filter((group) => group[0].outputs.length < group.length)
    );
  }

  /** What a node does to a piece, if that could be done to the whole just as well. */
  function describe(node: Node, piece: Value, axis: number): string | undefined {
    const goesAlong = ELEMENTWISE.has(node.op) || (node.op === "split" && node.attributes.axis !== axis);
    const rank = node.outputs[0].shape.length;
    const along = axis + rank - piece.shape.length;
    const others = node.inputs.filter((value) => value !== piece);
    if (!goesAlong || others.some(({ shape }) => alignRight(shape, rank)[along] !== 1)) return undefined;
    const operands = node.inputs.map((value) => (value === piece ? -1 : sameness.get(value)!));
    return nodeKey(node.op, operands, node.attributes, []);
  }
}

function familyOf(node: Node): Family[] {
  if (node.op !== "split" || node.outputs.length < FEWEST_PIECES) return [];
  return [{ whole: node.inputs[0], axis: node.attributes.axis, pieces: node.outputs }];
}

/** A number for each value; values that are computed alike from the same have the same. */
function numbering({ inputs, nodes }: Graph): ReadonlyMap<Value, number> {
  const numbers = new Map<Value, number>();
  const known = new Map<string, number>();
  for (const { value } of inputs) numbers.set(value, numbers.size);
  let next = numbers.size;
  for (const node of nodes) {
    const operands = node.inputs.map((value) => numbers.get(value)!);
    const key = nodeKey(node.op, operands, node.attributes, node.outputs);
    const first = known.get(key) ?? next;
    if (first === next) {
      known.set(key, first);
      next += node.outputs.length;
    }
    for (const [i, value] of node.outputs.entries()) numbers.set(value, first + i);
  }
  return numbers;
}
