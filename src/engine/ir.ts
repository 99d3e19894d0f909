// The engine's intermediate representation: a flat list of typed array operations.
//
// Semantics are those of NumPy with explicit shapes. Elementwise operations broadcast their operands from the
// right; operands of one operation share a dtype (tracing inserts casts). `dot` is sum(x * y) over the last axis.

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

/** No attributes. */
export type None = Readonly<Record<never, never>>;

/** Where a gather reads or a scatter writes: one index array per axis, their common shape placed at `outDim`.
 * Indices beyond an axis mean its nearest end. */
export interface IndexAttributes {
  readonly axes: readonly number[];
  readonly outDim: number;
}

/** Attributes of every operation. Output shapes follow from inputs and attributes. */
export interface OpAttributes extends Record<UnaryOp | BinaryOp, None> {
  constant: { readonly data: TypedArray };
  bitCombine: { readonly kind: BitOp };
  bitShift: { readonly kind: ShiftOp };
  compare: { readonly kind: CompareOp };
  cast: { readonly dtype: DType };
  bitcast: { readonly dtype: DType };
  where: None;
  reduce: { readonly kind: ReduceOp; readonly axes: readonly number[] };
  dot: None;
  /** `axes` are the positions of the new axes in `shape`; old axes of size 1 may grow too. */
  broadcast: { readonly shape: readonly number[]; readonly axes: readonly number[] };
  reshape: { readonly shape: readonly number[] };
  transpose: { readonly permutation: readonly number[] };
  flip: { readonly axes: readonly number[] };
  slice: { readonly bounds: readonly Pair[] };
  pad: { readonly widths: readonly Pair[] };
  concatenate: { readonly axis: number };
  split: { readonly axis: number; readonly sizes: readonly number[] };
  gather: IndexAttributes;
  /** Adds (or writes) updates into zeros of `shape`. */
  scatter: IndexAttributes & { readonly shape: readonly number[]; readonly kind: "add" | "update" };
  /** Threefry bits of two uint32 keys: a block for each pair, over a counter along the axes after theirs. */
  randomBits: { readonly shape: readonly number[]; readonly mode: "xor" | 0 | 1 };
  /** Ascending along the last axis. */
  sort: None;
  /** Sorted values and their int32 positions, stable, along the last axis. */
  argsort: None;
}

export type OpName = keyof OpAttributes;

/** An array in a graph. Identity is the object; `id` orders values by definition. */
export interface Value extends ArraySpec {
  readonly id: number;
}

export interface NodeOf<K extends OpName> {
  readonly op: K;
  readonly inputs: readonly Value[];
  readonly attributes: OpAttributes[K];
  readonly outputs: readonly Value[];
}

export type Node = { [K in OpName]: NodeOf<K> }[OpName];

export interface Port {
  readonly name: string;
  readonly value: Value;
}

/** A whole program: named inputs and outputs, and nodes in an order in which they can run. */
export interface Graph {
  readonly name: string;
  readonly inputs: readonly Port[];
  readonly nodes: readonly Node[];
  readonly outputs: readonly Port[];
}

/** Appends nodes; the one way graphs come to be. */
export class GraphBuilder {
  readonly nodes: Node[] = [];
  #next = 0;

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

/** How often each value is read, graph outputs included. */
export function countUses(graph: Graph): Map<Value, number> {
  const uses = new Map<Value, number>();
  const use = (value: Value) => uses.set(value, (uses.get(value) ?? 0) + 1);
  for (const node of graph.nodes) node.inputs.forEach(use);
  for (const { value } of graph.outputs) use(value);
  return uses;
}
