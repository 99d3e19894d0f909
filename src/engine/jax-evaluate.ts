// Evaluates a graph with jax-js primitives inside a jitted function.
//
// It calls the primitives directly on the trace of the arguments. The high-level functions of jax-js would add
// operations that hinder its kernel fusion.

import { numpy as np } from "@jax-js/jax";
import { type DType, hostArray, type TypedArray } from "./dtype.ts";
import type { Graph, Node, OpName, Value } from "./ir.ts";

/** The parts of jax-js's internal tracing interface that this file uses. */
interface Trace {
  lift(value: np.Array): Tracer;
  processPrimitive(primitive: string, operands: readonly Tracer[], params: object): Tracer[];
}
type Tracer = np.Array & { readonly _trace: Trace };

/** Computes all outputs. `anchor` is any argument of the jitted function; it provides the trace. */
export function evaluateGraph(
  graph: Graph,
  anchor: np.Array,
  inputs: Readonly<Record<string, np.Array>>,
): Record<string, np.Array> {
  const trace = (anchor as Tracer)._trace;
  const values = new Map<Value, Tracer>();
  const movementResults = new Set<Value>();
  /** Values that repeat one constant. */
  const repeatedConstants = new Set<Value>();
  for (const { name, value } of graph.inputs) values.set(value, inputs[name] as Tracer);
  for (const node of graph.nodes) {
    const operands = node.inputs.map((value) => {
      const operand = values.get(value)!;
      const views = ROUTINES.has(node.op)
        ? movementResults
        : PADDING.has(node.op)
          ? repeatedConstants
          : undefined;
      return views?.has(value) ? materialised(trace, operand) : operand;
    });
    const results = apply(trace, node, operands);
    node.outputs.forEach((value, i) => {
      values.set(value, results[i]);
      if (MOVEMENT.has(node.op)) movementResults.add(value);
      const isNumber = node.op === "constant" && value.shape.length === 0;
      if (isNumber || (MOVEMENT.has(node.op) && repeatedConstants.has(node.inputs[0])))
        repeatedConstants.add(value);
    });
  }
  return Object.fromEntries(graph.outputs.map(({ name, value }) => [name, values.get(value)!]));
}

/** Operations that jax-js runs as separate routines. Their operands must be materialised arrays, not views. */
const ROUTINES: ReadonlySet<OpName> = new Set(["sort", "argsort", "scatter"]);
/** Operations that pad with zeros. In jit, jax-js 0.1.25 drops the zeros around a repeated scalar constant. */
const PADDING: ReadonlySet<OpName> = new Set(["pad", "concatenate"]);
const MOVEMENT: ReadonlySet<OpName> = new Set([
  "reshape",
  "transpose",
  "broadcast",
  "flip",
  "slice",
  "split",
  "pad",
  "cast",
  "bitcast",
]);

/** x as a materialised array: max(x, x). jax-js 0.1.25 cannot sort a view inside jit. */
function materialised(trace: Trace, x: Tracer): Tracer {
  return trace.processPrimitive("max", [x, x], {})[0];
}

/** Largest number of operands per concatenation. With more arguments than a kernel takes, jax-js's jit never returns. */
const MAX_CONCATENATED = 8;

/** Concatenation of many operands as a tree of small concatenations. */
function concatenated(trace: Trace, operands: readonly Tracer[], axis: number): Tracer {
  if (operands.length <= MAX_CONCATENATED)
    return trace.processPrimitive("concatenate", operands, { axis })[0];
  const groups: Tracer[] = [];
  for (let i = 0; i < operands.length; i += MAX_CONCATENATED) {
    groups.push(concatenated(trace, operands.slice(i, i + MAX_CONCATENATED), axis));
  }
  return concatenated(trace, groups, axis);
}

