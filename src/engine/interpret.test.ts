// Tests of the interpreter against hand-computed results.

import { grad, lax, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { type ArraySpec, type DType, spec } from "./dtype.ts";
import { interpret, type Precision } from "./interpret.ts";
import { type Graph, GraphBuilder } from "./ir.ts";
import { type ArrayFunction, trace } from "./trace.ts";

type Arrays = Readonly<Record<string, np.Array>>;

/** Values of f on inputs as [data, shape, dtype]. Default: a float32 vector. */
function run(
  f: (inputs: Arrays) => np.Array,
  inputs: Readonly<
    Record<string, readonly [data: readonly number[], shape?: readonly number[], dtype?: DType]>
  >,
  precision: Precision = "float64",
): number[] {
  const specs: Record<string, ArraySpec> = {};
  const data: Record<string, readonly number[]> = {};
  for (const [name, [values, shape = [values.length], dtype = "float32"]] of Object.entries(inputs)) {
    specs[name] = spec(shape, dtype);
    data[name] = values;
  }
  const graph = trace(((arrays) => ({ y: f(arrays) })) as ArrayFunction, specs);
  return [...interpret(graph, data, precision).y];
}

const integers = (...values: number[]) => [values, [values.length], "int32"] as const;
const unsigned = (...values: number[]) => [values, [values.length], "uint32"] as const;
const int32 = (value: number) => np.array(value, { dtype: np.int32 });

describe("functions of one number", () => {
  const functions: [name: string, f: (x: np.Array) => np.Array, expected: (x: number) => number][] = [
    ["neg", np.negative, (x) => -x],
    ["reciprocal", np.reciprocal, (x) => 1 / x],
    ["floor", np.floor, Math.floor],
    ["ceil", np.ceil, Math.ceil],
    ["sin", np.sin, Math.sin],
    ["cos", np.cos, Math.cos],
    ["asin", np.arcsin, Math.asin],
    ["atan", np.arctan, Math.atan],
    ["exp", np.exp, Math.exp],
    ["log", np.log, Math.log],
    ["sqrt", np.sqrt, Math.sqrt],
  ];

  test.each(functions)("%s equals the function of JavaScript", (_, f, expected) => {
    const points = [0.125, 0.3, 0.75, 1];
    expect(run(({ x }) => f(x), { x: [points] })).toEqual(points.map(expected));
  });

  test("erf is accurate to 1e-12", () => {
    const reference: [x: number, erf: number][] = [
      [0, 0],
      [1e-8, 1.1283791670955126e-8],
      [0.1, 0.1124629160182849],
      [0.5, 0.5204998778130465],
      [1, 0.8427007929497149],
      [-1, -0.8427007929497149],
      [1.5, 0.9661051464753108],
      [2, 0.9953222650189527],
      [2.9, 0.9999589021219005],
      [3, 0.9999779095030014],
      [3.5, 0.9999992569016276],
      [-4, -0.9999999845827421],
      [6, 1],
    ];
    const found = run(({ x }) => lax.erf(x), { x: [reference.map(([x]) => x)] });
    reference.forEach(([, expected], k) => {
      expect(Math.abs(found[k] - expected)).toBeLessThan(1e-12);
    });
  });

  test("erfc has a relative error of at most 1.2e-7, also in the tail", () => {
    const reference: [x: number, erfc: number][] = [
      [0, 1],
      [0.5, 0.4795001221869535],
      [-1, 1.8427007929497148],
      [2, 0.004677734981047266],
      [5, 1.5374597944280349e-12],
    ];
    const found = run(({ x }) => lax.erfc(x), { x: [reference.map(([x]) => x)] });
    reference.forEach(([, expected], k) => {
      expect(Math.abs(found[k] / expected - 1)).toBeLessThan(1.3e-7);
    });
  });
});

describe("integer arithmetic wraps around", () => {
  test("sums and products of int32", () => {
    expect(run(({ a, b }) => a.add(b), { a: integers(2147483647, -5), b: integers(1, 3) })).toEqual([
      -2147483648, -2,
    ]);
    expect(
      run(({ a, b }) => a.mul(b), { a: integers(65536, 1234567891), b: integers(65536, 987654321) }),
    ).toEqual([0, Math.imul(1234567891, 987654321)]);
    expect(run(({ a }) => np.negative(a), { a: integers(-2147483648, 7) })).toEqual([-2147483648, -7]);
  });

  test("sums and products of uint32", () => {
    expect(run(({ a, b }) => a.add(b), { a: unsigned(4294967295, 5), b: unsigned(1, 3) })).toEqual([0, 8]);
    expect(run(({ a, b }) => np.subtract(a, b), { a: unsigned(0, 5), b: unsigned(1, 3) })).toEqual([
      4294967295, 2,
    ]);
    const product = Math.imul(4000000000, 3000000001) >>> 0;
    expect(run(({ a, b }) => a.mul(b), { a: unsigned(4000000000), b: unsigned(3000000001) })).toEqual([
      product,
    ]);
  });

  test("reductions", () => {
    expect(run(({ a }) => np.sum(a), { a: integers(2147483647, 2147483647, 5) })).toEqual([3]);
    expect(run(({ a }) => np.prod(a), { a: integers(65537, 65537, 3) })).toEqual([
      Math.imul(Math.imul(65537, 65537), 3),
    ]);
    expect(run(({ a }) => np.sum(a), { a: unsigned(4294967295, 4294967295) })).toEqual([4294967294]);
  });

  test("matrix products with terms beyond the precision of a double", () => {
    const a = [1234567891, -2147483647, 7];
    const b = [987654321, 2147483645, -3];
    const expected = a.reduce((sum, x, k) => (sum + Math.imul(x, b[k])) | 0, 0);
    expect(run(({ a, b }) => np.dot(a, b), { a: integers(...a), b: integers(...b) })).toEqual([expected]);
  });

  test("quotients and remainders round towards zero", () => {
    const operands = { a: integers(7, -7, 7, -7), b: integers(2, 2, -2, -2) };
    expect(run(({ a, b }) => a.div(b), operands)).toEqual([3, -3, -3, 3]);
    expect(run(({ a, b }) => a.mod(b), operands).map((x) => x + 0)).toEqual([1, -1, 1, -1]);
    expect(run(({ a }) => a.mod(np.array(2)), { a: [[7.5, -7.5]] })).toEqual([1.5, -1.5]);
  });
});

describe("bit operations", () => {
  test("and, or, xor, shifts (right shifts are logical) and bit counts", () => {
    const a = integers(0b1100, -1);
    expect(run(({ a }) => np.bitwiseAnd(a, int32(0b1010)), { a })).toEqual([0b1000, 0b1010]);
    expect(run(({ a }) => np.bitwiseOr(a, int32(0b1010)), { a })).toEqual([0b1110, -1]);
    expect(run(({ a }) => np.bitwiseXor(a, int32(0b1010)), { a })).toEqual([0b0110, -11]);
    expect(run(({ a }) => np.leftShift(a, int32(30)), { a })).toEqual([0, -1073741824]);
    expect(run(({ a }) => np.rightShift(a, int32(28)), { a })).toEqual([0, 15]);
    expect(run(({ u }) => np.bitwiseCount(u), { u: unsigned(0b1100, 4294967295) })).toEqual([2, 32]);
  });

  test("on floats act on the bits of float32", () => {
    expect(run(({ x }) => x.view(np.int32), { x: [[1, -2, 0.1]] })).toEqual([
      0x3f800000,
      0xc0000000 | 0,
      0x3dcccccd,
    ]);
    expect(run(({ i }) => i.view(np.float32), { i: integers(0x40490fdb) })).toEqual([Math.fround(Math.PI)]);
  });
});

describe("comparisons, where and casts", () => {
  test("comparisons give 0 and 1", () => {
    const operands: { a: [number[]]; b: [number[]] } = { a: [[1, 2, 3]], b: [[2, 2, 2]] };
    expect(run(({ a, b }) => np.less(a, b), operands)).toEqual([1, 0, 0]);
    expect(run(({ a, b }) => np.lessEqual(a, b), operands)).toEqual([1, 1, 0]);
    expect(run(({ a, b }) => np.equal(a, b), operands)).toEqual([0, 1, 0]);
    expect(run(({ a, b }) => np.notEqual(a, b), operands)).toEqual([1, 0, 1]);
  });

  test("where selects by condition and broadcasts all three operands", () => {
    const c = [[1, 0], [2, 1], "bool"] as const;
    expect(run(({ c, x }) => np.where(c, x, -1), { c, x: [[5, 6, 7]] })).toEqual([5, 6, 7, -1, -1, -1]);
  });

  test("casts to integers truncate towards zero, casts to bool test for non-zero", () => {
    expect(run(({ x }) => x.astype(np.int32), { x: [[1.9, -1.9, 3e9]] })).toEqual([1, -1, 3e9 | 0]);
    expect(run(({ x }) => x.astype(np.bool), { x: [[0.5, 0, -2]] })).toEqual([1, 0, 1]);
    expect(run(({ i }) => i.astype(np.uint32), { i: integers(-1) })).toEqual([4294967295]);
  });

  test("sums of booleans are or, products are and", () => {
    const t = [[1, 1, 0], [3], "bool"] as const;
    expect(run(({ t }) => t.any(), { t })).toEqual([1]);
    expect(run(({ t }) => t.all(), { t })).toEqual([0]);
    expect(run(({ t }) => t.add(t), { t })).toEqual([1, 1, 0]);
  });
});

const cube = [Array.from({ length: 12 }, (_, k) => k), [2, 3, 2]] as const;

describe("reductions and products", () => {
  test("work along any axes", () => {
    expect(run(({ x }) => np.sum(x, 0), { x: cube })).toEqual([6, 8, 10, 12, 14, 16]);
    expect(run(({ x }) => np.sum(x, 1), { x: cube })).toEqual([6, 9, 24, 27]);
    expect(run(({ x }) => np.max(x, [0, 2]), { x: cube })).toEqual([7, 9, 11]);
    expect(run(({ x }) => np.min(x), { x: cube })).toEqual([0]);
    expect(run(({ x }) => np.prod(x, 2), { x: cube })).toEqual([0, 6, 20, 42, 72, 110]);
  });

  test("dot multiplies matrices, vectors and batches", () => {
    const a = [
      [1, 2, 3, 4, 5, 6],
      [2, 3],
    ] as const;
    const b = [
      [1, 0, 0, 1, 1, 1],
      [3, 2],
    ] as const;
    expect(run(({ a, b }) => np.matmul(a, b), { a, b })).toEqual([4, 5, 10, 11]);
    expect(run(({ a, v }) => np.matmul(a, v), { a, v: [[1, 1, 2]] })).toEqual([9, 21]);
    const left = [
      [1, 2, 3, 4],
      [2, 1, 2],
    ] as const;
    const right = [
      [1, 10, 100, 1000],
      [2, 2, 1],
    ] as const;
    expect(run(({ left, right }) => np.matmul(left, right), { left, right })).toEqual([21, 4300]);
  });
});

describe("movement", () => {
  const moves: [name: string, expected: number[], f: (x: np.Array) => np.Array][] = [
    ["transpose", [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11], (x) => np.transpose(x, [2, 1, 0])],
    ["reshape", [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11], (x) => np.transpose(x.reshape([2, 6]))],
    ["flip", [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10], (x) => np.flip(x, 2)],
    ["slice", [8, 9, 10, 11], (x) => x.slice([1, 2], [1, 3])],
    ["split", [2, 3, 4, 5, 8, 9, 10, 11], (x) => np.split(x, [1], 1)[1]],
    ["concatenate", [0, 1, 6, 7], (x) => np.concatenate([x.slice(0, [0, 1]), x.slice(1, [0, 1])], 0)],
    ["pad", [0, 0, 1, 2, 0], (x) => np.pad(x.slice(0, [0, 2]).reshape([4]).slice([1, 3]), [[2, 1]])],
    ["broadcast", [0, 1, 0, 1, 0, 1], (x) => np.broadcastTo(x.slice(0, 0), [3, 2])],
  ];

  test.each(moves)("%s moves elements to the right positions", (_, expected, f) => {
    expect(run(({ x }) => f(x), { x: cube })).toEqual(expected);
  });
});

describe("indexing and sorting", () => {
  test("gather reads along one axis or several", () => {
    const i = integers(1, 0, 1);
    expect(run(({ x, i }) => np.take(x, i, 2), { x: cube, i })).toEqual([
      1, 0, 1, 3, 2, 3, 5, 4, 5, 7, 6, 7, 9, 8, 9, 11, 10, 11,
    ]);
    expect(run(({ x, i, j }) => x.slice(i, [], j), { x: cube, i, j: integers(0, 1, 1) })).toEqual([
      6, 8, 10, 1, 3, 5, 7, 9, 11,
    ]);
  });

  test("an adding scatter sums updates of the same position", () => {
    const slope = ({ x, i }: Arrays) => grad((z: np.Array) => np.sum(np.take(z, i, 0)))(x);
    expect(run(slope, { x: [[0, 0, 0, 0]], i: integers(3, 1, 3, 3) })).toEqual([0, 1, 0, 3]);
  });

  test("a writing scatter keeps the last update of a position", () => {
    const builder = new GraphBuilder();
    const updates = builder.value(spec([3]));
    const index = builder.value(spec([3], "int32"));
    const attributes = { axes: [0], outDim: 0, shape: [4], kind: "update" } as const;
    const [value] = builder.add("scatter", [updates, index], attributes, [spec([4])]);
    const graph: Graph = {
      name: "write",
      inputs: [
        { name: "updates", value: updates },
        { name: "index", value: index },
      ],
      nodes: builder.nodes,
      outputs: [{ name: "y", value }],
    };
    expect([...interpret(graph, { updates: [5, 6, 7], index: [2, 0, 2] }).y]).toEqual([6, 0, 7, 0]);
  });

  test("sorting is ascending and stable", () => {
    const x = [
      [3, 1, 3, 2, 1, 1, 0, 1],
      [2, 4],
    ] as const;
    expect(run(({ x }) => np.sort(x), { x })).toEqual([1, 2, 3, 3, 0, 1, 1, 1]);
    expect(run(({ x }) => np.argsort(x), { x })).toEqual([1, 3, 0, 2, 2, 0, 1, 3]);
    expect(run(({ x }) => np.argsort(x, 0), { x })).toEqual([1, 0, 1, 1, 0, 1, 0, 0]);
  });
});

describe("precision", () => {
  const third = ({ x }: Arrays) => np.multiply(np.reciprocal(x), 0.1);

  test("float64 does not round intermediate results to float32", () => {
    expect(run(third, { x: [[3]] })).toEqual([(1 / 3) * Math.fround(0.1)]);
  });

  test("float32 rounds after every operation", () => {
    const rounded = Math.fround(Math.fround(1 / 3) * Math.fround(0.1));
    expect(run(third, { x: [[3]] }, "float32")).toEqual([rounded]);
    expect(run(({ x }) => x.add(1), { x: [[2 ** 24]] }, "float32")).toEqual([2 ** 24]);
    expect(run(({ x }) => x.add(1), { x: [[2 ** 24]] }, "float64")).toEqual([2 ** 24 + 1]);
  });
});
