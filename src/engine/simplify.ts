// Simplifies a traced graph without changing its finite results: folds constants, applies algebraic identities, shares
// common subexpressions, removes reshapes and transposes without effect, and drops nodes that no output needs.

import { type ArraySpec, sizeOf, type TypedArray } from "./dtype.ts";
import { hoistAboveSplits } from "./hoist.ts";
import { foldNode } from "./interpret.ts";
import {
  countUses,
  type Graph,
  GraphBuilder,
  type Node,
  type NodeOf,
  type OpName,
  type Value,
} from "./ir.ts";
import { mergeNestedSplits, mergeSiblingSplits } from "./merge-splits.ts";
import { isIdentity, sameShape } from "./shape.ts";
import { nodeKey } from "./value-numbering.ts";

/**
 * Largest number of elements of a folded constant. Larger constants are computed at run time instead of being stored.
 */
const FOLD_LIMIT = 1 << 14;

/** An equivalent, simplified graph. A second application changes nothing. */
export function simplify(graph: Graph): Graph {
  return mergeSplitsAndRewrite(hoistAboveSplits(mergeSplitsAndRewrite(dropUnused(graph))));
}

function mergeSplitsAndRewrite(graph: Graph): Graph {
  return rewriteToFixpoint(mergeSiblingSplits(mergeNestedSplits(graph)));
}

/** Repeats `rewrite` until it removes no more nodes. */
function rewriteToFixpoint(graph: Graph): Graph {
  let current = graph;
  for (let pass = 0; pass < 8; pass++) {
    const next = dropUnused(rewrite(current));
    if (next.nodes.length === current.nodes.length && pass > 0) return next;
    current = next;
  }
  return current;
}

/** One pass over all nodes: folds constants, applies algebraic identities, and shares equal computations. */
function rewrite(graph: Graph): Graph {
  const builder = new GraphBuilder();
  const uses = countUses(graph);
  const rewritten = new Map<Value, Value>();
  const producers = new Map<Value, Node>();
  const valuesByKey = new Map<string, readonly Value[]>();
  const zeroTangents = new Set<Value>();
  const inputs = graph.inputs.map(({ name, value }) => {
    const input = builder.value(value);
    rewritten.set(value, input);
    return { name, value: input };
  });
  const emit: Emit = (op, operands, attributes, outputs) => {
    const key = nodeKey(
      op,
      operands.map(({ id }) => id),
      attributes,
      outputs,
    );
    // A broadcast with one consumer is free. jax-js materialises a broadcast that several nodes share, which is much
    // slower.
    const shared = op === "broadcast" ? undefined : valuesByKey.get(key);
    if (shared) return shared;
    const values = builder.add(op, operands, attributes, outputs);
    const node = builder.nodes[builder.nodes.length - 1];
    for (const value of values) producers.set(value, node);
    if (isZeroTangent(node, (value) => zeroTangents.has(value))) zeroTangents.add(values[0]);
    valuesByKey.set(key, values);
    return values;
  };
  for (const node of graph.nodes) {
    const operands = node.inputs.map((value) => rewritten.get(value)!);
    const context: Context = {
      emit,
      producer: (value) => producers.get(value),
      isZeroTangent: (value) => zeroTangents.has(value),
      singleUse: (i) => uses.get(node.inputs[i]) === 1,
    };
    const results =
      fold(node, operands, context) ??
      applyIdentity(node, operands, context) ??
      emit(node.op, operands, node.attributes, node.outputs);
    node.outputs.forEach((value, i) => {
      rewritten.set(value, results[i]);
    });
  }
  const outputs = graph.outputs.map(({ name, value }) => ({ name, value: rewritten.get(value)! }));
  return { name: graph.name, inputs, nodes: builder.nodes, outputs };
}

type Emit = <K extends OpName>(
  op: K,
  inputs: readonly Value[],
  attributes: NodeOf<K>["attributes"],
  outputs: readonly ArraySpec[],
) => readonly Value[];