function apply(trace: Trace, node: Node, operands: readonly Tracer[]): Tracer[] {
  const bind = (primitive: string, inputs: readonly Tracer[], params: object = {}) =>
    trace.processPrimitive(primitive, inputs, params);
  const [x, y] = operands;
  switch (node.op) {
    case "add":
    case "mul":
    case "idiv":
    case "mod":
    case "min":
    case "max":
    case "neg":
    case "reciprocal":
    case "floor":
    case "ceil":
    case "sin":
    case "cos":
    case "asin":
    case "atan":
    case "exp":
    case "log":
    case "erf":
    case "sqrt":
    case "where":
    case "dot":
    case "sort":
    case "argsort":
      return bind(node.op, operands);
    case "constant":
      return [trace.lift(deviceArray(node.outputs[0].dtype, node.outputs[0].shape, node.attributes.data))];
    case "sub":
      return bind("add", [x, ...bind("neg", [y])]);
    case "div":
      return bind("mul", [x, ...bind("reciprocal", [y])]);
    case "bitCombine":
      return bind("bit_combine", operands, { op: node.attributes.kind });
    case "bitShift":
      return bind("bit_shift", operands, { op: node.attributes.kind });
    case "compare": {
      const op = { less: "less", lessEqual: "less_equal", equal: "equal", notEqual: "not_equal" };
      // The WebAssembly backend of jax-js cannot order booleans.
      const numbers =
        node.inputs[0].dtype === "bool"
          ? operands.flatMap((z) => bind("cast", [z], { dtype: "int32" }))
          : operands;
      return bind("compare", numbers, { op: op[node.attributes.kind] });
    }
    case "cast":
    case "bitcast":
      return bind(node.op, operands, { dtype: node.attributes.dtype });
    case "reduce": {
      const op = { sum: "Add", prod: "Mul", min: "Min", max: "Max" };
      return bind("reduce", operands, { op: op[node.attributes.kind], axis: [...node.attributes.axes] });
    }
    case "broadcast":
      return bind("broadcast", operands, {
        shape: [...node.attributes.shape],
        axis: [...node.attributes.axes],
      });
    case "reshape":
      return bind("reshape", operands, { shape: [...node.attributes.shape] });
    case "transpose":
      return bind("transpose", operands, { perm: [...node.attributes.permutation] });
    case "flip":
      return bind("flip", operands, { axis: [...node.attributes.axes] });
    case "slice":
      return bind("shrink", operands, { slice: node.attributes.bounds });
    case "pad":
      return bind("pad", operands, { width: node.attributes.widths });
    case "concatenate":
      return [concatenated(trace, operands, node.attributes.axis)];
    case "randomBits":
      return bind("random_bits", operands, { shape: [...node.attributes.shape], mode: node.attributes.mode });
    case "split":
      return bind("split", operands, { axis: node.attributes.axis, sizes: [...node.attributes.sizes] });
    case "gather": {
      const { axes, outDim } = node.attributes;
      const indices = clamped(trace, operands.slice(1), axes, node.inputs[0].shape);
      return bind("gather", [x, ...indices], { axis: [...axes], outDim, uniqueIndices: false });
    }
    case "scatter": {
      const { axes, outDim, shape, kind } = node.attributes;
      const indices = clamped(trace, operands.slice(1), axes, shape);
      return bind("scatter", [x, ...indices], {
        op: kind,
        shape: [...shape],
        axis: [...axes],
        outDim,
        uniqueIndices: false,
      });
    }
    default:
      return node satisfies never;
  }
}

/** Indices clamped to the range of their axis. For an index out of range, jax-js would read a neighbouring element. */
function clamped(
  trace: Trace,
  indices: readonly Tracer[],
  axes: readonly number[],
  shape: readonly number[],
): Tracer[] {
  const number = (k: number) => trace.lift(np.array(k, { dtype: np.int32 }));
  return indices.map((index, i) => {
    const [positive] = trace.processPrimitive("max", [index, number(0)], {});
    return trace.processPrimitive("min", [positive, number(shape[axes[i]] - 1)], {})[0];
  });
}

/** A jax-js array with host data. jax-js stores booleans as int32. */
export function deviceArray(dtype: DType, shape: readonly number[], data: TypedArray): np.Array {
  const host = dtype === "bool" ? hostArray("int32", data) : data.slice();
  return np.array(host as Float32Array, { shape: [...shape], dtype: dtype as np.DType });
}
