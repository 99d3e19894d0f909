// Makes a traced graph smaller without changing its finite results: folds constants, applies identities, shares common
// subexpressions, removes movement that moves nothing, and drops what no output needs.

import { type ArraySpec, sizeOf, type TypedArray } from "./dtype.ts";
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
import { nodeKey } from "./node-key.ts";
import { beforeSplits } from "./pieces.ts";
import { isIdentity, sameShape } from "./shape.ts";
import { joinSplits, shareSplits } from "./splits.ts";

/** Constants larger than this are computed at run time rather than stored in the program. */
const FOLD_LIMIT = 1 << 14;

/** An equivalent graph. Applying it again changes nothing more of substance. */
export function simplify(graph: Graph): Graph {
  return withFewerSplits(beforeSplits(withFewerSplits(dropUnused(graph))));
}

function withFewerSplits(graph: Graph): Graph {
  return rewritten(shareSplits(joinSplits(graph)));
}

/** Rewritten until nothing is left to do. */
function rewritten(graph: Graph): Graph {
  let current = graph;
  for (let pass = 0; pass < 8; pass++) {
    const next = dropUnused(rewrite(current));
    if (next.nodes.length === current.nodes.length && pass > 0) return next;
    current = next;
  }
  return current;
}

function rewrite(graph: Graph): Graph {
  const builder = new GraphBuilder();
  const uses = countUses(graph);
  const replaced = new Map<Value, Value>();
  const producers = new Map<Value, Node>();
  const known = new Map<string, readonly Value[]>();
  const nothing = new Set<Value>();
  const inputs = graph.inputs.map(({ name, value }) => {
    const input = builder.value(value);
    replaced.set(value, input);
    return { name, value: input };
  });
  const emit: Emit = (op, operands, attributes, outputs) => {
    const key = nodeKey(
      op,
      operands.map(({ id }) => id),
      attributes,
      outputs,
    );
    // A broadcast is free while it has one reader; jax-js writes out one that is shared (and is much slower).
    const shared = op === "broadcast" ? undefined : known.get(key);
    if (shared) return shared;
    const values = builder.add(op, operands, attributes, outputs);
    const made = builder.nodes[builder.nodes.length - 1];
    for (const value of values) producers.set(value, made);
    if (isNothing(made, (value) => nothing.has(value))) nothing.add(values[0]);
    known.set(key, values);
    return values;
  };
  for (const node of graph.nodes) {
    const operands = node.inputs.map((value) => replaced.get(value)!);
    const context: Context = {
      emit,
      producer: (value) => producers.get(value),
      nothing: (value) => nothing.has(value),
      singleUse: (i) => uses.get(node.inputs[i]) === 1,
    };
    const results =
      fold(node, operands, context) ??
      identity(node, operands, context) ??
      emit(node.op, operands, node.attributes, node.outputs);
    node.outputs.forEach((value, i) => {
      replaced.set(value, results[i]);
    });
  }
  const outputs = graph.outputs.map(({ name, value }) => ({ name, value: replaced.get(value)! }));
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
  /** Whether a value is known to be zero everywhere but for derivatives, see `isNothing`. */
  nothing(value: Value): boolean;
  /** Whether operand i of the node is read by nobody else. */
  singleUse(i: number): boolean;
}

/** Evaluates a node whose inputs are all constants. Broadcasts stay symbolic: they cost nothing. */
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

/** The scalar constant that every element of a value equals, if that is known. */
function repeatedConstant(value: Value, context: Context): NodeOf<"constant"> | undefined {
  const producer = context.producer(value);
  if (producer?.op === "constant" && producer.attributes.data.length === 1) return producer;
  if (producer?.op === "broadcast" || producer?.op === "reshape") {
    return repeatedConstant(producer.inputs[0], context);
  }
  return undefined;
}

/** The number that every element of a value equals, if that is known. */
function splat(value: Value, context: Context): number | undefined {
  return repeatedConstant(value, context)?.attributes.data[0];
}

