// Tests of parameter layouts: order, splitting, views, initialisation.

import { describe, expect, test } from "vitest";
import { evaluate } from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { constant, normal, ones, zeros } from "./init.ts";
import { layout, matrixMask } from "./params.ts";

const tree = {
  weight: { shape: [2, 3], init: normal(1) },
  layers: [{ bias: { shape: [3], init: ones } }, { bias: { shape: [1], init: zeros }, gain: undefined }],
  logZ: { shape: [], init: constant(7) },
};

describe("layout", () => {
  test("concatenates leaves in the order of the tree", () => {
    const { size, entries } = layout(tree);
    expect(size).toBe(11);
    expect(entries).toEqual([
      { path: "weight", offset: 0, size: 6, shape: [2, 3] },
      { path: "layers.0.bias", offset: 6, size: 3, shape: [3] },
      { path: "layers.1.bias", offset: 9, size: 1, shape: [1] },
      { path: "logZ", offset: 10, size: 1, shape: [] },
    ]);
  });

  test("splits a traced vector into the arrays of the tree", () => {
    const flat = { shape: [11], data: Float32Array.from({ length: 11 }, (_, i) => i) };
    const shapes: number[][] = [];
    const result = evaluate(
      ({ flat }) => {
        const { weight, layers, logZ } = layout(tree).split(flat);
        shapes.push(weight.shape, layers[0].bias.shape, layers[1].bias.shape, logZ.shape);
        return { weight, first: layers[0].bias, second: layers[1].bias, logZ };
      },
      { flat },
    );
    expect(shapes).toEqual([[2, 3], [3], [1], []]);
    expect(result).toEqual({
      weight: Float64Array.of(0, 1, 2, 3, 4, 5),
      first: Float64Array.of(6, 7, 8),
      second: Float64Array.of(9),
      logZ: Float64Array.of(10),
    });
  });

  test("splits more leaves than one split of jax-js allows", () => {
    const many = layout(Array.from({ length: 20 }, () => ({ shape: [2], init: zeros })));
    const flat = { shape: [40], data: Float32Array.from({ length: 40 }, (_, i) => i) };
    const result = evaluate(
      ({ flat }) => Object.fromEntries(many.split(flat).map((leaf, i) => [`leaf ${i}`, leaf])),
      { flat },
    );
    for (let i = 0; i < 20; i++) expect(result[`leaf ${i}`]).toEqual(Float64Array.of(2 * i, 2 * i + 1));
  });

  test("a tree with one leaf takes the whole vector", () => {
    const flat = { shape: [4], data: [1, 2, 3, 4] };
    const shapes: number[][] = [];
    evaluate(
      ({ flat }) => {
        const leaf = layout({ shape: [2, 2], init: zeros }).split(flat);
        shapes.push(leaf.shape);
        return { leaf };
      },
      { flat },
    );
    expect(shapes).toEqual([[2, 2]]);
  });

  test("views write through to the vector", () => {
    const params = layout(tree);
    const flat = params.init(RandomStream.fromSeed(0));
    const view = params.view(flat);
    expect([...view.layers[0].bias, ...view.layers[1].bias, ...view.logZ]).toEqual([1, 1, 1, 0, 7]);
    view.logZ[0] = -2;
    expect(flat[10]).toBe(-2);
  });

  test("an added leaf does not change the initial values of others", () => {
    const stream = RandomStream.fromSeed(3);
    const more = { extra: { shape: [5], init: normal(1) }, ...tree };
    const before = layout(tree).init(stream);
    const after = layout(more).init(stream);
    expect(after.subarray(5)).toEqual(before);
    expect(new Set(before.subarray(0, 6)).size).toBe(6);
  });

  test("equal leaves with different names have different initial values", () => {
    const spec = { shape: [4], init: normal(1) };
    const params = layout({ a: spec, b: spec });
    const { a, b } = params.view(params.init(RandomStream.fromSeed(0)));
    expect(a).not.toEqual(b);
  });

  test("fill gives each leaf one number", () => {
    expect([...layout(tree).fill(matrixMask)]).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect([...layout(tree).fill(({ path }) => (path === "logZ" ? 100 : 1))].at(-1)).toBe(100);
  });

  test("errors name the function, the rule and the value", () => {
    expect(() => layout({})).toThrow("layout: the tree must hold at least one parameter, got none");
    expect(() => layout({ a: { b: { shape: [2, 0], init: zeros } } })).toThrow(
      "layout: axis 1 of a.b must be a positive whole number, got 0",
    );
    expect(() => layout({ a: { shape: [1.5], init: zeros } })).toThrow("got 1.5");
    expect(() => layout(tree).view(new Float32Array(10))).toThrow(
      "layout.view: the vector must be [11], got [10]",
    );
    expect(() =>
      evaluate(({ flat }) => ({ logZ: layout(tree).split(flat).logZ }), {
        flat: { shape: [1, 11], data: [] },
      }),
    ).toThrow("layout.split: the vector must be [11], got [1, 11]");
    const short = layout({ a: { shape: [3], init: () => new Float32Array(2) } });
    expect(() => short.init(RandomStream.fromSeed(0))).toThrow(
      "layout: the initialiser of a must give 3 values, got 2",
    );
  });
});