interface Context {
  readonly emit: Emit;
  producer(value: Value): Node | undefined;
  /** Whether a value is zero and exists only for its derivative (see the function `isZeroTangent`). */
  isZeroTangent(value: Value): boolean;
  /** Whether operand i of the node has no other use. */
  singleUse(i: number): boolean;
}

/** Evaluates a node if all of its inputs are constants. Broadcasts stay nodes, since they cost nothing. */
function fold(node: Node, operands: readonly Value[], context: Context): readonly Value[] | undefined {
  if (node.op === "constant" || node.op === "broadcast" || operands.length === 0) return undefined;
  if (node.outputs.some(({ shape }) => sizeOf(shape) > FOLD_LIMIT)) return undefined;
  const data: TypedArray[] = [];
  for (const operand of operands) {
    const producer = context.producer(operand);
    if (producer?.op !== "constant") return undefined;
    data.push(producer.attributes.data);
  }
  return foldNode(node, data).map(
    (result, i) => context.emit("constant", [], { data: result }, [node.outputs[i]])[0],
  );
}

/** The one-element constant that a value repeats, if there is one. */
function repeatedConstant(value: Value, context: Context): NodeOf<"constant"> | undefined {
  const producer = context.producer(value);
  if (producer?.op === "constant" && producer.attributes.data.length === 1) return producer;
  if (producer?.op === "broadcast" || producer?.op === "reshape") {
    return repeatedConstant(producer.inputs[0], context);
  }
  return undefined;
}

/** The common value of all elements of a constant. Undefined if the value is not a constant with equal elements. */
function repeatedNumber(value: Value, context: Context): number | undefined {
  return repeatedConstant(value, context)?.attributes.data[0];
}

/**
 * Whether a node computes x − x, or a linear function of x − x. Such terms are zero; functions with hand-written
 * derivatives add them to a value to make it depend on x in differentiation. Simplification drops such terms from the
 * value. (If x is not finite, x − x is NaN. Without this term, the result is the value instead of NaN.)
 */
function isZeroTangent(node: Node, isZero: (value: Value) => boolean): boolean {
  const { op, inputs } = node;
  switch (op) {
    case "sub":
      return inputs[0] === inputs[1] || inputs.every(isZero);
    case "add":
      return inputs.every(isZero);
    case "mul":
      return inputs.some(isZero);
    case "reduce":
      return node.attributes.kind === "sum" && isZero(inputs[0]);
    case "neg":
    case "broadcast":
    case "reshape":
      return isZero(inputs[0]);
    default:
      return false;
  }
}

