// Plain values are compared by value, copied and frozen; everything else is refused with its place.

import { describe, expect, test } from "vitest";
import { keyed, leavesOf } from "./plain-value.ts";

describe("the key of a value", () => {
  test("ignores the order of fields and the sign of zero", () => {
    expect(keyed({ b: [1, -0], a: "x" }).key).toBe(keyed({ a: "x", b: [1, 0] }).key);
  });

  test.each([
    [1, "1"],
    [[], {}],
    [
      [[1], 2],
      [1, [2]],
    ],
    [{ a: null }, {}],
    [true, "true"],
    [["a,b"], ["a", "b"]],
  ])("differs for %j and %j", (one, two) => {
    expect(keyed(one as unknown).key).not.toBe(keyed(two as unknown).key);
  });

  test("may have a key that objects inherit", () => {
    const value = JSON.parse('{"__proto__": 1}');
    expect(keyed(value).key).toBe('{"__proto__":1}');
  });
});

test("a copy is frozen inside and out, and the original is not", () => {
  const original = { cells: [1, 2] };
  const { value } = keyed(original);
  expect(value).toEqual(original);
  expect(Object.isFrozen(value) && Object.isFrozen(value.cells)).toBe(true);
  original.cells.push(3);
  expect(value.cells).toEqual([1, 2]);
});

describe("a value is refused", () => {
  const circle: unknown[] = [];
  circle.push([circle]);
  let deep: unknown = 0;
  for (let i = 0; i < 100; i++) deep = [deep];
  test.each<[string, unknown]>([
    ["is NaN", Number.NaN],
    ["has Infinity at .x[1]", { x: [0, Number.POSITIVE_INFINITY] }],
    ["has undefined at [0]", [undefined]],
    ["has undefined at [1]", Object.assign(new Array(3), { 0: 1, 2: 2 })],
    ["has a function at .f", { f: () => 1 }],
    ["is a bigint", 1n],
    ["is a symbol", Symbol("s")],
    ["is an instance of Map", new Map()],
    ["has an instance of Float32Array at .cells", { cells: new Float32Array(2) }],
    ['has an instance of Date at ["the day"]', { "the day": new Date(0) }],
    ["is a symbol as a key", { [Symbol("s")]: 1 }],
    ["has a value that contains itself at [0][0]", circle],
    ["nested more than 64 deep", deep],
  ])("if it %s", (problem, value) => {
    expect(() => keyed(value)).toThrow(problem);
  });

  test("but not because it occurs twice", () => {
    const cell = [1, 2];
    expect(keyed([cell, cell]).key).toBe("[[1,2],[1,2]]");
  });
});

test("leaves have the paths and values inside a value, empty containers included", () => {
  expect([...leavesOf({ at: [3, null], seen: [], "a.b": "x" })]).toEqual([
    ['."at"[0]', 3],
    ['."at"[1]', null],
    ['."seen"', []],
    ['."a.b"', "x"],
  ]);
  expect([...leavesOf("text")]).toEqual([["", "text"]]);
});
