// Interpreter: runs a graph in plain JavaScript.
//
// In float64 its results are the numeric reference for tests of the engines; in float32 it folds constants at compile
// time.

import { allocate, type DType, sizeOf, type TypedArray } from "./dtype.ts";
import { erf } from "./error-function.ts";
import type { Graph, Node, NodeOf, Value } from "./ir.ts";
import { broadcastShapes, range, type Shape, stridesOf } from "./shape.ts";
import {
  broadcastStrided,
  forEachIndex,
  forEachRow,
  readStrided,
  type Strided,
  sliceStrided,
  writeStrided,
} from "./strided.ts";
import { threefryGraph } from "./threefry.ts";

/** The precision in which a graph is interpreted. */
export type Precision = "float32" | "float64";

/** Arrays of every dtype are stored as doubles, which represent int32, uint32 and bool exactly. */
type Data = Float64Array;

/** Evaluates all outputs of a graph. Precision float32 computes in doubles and rounds after each operation. */
export function interpret(
  graph: Graph,
  inputs: Readonly<Record<string, ArrayLike<number>>>,
  precision: Precision = "float64",
): Record<string, Float64Array> {
  const store = new Map<Value, Data>();
  for (const { name, value } of graph.inputs) store.set(value, new Float64Array(inputs[name]));
  for (const node of graph.nodes) {
    const results = evaluate(
      node,
      node.inputs.map((value) => store.get(value)!),
      precision,
    );
    node.outputs.forEach((value, i) => {
      store.set(value, results[i]);
    });
  }
  return Object.fromEntries(graph.outputs.map(({ name, value }) => [name, store.get(value)!]));
}

/** Evaluates one node on constant inputs in float32, as the engines do. */
export function foldNode(node: Node, inputs: readonly TypedArray[]): TypedArray[] {
  const results = evaluate(
    node,
    inputs.map((data) => new Float64Array(data)),
    "float32",
  );
  return node.outputs.map((value, i) => {
    const array = allocate(value);
    array.set(results[i]);
    return array;
  });
}

function evaluate(node: Node, inputs: readonly Data[], precision: Precision): Data[] {
  const results = compute(node, inputs);
  for (const [i, value] of node.outputs.entries()) roundTo(value.dtype, results[i], precision);
  return results;
}

function roundTo(dtype: DType, data: Data, precision: Precision): void {
  if (dtype === "int32") for (let i = 0; i < data.length; i++) data[i] = data[i] | 0;
  else if (dtype === "uint32") for (let i = 0; i < data.length; i++) data[i] = data[i] >>> 0;
  else if (dtype === "float32" && precision === "float32") {
    for (let i = 0; i < data.length; i++) data[i] = Math.fround(data[i]);
  }
}