/** Applies an algebraic identity to a node. Undefined if none applies. */
function applyIdentity(
  node: Node,
  operands: readonly Value[],
  context: Context,
): readonly Value[] | undefined {
  const [x, y] = operands;
  const out = node.outputs[0];
  const keep = (value: Value) => (sameShape(value.shape, out.shape) ? [value] : undefined);
  const emit = (op: OpName, inputs: readonly Value[], attributes: object = {}) =>
    context.emit<OpName>(op, inputs, attributes as never, node.outputs);
  switch (node.op) {
    case "add": {
      if (out.dtype === "bool") return undefined;
      if (repeatedNumber(x, context) === 0) return keep(y);
      if (repeatedNumber(y, context) === 0) return keep(x);
      if (context.isZeroTangent(y)) return keep(x);
      if (context.isZeroTangent(x)) return keep(y);
      const right = context.producer(y);
      if (right?.op === "neg") return emit("sub", [x, right.inputs[0]]);
      const left = context.producer(x);
      if (left?.op === "neg") return emit("sub", [y, left.inputs[0]]);
      return undefined;
    }
    case "mul": {
      if (out.dtype === "bool") return undefined;
      if (repeatedNumber(x, context) === 1) return keep(y);
      if (repeatedNumber(y, context) === 1) return keep(x);
      if (repeatedNumber(x, context) === -1 && sameShape(y.shape, out.shape)) return emit("neg", [y]);
      if (repeatedNumber(y, context) === -1 && sameShape(x.shape, out.shape)) return emit("neg", [x]);
      const right = context.producer(y);
      if (right?.op === "reciprocal" && context.singleUse(1)) return emit("div", [x, right.inputs[0]]);
      const left = context.producer(x);
      if (left?.op === "reciprocal" && context.singleUse(0)) return emit("div", [y, left.inputs[0]]);
      return undefined;
    }
    case "neg": {
      const inner = context.producer(x);
      if (inner?.op === "neg") return [inner.inputs[0]];
      if (inner?.op === "sub" && context.singleUse(0)) return emit("sub", [inner.inputs[1], inner.inputs[0]]);
      return undefined;
    }
    case "where": {
      const condition = repeatedNumber(x, context);
      return condition === undefined ? undefined : keep(operands[condition ? 1 : 2]);
    }
    case "cast":
      return x.dtype === out.dtype ? [x] : undefined;
    case "reshape": {
      if (sameShape(x.shape, out.shape)) return [x];
      const inner = context.producer(x);
      return inner?.op === "reshape" ? emit("reshape", [inner.inputs[0]], node.attributes) : undefined;
    }
    case "broadcast":
      return sameShape(x.shape, out.shape) ? [x] : undefined;
    case "transpose": {
      if (isIdentity(node.attributes.permutation)) return [x];
      const inner = context.producer(x);
      if (inner?.op !== "transpose") return undefined;
      const permutation = node.attributes.permutation.map((axis) => inner.attributes.permutation[axis]);
      return emit("transpose", [inner.inputs[0]], { permutation });
    }
    case "reduce":
    case "flip":
      return node.attributes.axes.length === 0 ? [x] : undefined;
    case "slice":
    case "pad":
      return keep(x);
    case "concatenate": {
      if (operands.length === 1) return [x];
      const first = repeatedConstant(x, context);
      if (first?.outputs[0].shape.length === 0) {
        const number = first.attributes.data[0];
        const axes = out.shape.map((_, i) => i);
        const same = operands.every((operand) => Object.is(repeatedNumber(operand, context), number));
        if (same) return emit("broadcast", [first.outputs[0]], { shape: out.shape, axes });
      }
      const { axis } = node.attributes;
      const parts = operands.flatMap((operand, i) => {
        const inner = context.producer(operand);
        const merges = inner?.op === "concatenate" && inner.attributes.axis === axis && context.singleUse(i);
        return merges ? inner.inputs : [operand];
      });
      return parts.length > operands.length ? emit("concatenate", parts, { axis }) : undefined;
    }
    case "split": {
      if (node.outputs.length === 1) return [x];
      const { axis } = node.attributes;
      const inner = context.producer(x);
      const concatenated = inner?.op === "concatenate" && inner.attributes.axis === axis ? inner.inputs : [];
      return operandsByPart(concatenated, node)?.map((group, i) =>
        group.length === 1 ? group[0] : context.emit("concatenate", group, { axis }, [node.outputs[i]])[0],
      );
    }
    default:
      return undefined;
  }
}

/**
 * For a split of a concatenation, the operands of the concatenation that each part consists of. Undefined if the split
 * cuts an operand.
 */
function operandsByPart(
  operands: readonly Value[],
  { outputs, attributes }: NodeOf<"split">,
): Value[][] | undefined {
  const extent = ({ shape }: ArraySpec) => shape[attributes.axis];
  let next = 0;
  const groups = outputs.map((part) => {
    const from = next;
    for (let missing = extent(part); missing > 0 && next < operands.length; next++)
      missing -= extent(operands[next]);
    return operands.slice(from, next);
  });
  const fits = groups.every(
    (group, i) => group.reduce((sum, operand) => sum + extent(operand), 0) === extent(outputs[i]),
  );
  return fits ? groups : undefined;
}

/** Removes nodes that no output depends on. */
function dropUnused(graph: Graph): Graph {
  const needed = new Set<Value>(graph.outputs.map(({ value }) => value));
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((value) => needed.has(value))) continue;
    kept.push(node);
    for (const value of node.inputs) needed.add(value);
  }
  return { ...graph, nodes: kept.reverse() };
}
