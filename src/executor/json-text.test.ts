// Tests of plain data as text: the round trip, numbers that JSON lacks, and equal text for equal data.

import { expect, test } from "vitest";
import { jsonText, parseJson } from "./json-text.ts";

test("plain data is the same after a round trip", () => {
  const data = {
    numbers: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.1 + 0.2, 5e-324, 2 ** 53],
    texts: ["NaN", "Infinity", "$number", "\u0000", "\ud800", "ä\n\"'"],
    nested: { a: [{ b: Number.NaN }, null, true, []], c: {} },
  };
  expect(parseJson(jsonText(data))).toEqual(data);
});

test("equal data has equal text, whatever the order of its keys, at every depth", () => {
  const text = jsonText({ b: { d: [{ y: 1, x: 2 }], c: 3 }, a: Number.NaN });
  expect(jsonText({ a: Number.NaN, b: { c: 3, d: [{ x: 2, y: 1 }] } })).toBe(text);
  expect(text).toBe('{"a":{"$number":"NaN"},"b":{"c":3,"d":[{"x":2,"y":1}]}}');
});

test("properties that are undefined are left out", () => {
  expect(jsonText({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test("only an object with nothing else than a known special number is one", () => {
  for (const text of [
    '{"$number":"1"}',
    '{"$number":"toString"}',
    '{"$number":"NaN","b":1}',
    '{"$number":1}',
  ]) {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  }
});

test("the key __proto__ changes no prototype", () => {
  const given = parseJson('{"__proto__":{"isAdmin":true},"a":1}') as Record<string, unknown>;
  expect(given.isAdmin).toBeUndefined();
  expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  expect(jsonText(given as never)).toBe('{"__proto__":{"isAdmin":true},"a":1}');
});

test("text that is not JSON is refused", () => {
  expect(() => parseJson("{")).toThrow(SyntaxError);
});
