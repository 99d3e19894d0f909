// The engine's intermediate representation: a flat list of typed array operations.
//
// Operations follow NumPy, with explicit shapes. Elementwise operations align and broadcast their operands from the
// right; all operands of an operation have the same dtype (tracing inserts casts). `dot` is sum(x * y) over the last axis.

import type { ArraySpec, DType, TypedArray } from "./dtype.ts";

export type UnaryOp =
  | "neg"
  | "reciprocal"
  | "floor"
  | "ceil"
  | "sin"
  | "cos"
  | "asin"
  | "atan"
  | "exp"
  | "log"
  | "erf"
  | "sqrt";
export type BinaryOp = "add" | "sub" | "mul" | "div" | "idiv" | "mod" | "min" | "max";
export type ReduceOp = "sum" | "prod" | "min" | "max";
export type CompareOp = "less" | "lessEqual" | "equal" | "notEqual";
export type BitOp = "and" | "or" | "xor";
export type ShiftOp = "shl" | "shr";
export type Pair = readonly [number, number];

export type NoAttributes = Readonly<Record<never, never>>;

/**
 * Positions that a gather reads or a scatter writes: one index array per axis. The common shape of the index arrays
 * appears in the output at dimension `outDim`. Indices outside an axis are clamped to it.
 */
export interface IndexAttributes {
  readonly axes: readonly number[];
  readonly outDim: number;
}

/** Attributes of each operation. Output shapes follow from inputs and attributes. */
export interface OpAttributes extends Record<UnaryOp | BinaryOp, NoAttributes> {
  constant: { readonly data: TypedArray };
  bitCombine: { readonly kind: BitOp };
  bitShift: { readonly kind: ShiftOp };
  compare: { readonly kind: CompareOp };
  cast: { readonly dtype: DType };
  bitcast: { readonly dtype: DType };
  where: NoAttributes;
  reduce: { readonly kind: ReduceOp; readonly axes: readonly number[] };
  dot: NoAttributes;
  /** `axes` are the positions of the new axes in `shape`. Existing axes of size 1 may also be expanded. */
  broadcast: { readonly shape: readonly number[]; readonly axes: readonly number[] };
  reshape: { readonly shape: readonly number[] };
  transpose: { readonly permutation: readonly number[] };
  flip: { readonly axes: readonly number[] };
  slice: { readonly bounds: readonly Pair[] };
  pad: { readonly widths: readonly Pair[] };
  concatenate: { readonly axis: number };
  split: { readonly axis: number; readonly sizes: readonly number[] };
  gather: IndexAttributes;
  /** Adds updates to zeros of this shape, or overwrites the zeros with them. */
  scatter: IndexAttributes & { readonly shape: readonly number[]; readonly kind: "add" | "update" };
  /**
   * Random bits from the Threefry generator, for two uint32 arrays of keys. Each pair of keys gives one block of bits
   * along the remaining axes of `shape`, whose positions are the counter.
   */
  randomBits: { readonly shape: readonly number[]; readonly mode: "xor" | 0 | 1 };
  /** Sorts ascending along the last axis. */
  sort: NoAttributes;
  /** Stable ascending sort along the last axis: the sorted values and their int32 positions. */
  argsort: NoAttributes;
}

/** The name of an operation. */
export type OpName = keyof OpAttributes;

/** An array in a graph. Values are compared by object identity; `id` numbers them in order of creation. */
export interface Value extends ArraySpec {
  readonly id: number;
}

export interface NodeOf<K extends OpName> {
  readonly op: K;
  readonly inputs: readonly Value[];
  readonly attributes: OpAttributes[K];
  readonly outputs: readonly Value[];
}

/** One operation of a graph. */
export type Node = { [K in OpName]: NodeOf<K> }[OpName];

/** A named input or output. */
export interface Port {
  readonly name: string;
  readonly value: Value;
}

/** A program: named inputs and outputs, and nodes in topological order. */
export interface Graph {
  readonly name: string;
  readonly inputs: readonly Port[];
  readonly nodes: readonly Node[];
  readonly outputs: readonly Port[];
}

/** Appends nodes in order and creates their output values. */
export class GraphBuilder {
  readonly nodes: Node[] = [];
  #next = 0;

  /** A builder of nodes that are added to a graph. */
  static after({ inputs, nodes }: Graph): GraphBuilder {
    const builder = new GraphBuilder();
    for (const { value } of inputs) builder.#next = Math.max(builder.#next, value.id + 1);
    for (const { id } of nodes.flatMap(({ outputs }) => outputs))
      builder.#next = Math.max(builder.#next, id + 1);
    return builder;
  }

  value(spec: ArraySpec): Value {
    return { id: this.#next++, shape: spec.shape, dtype: spec.dtype };
  }

  add<K extends OpName>(
    op: K,
    inputs: readonly Value[],
    attributes: OpAttributes[K],
    outputs: readonly ArraySpec[],
  ): Value[] {
    const values = outputs.map((output) => this.value(output));
    this.nodes.push({ op, inputs, attributes, outputs: values } as unknown as Node);
    return values;
  }
}

/** Number of uses of each value, counting graph outputs as uses. */
export function countUses(graph: Graph): Map<Value, number> {
  const uses = new Map<Value, number>();
  const use = (value: Value) => uses.set(value, (uses.get(value) ?? 0) + 1);
  for (const node of graph.nodes) node.inputs.forEach(use);
  for (const { value } of graph.outputs) use(value);
  return uses;
}
