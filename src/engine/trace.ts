// Traces an array function, written with jax-js, to a graph.
//
// The function takes and returns a record of named arrays. Tracing needs only shapes and types and computes nothing.

import { type Jaxpr, makeJaxpr, numpy as np } from "@jax-js/jax";
import {
  type ArraySpec,
  bytesOf,
  type DType,
  describeSpec,
  hostArray,
  isDType,
  sizeOf,
  type TypedArray,
} from "./dtype.ts";
import { TraceError } from "./errors.ts";
import { type Graph, GraphBuilder, type Port, type Value } from "./ir.ts";
import { withoutOwnership } from "./ownership.ts";
import { primitives } from "./primitives.ts";

/** Primitives that exist only for floats. */
const FLOATS: ReadonlySet<string> = new Set([
  "reciprocal",
  "sin",
  "cos",
  "asin",
  "atan",
  "exp",
  "log",
  "erf",
  "erfc",
  "sqrt",
]);
/** Primitives that exist for all numbers, but not for booleans. */
const NUMBERS: ReadonlySet<string> = new Set(["neg", "mod", "idiv"]);

/** Largest constant in bytes. Constants are stored in the program; larger arrays must be inputs. */
const LARGEST_CONSTANT = 2 ** 32;

export type Arrays = Readonly<Record<string, np.Array>>;
/** Shapes and types of arrays by name. */
export type Specs = Readonly<Record<string, ArraySpec>>;
/** A function from named arrays to named arrays, written with the functions of `gflownet/array`. */
export type ArrayFunction<I extends string = string, O extends string = string> = (
  inputs: Readonly<Record<I, np.Array>>,
) => Readonly<Record<O, np.Array>>;

type Closed = ReturnType<ReturnType<typeof makeJaxpr>>["jaxpr"];
type Atom = Jaxpr["outs"][number];
type Equation = Jaxpr["eqns"][number];

/**
 * Records the operations of `f` on arrays of these specs. Errors name the function, the operation and the shapes.
 *
 * @example
 * ```ts
 * import { np } from "gflownet/array";
 * import { interpret, printGraph, simplify, spec, trace } from "gflownet/engine";
 *
 * const graph = simplify(trace(({ x }) => ({ sum: np.sum(x) }), { x: spec([3]) }, "sum"));
 * console.log(printGraph(graph));
 * console.log(interpret(graph, { x: [1, 2, 3.5] }).sum[0]); // 6.5
 * ```
 */
