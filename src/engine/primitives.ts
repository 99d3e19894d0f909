// Translates jax-js primitives to operations of the graph. Tracing a primitive that has no rule here is an error.
//
// Operands of mixed types get explicit casts. Primitives that ONNX lacks, such as erfc, are composed of simpler ones.

import type { ArraySpec, DType } from "./dtype.ts";
import { elementwiseBuilder } from "./elementwise-builder.ts";
import type {
  BinaryOp,
  BitOp,
  CompareOp,
  GraphBuilder,
  OpName,
  ReduceOp,
  ShiftOp,
  UnaryOp,
  Value,
} from "./ir.ts";

/** One equation of a jaxpr, with its inputs already translated. */
export interface Equation {
  readonly builder: GraphBuilder;
  readonly inputs: readonly Value[];
  /** Whether each operand is weakly typed: a plain number, which takes the type of the other operand. */
  readonly weak: readonly boolean[];
  // biome-ignore lint/suspicious/noExplicitAny: jax-js types its parameters as any
  readonly params: Record<string, any>;
  readonly outputs: readonly ArraySpec[];
}

type Rule = (equation: Equation) => readonly Value[];

export const primitives: Readonly<Record<string, Rule>> = {
  add: binary("add"),
  mul: binary("mul"),
  idiv: binary("idiv"),
  mod: binary("mod"),
  min: binary("min"),
  max: binary("max"),
  neg: unary("neg"),
  reciprocal: unary("reciprocal"),
  floor: unary("floor"),
  ceil: unary("ceil"),
  sin: unary("sin"),
  cos: unary("cos"),
  asin: unary("asin"),
  atan: unary("atan"),
  exp: unary("exp"),
  log: unary("log"),
  erf: unary("erf"),
  sqrt: unary("sqrt"),
  stop_gradient: ({ inputs }) => inputs,
  erfc: ({ builder, inputs }) => [erfc(builder, inputs[0])],
  bit_count: ({ builder, inputs }) => [bitCount(builder, inputs[0])],
  random_bits: ({ builder, inputs, params, outputs }) =>
    builder.add("randomBits", inputs, { shape: params.shape, mode: params.mode }, outputs),

  bit_combine: ({ builder, inputs, params, outputs }) =>
    builder.add(
      "bitCombine",
      castAll(builder, inputs, outputs[0].dtype),
      { kind: params.op as BitOp },
      outputs,
    ),
  bit_shift: ({ builder, inputs, params, outputs }) =>
    builder.add(
      "bitShift",
      castAll(builder, inputs, outputs[0].dtype),
      { kind: params.op as ShiftOp },
      outputs,
    ),
  compare: ({ builder, inputs, weak, params, outputs }) => {
    const kinds = { less: "less", less_equal: "lessEqual", equal: "equal", not_equal: "notEqual" } as const;
    const kind: CompareOp = kinds[params.op as keyof typeof kinds];
    return builder.add("compare", castAll(builder, inputs, promote(inputs, weak)), { kind }, outputs);
  },
  where: ({ builder, inputs: [condition, ...branches], outputs }) =>
    builder.add("where", [condition, ...castAll(builder, branches, outputs[0].dtype)], {}, outputs),

  cast: ({ builder, inputs, params, outputs }) =>
    builder.add("cast", inputs, { dtype: params.dtype }, outputs),
  bitcast: ({ builder, inputs, params, outputs }) =>
    builder.add("bitcast", inputs, { dtype: params.dtype }, outputs),

  reduce: ({ builder, inputs, params, outputs }) => {
    const kinds = { Add: "sum", Mul: "prod", Min: "min", Max: "max" } as const;
    const kind: ReduceOp = kinds[params.op as keyof typeof kinds];
    return builder.add("reduce", inputs, { kind, axes: params.axis }, outputs);
  },
  dot: ({ builder, inputs, outputs }) =>
    builder.add("dot", castAll(builder, inputs, outputs[0].dtype), {}, outputs),

  broadcast: ({ builder, inputs, params, outputs }) =>
    builder.add("broadcast", inputs, { shape: params.shape, axes: params.axis }, outputs),
  reshape: ({ builder, inputs, params, outputs }) =>
    builder.add("reshape", inputs, { shape: params.shape }, outputs),
  transpose: ({ builder, inputs, params, outputs }) =>
    builder.add("transpose", inputs, { permutation: params.perm }, outputs),
  flip: ({ builder, inputs, params, outputs }) => builder.add("flip", inputs, { axes: params.axis }, outputs),
  shrink: ({ builder, inputs, params, outputs }) =>
    builder.add("slice", inputs, { bounds: params.slice }, outputs),
  pad: ({ builder, inputs, params, outputs }) =>
    builder.add("pad", inputs, { widths: params.width }, outputs),
  concatenate: ({ builder, inputs, params, outputs }) =>
    builder.add("concatenate", castAll(builder, inputs, outputs[0].dtype), { axis: params.axis }, outputs),
  split: ({ builder, inputs, params, outputs }) =>
    builder.add("split", inputs, { axis: params.axis, sizes: params.sizes }, outputs),

  gather: ({ builder, inputs: [x, ...indices], params, outputs }) =>
    builder.add(
      "gather",
      [x, ...castAll(builder, indices, "int32")],
      { axes: params.axis, outDim: params.outDim },
      outputs,
    ),
  scatter: ({ builder, inputs: [updates, ...indices], params, outputs }) =>
    builder.add(
      "scatter",
      [updates, ...castAll(builder, indices, "int32")],
      { axes: params.axis, outDim: params.outDim, shape: params.shape, kind: params.op },
      outputs,
    ),
  sort: ({ builder, inputs, outputs }) => builder.add("sort", inputs, {}, outputs),
  argsort: ({ builder, inputs, outputs }) => builder.add("argsort", inputs, {}, outputs),

  // Sliding windows are a gather with constant indices; the transpose is a scatter.
  pool: ({ builder, inputs: [x], params, outputs }) => {
    const { axes, indices } = windows(builder, x.shape, params.window, params.strides);
    return builder.add("gather", [x, ...indices], { axes, outDim: axes[0] }, outputs);
  },
  pool_transpose: ({ builder, inputs: [ct], params, outputs }) => {
    const { axes, indices } = windows(builder, params.inShape, params.window, params.strides);
    return builder.add(
      "scatter",
      [ct, ...indices],
      { axes, outDim: axes[0], shape: params.inShape, kind: "add" },
      outputs,
    );
  },
};