function compute(node: Node, inputs: readonly Data[]): Data[] {
  const out = node.outputs[0];
  const [x] = inputs;
  const shapes = node.inputs.map(({ shape }) => shape);
  switch (node.op) {
    case "constant":
      return [new Float64Array(node.attributes.data)];
    case "neg":
      return [x.map((v) => -v)];
    case "reciprocal":
      return [x.map((v) => 1 / v)];
    case "floor":
    case "ceil":
    case "sin":
    case "cos":
    case "asin":
    case "atan":
    case "exp":
    case "log":
    case "sqrt":
      return [x.map(Math[node.op])];
    case "erf":
      return [x.map(erf)];
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "idiv":
    case "mod":
    case "min":
    case "max":
      return [zip(binaryFunction(node.op, out.dtype), inputs, shapes, out.shape)];
    case "bitCombine": {
      const f = {
        and: (a: number, b: number) => a & b,
        or: (a: number, b: number) => a | b,
        xor: (a: number, b: number) => a ^ b,
      };
      return [zip(f[node.attributes.kind], inputs, shapes, out.shape)];
    }
    case "bitShift": {
      const f =
        node.attributes.kind === "shl" ? (a: number, b: number) => a << b : (a: number, b: number) => a >>> b;
      return [zip(f, inputs, shapes, out.shape)];
    }
    case "compare": {
      const f = {
        less: (a: number, b: number) => +(a < b),
        lessEqual: (a: number, b: number) => +(a <= b),
        equal: (a: number, b: number) => +(a === b),
        notEqual: (a: number, b: number) => +(a !== b),
      };
      return [zip(f[node.attributes.kind], inputs, shapes, out.shape)];
    }
    case "where":
      return [zip((c, a, b) => (c ? a : b), inputs, shapes, out.shape)];
    case "cast":
      return [castTo(out.dtype, x)];
    case "bitcast":
      return [reinterpret(node.inputs[0].dtype, out.dtype, x)];
    case "reduce":
      return [reduce(node, x)];
    case "dot":
      return [dot(inputs, shapes, out.dtype)];
    case "broadcast":
      return [readStrided(x, broadcastIndex(node), out.shape)];
    case "reshape":
      return [x.slice()];
    case "transpose": {
      const strides = stridesOf(shapes[0]);
      const moved = node.attributes.permutation.map((axis) => strides[axis]);
      return [readStrided(x, { offset: 0, strides: moved }, out.shape)];
    }
    case "flip": {
      const strides = stridesOf(shapes[0]);
      const { axes } = node.attributes;
      const offset = axes.reduce((sum, axis) => sum + strides[axis] * (shapes[0][axis] - 1), 0);
      return [
        readStrided(x, { offset, strides: strides.map((s, i) => (axes.includes(i) ? -s : s)) }, out.shape),
      ];
    }
    case "slice":
      return [
        readStrided(
          x,
          sliceStrided(
            shapes[0],
            node.attributes.bounds.map(([start]) => start),
          ),
          out.shape,
        ),
      ];
    case "pad": {
      const data = new Float64Array(sizeOf(out.shape));
      const target = sliceStrided(
        out.shape,
        node.attributes.widths.map(([before]) => before),
      );
      writeStrided(x, shapes[0], target, data);
      return [data];
    }
    case "concatenate": {
      const data = new Float64Array(sizeOf(out.shape));
      let start = 0;
      for (const [k, shape] of shapes.entries()) {
        const target = sliceStrided(
          out.shape,
          range(shape.length).map((i) => (i === node.attributes.axis ? start : 0)),
        );
        writeStrided(inputs[k], shape, target, data);
        start += shape[node.attributes.axis];
      }
      return [data];
    }
    case "split": {
      const { axis, sizes } = node.attributes;
      return sizes.map((_, k) => {
        const start = sizes.slice(0, k).reduce((a, b) => a + b, 0);
        return readStrided(
          x,
          sliceStrided(
            shapes[0],
            range(shapes[0].length).map((i) => (i === axis ? start : 0)),
          ),
          node.outputs[k].shape,
        );
      });
    }
    case "gather": {
      const data = new Float64Array(sizeOf(out.shape));
      eachIndexed(node.attributes, shapes[0], inputs.slice(1), shapes.slice(1), (source, target) => {
        data[target] = x[source];
      });
      return [data];
    }
    case "scatter": {
      const data = new Float64Array(sizeOf(out.shape));
      const { kind, shape } = node.attributes;
      eachIndexed(node.attributes, shape, inputs.slice(1), shapes.slice(1), (target, source) => {
        data[target] = kind === "add" ? data[target] + x[source] : x[source];
      });
      return [data];
    }
    case "randomBits":
      return [interpret(threefryGraph(node), { key0: inputs[0], key1: inputs[1] }).bits];
    case "sort":
      return [argsort(x, shapes[0]).values];
    case "argsort": {
      const { values, positions } = argsort(x, shapes[0]);
      return [values, positions];
    }
    default:
      return node satisfies never;
  }
}

function binaryFunction(op: string, dtype: DType): (a: number, b: number) => number {
  const integer = dtype === "int32" || dtype === "uint32";
  switch (op) {
    case "add":
      return dtype === "bool" ? (a, b) => a | b : (a, b) => a + b;
    case "sub":
      return (a, b) => a - b;
    case "mul":
      return integer ? Math.imul : (a, b) => a * b;
    case "div":
      return (a, b) => a / b;
    case "idiv":
      return (a, b) => Math.trunc(a / b);
    case "mod":
      return (a, b) => a % b;
    case "min":
      return Math.min;
    default:
      return Math.max;
  }
}

function castTo(dtype: DType, x: Data): Data {
  if (dtype === "bool") return x.map((v) => (v ? 1 : 0));
  return dtype === "float32" ? x.slice() : x.map(Math.trunc);
}

function reinterpret(from: DType, to: DType, x: Data): Data {
  const source = allocate({ shape: [x.length], dtype: from });
  source.set(x);
  const views = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array, bool: Uint8Array };
  return Float64Array.from(new views[to](source.buffer as ArrayBuffer));
}

