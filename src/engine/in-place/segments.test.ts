// Tests of segments: the graph with segments computes what the graph with vectors computes.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { expect, test } from "vitest";
import { spec } from "../dtype.ts";
import { interpret } from "../interpret.ts";
import type { Graph } from "../ir.ts";
import { simplify } from "../simplify.ts";
import { trace } from "../trace.ts";
import { type Segment, segmentInput, segmentOutput } from "./segments.ts";

const VECTOR = Float32Array.from({ length: 11 }, (_, i) => 0.3 * i - 1);
const X = Float32Array.of(1, -2, 0.5);

/** A layer [3, 2] with a bias [2]; the last three parameters have no influence. */
const loss = (flat: np.Array, x: np.Array) => {
  const [weight, bias] = np.split(flat, [6, 8]);
  const y = np.add(np.matmul(x.reshape([1, 3]), weight.reshape([3, 2])), bias); // [1, 2]
  return np.sum(np.multiply(y, y)); // []
};
const graph = simplify(
  trace(
    ({ p, x }) => {
      const [value, gradient] = valueAndGrad((flat: np.Array) => loss(flat, x))(p);
      return { value, gradient };
    },
    { p: spec([11]), x: spec([3]) },
    "f",
  ),
);

const partOf = ({ offset, shape }: Segment) =>
  VECTOR.slice(offset, offset + shape.reduce((a, b) => a * b, 1));
const names = (ports: Graph["inputs"]) => ports.map(({ name }) => name);

test("parameters are read in their shapes, and those without influence are not read", () => {
  const { graph: segmented, segments } = segmentInput(graph, "p");
  expect(segments).toEqual([
    { name: "p[0]", offset: 0, shape: [3, 2] },
    { name: "p[6]", offset: 6, shape: [2] },
  ]);
  expect(names(segmented.inputs)).toEqual(["p[0]", "p[6]", "x"]);
  expect(segmented.nodes.map(({ op }) => op)).not.toContain("split");
  const inputs = Object.fromEntries(segments.map((each) => [each.name, partOf(each)]));
  expect(interpret(segmented, { ...inputs, x: X })).toEqual(interpret(graph, { p: VECTOR, x: X }));
});

test("gradients are written in parts, and those that are always 0 are not written", () => {
  const { graph: segmented, segments } = segmentOutput(graph, "gradient");
  expect(segments.map(({ offset }) => offset)).toEqual([0, 6]);
  expect(segmented.nodes.map(({ op }) => op)).not.toContain("concatenate");
  const whole = interpret(graph, { p: VECTOR, x: X }).gradient;
  const outputs = interpret(segmented, { p: VECTOR, x: X });
  for (const { name, offset } of segments) {
    expect([...outputs[name]]).toEqual([...whole].slice(offset, offset + outputs[name].length));
  }
  expect([...whole].slice(8)).toEqual([0, 0, 0]);
});

test("a vector that is not only split is one segment", () => {
  const both = simplify(
    trace(
      ({ p, x }) => ({ value: loss(p, x), double: np.multiply(p, 2) }),
      { p: spec([11]), x: spec([3]) },
      "f",
    ),
  );
  const read = segmentInput(both, "p");
  expect(read.segments).toEqual([{ name: "p[0]", offset: 0, shape: [11] }]);
  const written = segmentOutput(read.graph, "double");
  expect(written.segments).toEqual([{ name: "double[0]", offset: 0, shape: [11] }]);
  expect(interpret(written.graph, { "p[0]": VECTOR, x: X })["double[0]"]).toEqual(
    interpret(both, { p: VECTOR, x: X }).double,
  );
});