function unary(op: UnaryOp): Rule {
  return ({ builder, inputs, outputs }) => builder.add<OpName>(op, inputs, {}, outputs);
}

function binary(op: BinaryOp): Rule {
  return ({ builder, inputs, outputs }) =>
    builder.add<OpName>(op, castAll(builder, inputs, outputs[0].dtype), {}, outputs);
}

function castAll(builder: GraphBuilder, values: readonly Value[], dtype: DType): Value[] {
  return values.map((value) => cast(builder, value, dtype));
}

function cast(builder: GraphBuilder, value: Value, dtype: DType): Value {
  return value.dtype === dtype
    ? value
    : builder.add("cast", [value], { dtype }, [{ shape: value.shape, dtype }])[0];
}

const RANK: readonly DType[] = ["bool", "uint32", "int32", "float32"];

/** Common type of two operands by the rules of jax-js: a plain number takes the type of the array. */
function promote(inputs: readonly Value[], weak: readonly boolean[]): DType {
  const [a, b] = inputs.map(({ dtype }) => RANK.indexOf(dtype));
  if (weak[0] === weak[1]) return RANK[Math.max(a, b)];
  return RANK[Math.max(weak[0] ? b : a, RANK.indexOf("uint32"))];
}

/**
 * Chebyshev fit of erfc (Press et al., Numerical Recipes, erfcc) with a relative error below 1.2e-7 in exact arithmetic.
 * In float32, rounding of the exponent adds to the error in the tail.
 */
function erfc(builder: GraphBuilder, x: Value): Value {
  const { add, sub, mul, div, max, unary, where, less } = elementwiseBuilder(builder, x.dtype);
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
    1.00002368, -1.26551223,
  ];
  const magnitude = max(x, unary("neg", x));
  const t = div(1, add(1, mul(0.5, magnitude)));
  const polynomial = coefficients
    .slice(1)
    .reduce<Value | number>((sum, c) => add(mul(sum, t), c), coefficients[0]);
  const tail = mul(t, unary("exp", sub(polynomial, mul(x, x))));
  return where(less(x, 0), sub(2, tail), tail);
}

/** Number of set bits: sums neighbouring fields of 1, 2, 4 and 8 bits. */
function bitCount(builder: GraphBuilder, x: Value): Value {
  const { add, sub, mul, bits, shift } = elementwiseBuilder(builder, "uint32");
  let v = cast(builder, x, "uint32");
  v = sub(v, bits("and", shift("shr", v, 1), 0x55555555));
  v = add(bits("and", v, 0x33333333), bits("and", shift("shr", v, 2), 0x33333333));
  v = bits("and", add(v, shift("shr", v, 4)), 0x0f0f0f0f);
  return cast(builder, shift("shr", mul(v, 0x01010101), 24), "int32");
}

/** Indices of all windows over the trailing axes: the output axes are window positions, then offsets within a window. */
function windows(builder: GraphBuilder, shape: readonly number[], window: number[], strides: number[]) {
  const spatial = window.length;
  const axes = window.map((_, i) => shape.length - spatial + i);
  const indices = axes.map((axis, i) => {
    const count = Math.ceil((shape[axis] - window[i] + 1) / strides[i]);
    const data = Int32Array.from(
      { length: count * window[i] },
      (_, k) => Math.floor(k / window[i]) * strides[i] + (k % window[i]),
    );
    const extents = Array.from({ length: 2 * spatial }, () => 1);
    extents[i] = count;
    extents[spatial + i] = window[i];
    return builder.add("constant", [], { data }, [{ shape: extents, dtype: "int32" }])[0];
  });
  return { axes, indices };
}