function broadcastIndex(node: NodeOf<"broadcast">): Strided {
  const { shape, axes } = node.attributes;
  const inner = node.inputs[0].shape;
  const strides = stridesOf(inner);
  let k = 0;
  return {
    offset: 0,
    strides: shape.map((_, i) => {
      if (axes.includes(i)) return 0;
      const axis = k++;
      return inner[axis] === 1 ? 0 : strides[axis];
    }),
  };
}

function zip(
  f: (...args: number[]) => number,
  inputs: readonly Data[],
  shapes: readonly Shape[],
  shape: Shape,
): Data {
  const data = new Float64Array(sizeOf(shape));
  const operands = shapes.map((operand) => broadcastStrided(operand, shape.length));
  const [x, y, z] = inputs;
  forEachRow(shape, operands, (start, length, [a, b, c], [u, v, w]) => {
    if (z === undefined) for (let i = 0; i < length; i++) data[start + i] = f(x[a + i * u], y[b + i * v]);
    else for (let i = 0; i < length; i++) data[start + i] = f(x[a + i * u], y[b + i * v], z[c + i * w]);
  });
  return data;
}

function reduce(node: NodeOf<"reduce">, x: Data): Data {
  const { kind, axes } = node.attributes;
  const [{ shape, dtype }] = node.inputs;
  const kept = shape.map((extent, i) => (axes.includes(i) ? 1 : extent));
  const start = { sum: 0, prod: 1, min: Infinity, max: -Infinity }[kind];
  const data = new Float64Array(sizeOf(kept)).fill(start);
  const combine = binaryFunction({ sum: "add", prod: "mul", min: "min", max: "max" }[kind], dtype);
  forEachRow(shape, [broadcastStrided(kept, shape.length)], (start, length, [to], [step]) => {
    for (let i = 0; i < length; i++) data[to + i * step] = combine(data[to + i * step], x[start + i]);
  });
  return data;
}

function dot([x, y]: readonly Data[], shapes: readonly Shape[], dtype: DType): Data {
  const [add, multiply] = [binaryFunction("add", dtype), binaryFunction("mul", dtype)];
  const shape = broadcastShapes(...shapes);
  const outer = shape.map((extent, i) => (i === shape.length - 1 ? 1 : extent));
  const data = new Float64Array(sizeOf(outer));
  const operands = [...shapes, outer].map((operand) => broadcastStrided(operand, shape.length));
  forEachRow(shape, operands, (_, length, [a, b, to], [u, v, step]) => {
    for (let i = 0; i < length; i++) {
      data[to + i * step] = add(data[to + i * step], multiply(x[a + i * u], y[b + i * v]));
    }
  });
  return data;
}

/** Visits all pairs (position in the full array, position in the gathered array) of a gather or scatter. */
function eachIndexed(
  { axes, outDim }: { readonly axes: readonly number[]; readonly outDim: number },
  shape: Shape,
  indices: readonly Data[],
  indexShapes: readonly Shape[],
  visit: (full: number, gathered: number) => void,
): void {
  const indexShape = broadcastShapes(...indexShapes);
  const kept = range(shape.length).filter((axis) => !axes.includes(axis));
  const strides = stridesOf(shape);
  const gathered = kept.map((axis) => shape[axis]);
  gathered.splice(outDim, 0, ...indexShape);
  const pad = (indexStrides: readonly number[]) => [
    ...new Array<number>(outDim).fill(0),
    ...indexStrides,
    ...new Array<number>(gathered.length - outDim - indexShape.length).fill(0),
  ];
  const keptStrides = kept.map((axis) => strides[axis]);
  keptStrides.splice(outDim, 0, ...indexShape.map(() => 0));
  const operands: Strided[] = [
    { offset: 0, strides: keptStrides },
    ...indexShapes.map((operand) => ({
      offset: 0,
      strides: pad(broadcastStrided(operand, indexShape.length).strides),
    })),
  ];
  forEachIndex(gathered, operands, (i, [base, ...at]) => {
    visit(
      axes.reduce((position, axis, k) => {
        const index = Math.min(Math.max(indices[k][at[k]], 0), shape[axis] - 1);
        return position + index * strides[axis];
      }, base),
      i,
    );
  });
}

function argsort(x: Data, shape: Shape): { values: Data; positions: Data } {
  const n = shape[shape.length - 1];
  const values = new Float64Array(x.length);
  const positions = new Float64Array(x.length);
  for (let row = 0; row < x.length; row += n) {
    const order = range(n).sort((a, b) => x[row + a] - x[row + b] || a - b);
    order.forEach((from, to) => {
      values[row + to] = x[row + from];
      positions[row + to] = from;
    });
  }
  return { values, positions };
}
