// Tests of segments: the graph with segments computes what the graph with vectors computes.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { expect, test } from "vitest";
import { spec } from "../dtype.ts";
import { interpret } from "../interpret.ts";
import type { Graph } from "../ir.ts";
import { simplify } from "../simplify.ts";
import { trace } from "../trace.ts";
import { type Segment, segmentInput, segmentOutput } from "./segments.ts";

const [ROWS, COLUMNS] = [200, 100];
/** A weight that is too long to share a segment, a gain, a bias, and three numbers that nothing reads. */
const SIZES = [ROWS * COLUMNS, COLUMNS, COLUMNS, 3];
const LENGTH = SIZES.reduce((a, b) => a + b);
const VECTOR = Float32Array.from({ length: LENGTH }, (_, i) => Math.sin(i));
const X = Float32Array.from({ length: ROWS }, (_, i) => Math.cos(i));

/** A layer with a weight [200, 100], a gain and a bias [100]; the last three parameters have no influence. */
const loss = (flat: np.Array, x: np.Array) => {
  const [weight, gain, bias] = np.split(flat, [SIZES[0], SIZES[0] + COLUMNS, SIZES[0] + 2 * COLUMNS]);
  const product = np.matmul(x.reshape([1, ROWS]), weight.reshape([ROWS, COLUMNS])); // [1, 100]
  const y = np.add(np.multiply(product, gain), bias); // [1, 100]
  return np.sum(np.multiply(y, y)); // []
};
const graph = simplify(
  trace(
    ({ p, x }) => {
      const [value, gradient] = valueAndGrad((flat: np.Array) => loss(flat, x))(p);
      return { value, gradient };
    },
    { p: spec([LENGTH]), x: spec([ROWS]) },
    "f",
  ),
);

const partOf = ({ offset, shape }: Segment) =>
  VECTOR.slice(offset, offset + shape.reduce((a, b) => a * b, 1));
const names = (ports: Graph["inputs"]) => ports.map(({ name }) => name);

test("parameters are read in their shapes, short neighbours together, and those without influence are not read", () => {
  const { graph: segmented, segments } = segmentInput(graph, "p");
  expect(segments).toEqual([
    { name: "p[0]", offset: 0, shape: [ROWS, COLUMNS] },
    { name: "p[20000]", offset: 20_000, shape: [2 * COLUMNS] },
  ]);
  expect(names(segmented.inputs)).toEqual(["p[0]", "p[20000]", "x"]);
  const inputs = Object.fromEntries(segments.map((each) => [each.name, partOf(each)]));
  expect(interpret(segmented, { ...inputs, x: X })).toEqual(interpret(graph, { p: VECTOR, x: X }));
});

test("gradients are written in parts, short neighbours together, and those that are always 0 are not written", () => {
  const { graph: segmented, segments } = segmentOutput(graph, "gradient");
  const lengths = segments.map(({ offset, shape }) => [offset, shape.reduce((a, b) => a * b)]);
  expect(lengths).toEqual([
    [0, 20_000],
    [20_000, 200],
  ]);
  const whole = interpret(graph, { p: VECTOR, x: X }).gradient;
  const outputs = interpret(segmented, { p: VECTOR, x: X });
  for (const { name, offset } of segments) {
    expect([...outputs[name]]).toEqual([...whole].slice(offset, offset + outputs[name].length));
  }
  expect([...whole].slice(-3)).toEqual([0, 0, 0]);
});

test("parts with a gap between them are segments of their own", () => {
  const ends = simplify(
    trace(
      ({ p }) => {
        const [first, , last] = np.split(p, [2, 5]);
        return { value: np.add(first, last) };
      },
      { p: spec([7]) },
      "f",
    ),
  );
  const { graph: segmented, segments } = segmentInput(ends, "p");
  expect(segments.map(({ name }) => name)).toEqual(["p[0]", "p[5]"]);
  const parts = { "p[0]": VECTOR.slice(0, 2), "p[5]": VECTOR.slice(5, 7) };
  expect(interpret(segmented, parts)).toEqual(interpret(ends, { p: VECTOR.slice(0, 7) }));
});

test("a vector that is not only split is one segment", () => {
  const both = simplify(
    trace(
      ({ p, x }) => ({ value: loss(p, x), double: np.multiply(p, 2) }),
      { p: spec([LENGTH]), x: spec([ROWS]) },
      "f",
    ),
  );
  const read = segmentInput(both, "p");
  expect(read.segments).toEqual([{ name: "p[0]", offset: 0, shape: [LENGTH] }]);
  const written = segmentOutput(read.graph, "double");
  expect(written.segments).toEqual([{ name: "double[0]", offset: 0, shape: [LENGTH] }]);
  expect(interpret(written.graph, { "p[0]": VECTOR, x: X })["double[0]"]).toEqual(
    interpret(both, { p: VECTOR, x: X }).double,
  );
});