/**
 * x − x, and what is linear in it: what carries derivatives beside a value that comes from elsewhere, and is nothing
 * itself (see nn/with-gradient.ts and nn/recall.ts). Where x is not finite, this forgets it; the value beside it remains.
 */
function isNothing(node: Node, nothing: (value: Value) => boolean): boolean {
  const { op, inputs } = node;
  switch (op) {
    case "sub":
      return inputs[0] === inputs[1] || inputs.every(nothing);
    case "add":
      return inputs.every(nothing);
    case "mul":
      return inputs.some(nothing);
    case "reduce":
      return node.attributes.kind === "sum" && nothing(inputs[0]);
    case "neg":
    case "broadcast":
    case "reshape":
      return nothing(inputs[0]);
    default:
      return false;
  }
}

function identity(node: Node, operands: readonly Value[], context: Context): readonly Value[] | undefined {
  const [x, y] = operands;
  const out = node.outputs[0];
  const keep = (value: Value) => (sameShape(value.shape, out.shape) ? [value] : undefined);
  const emit = (op: OpName, inputs: readonly Value[], attributes: object = {}) =>
    context.emit<OpName>(op, inputs, attributes as never, node.outputs);
  switch (node.op) {
    case "add": {
      if (out.dtype === "bool") return undefined;
      if (splat(x, context) === 0) return keep(y);
      if (splat(y, context) === 0) return keep(x);
      if (context.nothing(y)) return keep(x);
      if (context.nothing(x)) return keep(y);
      const right = context.producer(y);
      if (right?.op === "neg") return emit("sub", [x, right.inputs[0]]);
      const left = context.producer(x);
      if (left?.op === "neg") return emit("sub", [y, left.inputs[0]]);
      return undefined;
    }
    case "mul": {
      if (out.dtype === "bool") return undefined;
      if (splat(x, context) === 1) return keep(y);
      if (splat(y, context) === 1) return keep(x);
      if (splat(x, context) === -1 && sameShape(y.shape, out.shape)) return emit("neg", [y]);
      if (splat(y, context) === -1 && sameShape(x.shape, out.shape)) return emit("neg", [x]);
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
      const condition = splat(x, context);
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
        const same = operands.every((operand) => Object.is(splat(operand, context), number));
        if (same) return emit("broadcast", [first.outputs[0]], { shape: out.shape, axes });
      }
      const { axis } = node.attributes;
      const parts = operands.flatMap((operand, i) => {
        const inner = context.producer(operand);
        const joins = inner?.op === "concatenate" && inner.attributes.axis === axis && context.singleUse(i);
        return joins ? inner.inputs : [operand];
      });
      return parts.length > operands.length ? emit("concatenate", parts, { axis }) : undefined;
    }
    case "split": {
      if (node.outputs.length === 1) return [x];
      const { axis } = node.attributes;
      const inner = context.producer(x);
      const joined = inner?.op === "concatenate" && inner.attributes.axis === axis ? inner.inputs : [];
      return piecesOf(joined, node)?.map((parts, i) =>
        parts.length === 1 ? parts[0] : context.emit("concatenate", parts, { axis }, [node.outputs[i]])[0],
      );
    }
    default:
      return undefined;
  }
}

/** The parts that each piece of a split is made of, if no part is cut. */
function piecesOf(parts: readonly Value[], { outputs, attributes }: NodeOf<"split">): Value[][] | undefined {
  const extent = ({ shape }: ArraySpec) => shape[attributes.axis];
  let next = 0;
  const pieces = outputs.map((piece) => {
    const from = next;
    for (let missing = extent(piece); missing > 0 && next < parts.length; next++)
      missing -= extent(parts[next]);
    return parts.slice(from, next);
  });
  const whole = pieces.every(
    (own, i) => own.reduce((sum, part) => sum + extent(part), 0) === extent(outputs[i]),
  );
  return whole ? pieces : undefined;
}

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