export function trace(f: ArrayFunction, example: Specs, name: string = f.name || "program"): Graph {
  checkSpecs(name, example);
  const inputNames = Object.keys(example);
  let outputNames: string[] = [];
  const flat = (...arrays: np.Array[]) => {
    const outputs = f(Object.fromEntries(inputNames.map((key, i) => [key, arrays[i]])));
    if (outputs === null || typeof outputs !== "object") {
      throw new TraceError(`the function must return a record of arrays, got ${outputs}`);
    }
    outputNames = Object.keys(outputs);
    if (outputNames.length === 0) throw new TraceError("the function returns no arrays");
    return outputNames.map((key) => asArray(key, outputs[key]));
  };
  const examples = inputNames.map((key) => {
    const { shape, dtype } = example[key];
    return np.zeros([...shape], { dtype: dtype as np.DType });
  });
  try {
    const closed = withoutOwnership(() =>
      withOperationNames(examples, () => makeJaxpr(flat)(...examples).jaxpr),
    );
    outputNames.forEach(checkName);
    return fromJaxpr(name, closed, inputNames, outputNames);
  } catch (error) {
    throw new TraceError(`${name}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Throws unless all inputs have valid names, supported dtypes and positive extents. */
export function checkSpecs(name: string, example: Specs): void {
  for (const [key, { shape, dtype }] of Object.entries(example)) {
    checkName(key);
    if (!isDType(dtype)) {
      throw new TraceError(`${name}: input ${key} has dtype ${dtype}; use float32, int32, uint32 or bool`);
    }
    if (shape.some((extent) => !Number.isInteger(extent) || extent < 1)) {
      throw new TraceError(
        `${name}: input ${key} must have positive integer extents, got [${shape.join(", ")}]`,
      );
    }
  }
}

/** Names that begin with a slash are reserved for the engine. */
function checkName(key: string): void {
  if (key === "" || key.startsWith("/")) {
    throw new TraceError(
      `an array name must be non-empty and not begin with a slash, got ${JSON.stringify(key)}`,
    );
  }
}

function asArray(key: string, value: unknown): np.Array {
  if (typeof value === "number" || typeof value === "boolean") return np.array(value);
  if (value !== null && typeof value === "object" && "shape" in value) return value as np.Array;
  throw new TraceError(`output ${key} is not an array`);
}

/** Message of an error. For float64, jax-js fails with a message about Float16Array, which Node 20 lacks. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === "Float16Array is not defined"
    ? "an array of float64 or float16 appears; use float32, int32, uint32 or bool"
    : message;
}

interface TraceClass {
  processPrimitive(primitive: string, tracers: { aval: ArraySpec }[], params: object): unknown[];
}

/** Runs `f`. Errors of jax-js's shape rules get the name of the operation and its operands. */
function withOperationNames<T>(examples: np.Array[], f: () => T): T {
  /** The last operations and their results, for messages. */
  const latest: { primitive: string; results: readonly { aval: ArraySpec }[] }[] = [];
  let traceClass: TraceClass | undefined;
  makeJaxpr((x: np.Array) => {
    traceClass = Object.getPrototypeOf((x as unknown as { _trace: TraceClass })._trace) as TraceClass;
    return x;
  })(examples[0] ?? np.zeros([1]));
  if (!traceClass) throw new Error("internal: jax-js traced nothing");
  const original = traceClass.processPrimitive;
  traceClass.processPrimitive = function (primitive, tracers, params) {
    try {
      const results = original.call(this, primitive, tracers, params) as { aval: ArraySpec }[];
      latest.push({ primitive, results });
      if (latest.length > 3) latest.shift();
      return results;
    } catch (error) {
      if (error instanceof TraceError) throw error;
      const operands = tracers.map((tracer) => describeSpec(tracer.aval)).join(" and ");
      throw new TraceError(`${primitive} of ${operands}: ${error instanceof Error ? error.message : error}`);
    }
  };
  try {
    return f();
  } catch (error) {
    // Functions such as matmul check shapes before they call a primitive, and their errors do not name an operation.
    if (error instanceof TraceError || latest.length === 0) throw error;
    const before = latest.map(
      ({ primitive, results }) =>
        `${primitive} gave ${results.map(({ aval }) => describeSpec(aval)).join(" and ")}`,
    );
    throw new TraceError(`${reasonOf(error)} (after ${before.join(", ")})`, { cause: error });
  } finally {
    traceClass.processPrimitive = original;
  }
}

function fromJaxpr(name: string, closed: Closed, inputNames: string[], outputNames: string[]): Graph {
  const jaxpr = closed.jaxpr.flatten();
  const builder = new GraphBuilder();
  const values = new Map<object, Value>();
  const specOf = (atom: Atom): ArraySpec => {
    const { shape, dtype } = atom.aval;
    if (!isDType(dtype)) {
      throw new TraceError(
        `an array of ${dtype}[${shape.join(", ")}] appears; use float32, int32, uint32 or bool`,
      );
    }
    if (shape.includes(0))
      throw new TraceError(
        `an array of ${describeSpec({ shape, dtype })} appears, but arrays must not be empty`,
      );
    return { shape, dtype };
  };
  const read = (atom: Atom): Value =>
    "value" in atom ? scalar(builder, atom.value, specOf(atom).dtype) : values.get(atom)!;

  const constants = jaxpr.inBinders.slice(0, closed.consts.length);
  constants.forEach((binder, i) => {
    values.set(binder, constant(builder, specOf(binder), closed.consts[i] as np.Array));
  });
  const inputs: Port[] = jaxpr.inBinders.slice(constants.length).map((binder, i) => {
    const value = builder.value(specOf(binder));
    values.set(binder, value);
    return { name: inputNames[i], value };
  });

  for (const equation of jaxpr.eqns) {
    const rule = primitives[equation.primitive];
    const { dtype } = equation.outBinders[0].aval;
    const isSupported = FLOATS.has(equation.primitive)
      ? dtype === "float32"
      : dtype !== "bool" || !NUMBERS.has(equation.primitive);
    if (!isSupported) {
      const operands = equation.inputs.map((atom) => describeSpec(specOf(atom))).join(" and ");
      throw new TraceError(`${equation.primitive} of ${operands}: cast to float32 first`);
    }
    if (!rule) throw new TraceError(unsupported(equation));
    const results = rule({
      builder,
      inputs: equation.inputs.map(read),
      weak: equation.inputs.map((atom) => atom.aval.weakType),
      params: equation.params,
      outputs: equation.outBinders.map(specOf),
    });
    equation.outBinders.forEach((binder, i) => {
      values.set(binder, results[i]);
    });
  }
  const outputs = jaxpr.outs.map((atom, i) => ({ name: outputNames[i], value: read(atom) }));
  return { name, inputs, nodes: builder.nodes, outputs };
}

function unsupported(equation: Equation): string {
  const operands = equation.inputs.map((atom) => atom.aval.toString()).join(" and ");
  return (
    `operation ${equation.primitive} of ${operands} is not supported by this engine; ` +
    "convolutions, Fourier transforms and matrix factorisations are not available"
  );
}

function scalar(builder: GraphBuilder, value: number, dtype: DType): Value {
  const data = toHost(dtype, [value]);
  return builder.add("constant", [], { data }, [{ shape: [], dtype }])[0];
}

/** The constant of an array that the function closes over. If all elements are equal, it becomes a broadcast scalar. */
function constant(builder: GraphBuilder, spec: ArraySpec, array: np.Array): Value {
  if (bytesOf(spec) > LARGEST_CONSTANT) {
    throw new TraceError(`a constant of ${describeSpec(spec)} is over 4 GiB; pass such an array as an input`);
  }
  const data = toHost(spec.dtype, array.ref.dataSync());
  if (sizeOf(spec.shape) > 0 && data.every((x) => Object.is(x, data[0]))) {
    const axes = spec.shape.map((_, i) => i);
    const one = scalar(builder, data[0], spec.dtype);
    return spec.shape.length === 0
      ? one
      : builder.add("broadcast", [one], { shape: spec.shape, axes }, [spec])[0];
  }
  return builder.add("constant", [], { data }, [spec])[0];
}

function toHost(dtype: DType, values: ArrayLike<number>): TypedArray {
  return hostArray(dtype, dtype === "bool" ? Array.from(values, (x) => (x ? 1 : 0)) : values);
}
