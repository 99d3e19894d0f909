import { describe, expect, test } from "vitest";
import { evaluate, randomTokens } from "../../test/support/gradients.ts";
import { prefixIndex } from "./prefix-index.ts";

/** All sequences of a length over an alphabet, in order. */
function sequences(alphabet: number, length: number): number[][] {
  if (length === 0) return [[]];
  return sequences(alphabet, length - 1).flatMap((head) =>
    Array.from({ length: alphabet }, (_, token) => [...head, token]),
  );
}

function indicesOf(options: { alphabet: number; maxLength: number }, tokens: number[][]): number[][] {
  const length = tokens[0].length;
  const { all } = evaluate(({ tokens }) => ({ all: prefixIndex(options).all(tokens) }), {
    tokens: { shape: [tokens.length, length], dtype: "int32", data: tokens.flat() },
  });
  return tokens.map((_, b) => [...all.subarray(b * (length + 1), (b + 1) * (length + 1))]);
}

describe("exact indices", () => {
  test("number the prefixes of all sequences from 0 without gaps", () => {
    const options = { alphabet: 3, maxLength: 4 };
    const found = new Map<string, number>();
    const all = sequences(3, 4);
    const indices = indicesOf(options, all);
    for (const [b, sequence] of all.entries()) {
      for (let t = 0; t <= 4; t++) found.set(sequence.slice(0, t).join(""), indices[b][t]);
    }
    const { count, exact } = prefixIndex(options);
    expect(count).toBe(1 + 3 + 9 + 27 + 81);
    expect(exact).toBe(true);
    expect([...found.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
    expect(found.get("")).toBe(0);
    expect(found.get("2")).toBe(3);
    expect(found.get("20")).toBe(10);
  });

  test("an alphabet of one token counts lengths", () => {
    expect(indicesOf({ alphabet: 1, maxLength: 3 }, [[0, 0, 0]])).toEqual([[0, 1, 2, 3]]);
  });
});

test.each([
  { alphabet: 4, maxLength: 8 },
  { alphabet: 4, maxLength: 40 },
  { alphabet: 21, maxLength: 60 },
])("stepping token by token gives the same indices: %j", (options) => {
  const { maxLength: length, alphabet } = options;
  const tokens = randomTokens([5, length], alphabet, "tokens");
  const columns = Object.fromEntries(
    Array.from({ length }, (_, t) => [
      `token ${t}`,
      {
        shape: [5],
        dtype: "int32" as const,
        data: Array.from({ length: 5 }, (_, b) => tokens.data[b * length + t]),
      },
    ]),
  );
  const { all } = evaluate(({ tokens }) => ({ all: prefixIndex(options).all(tokens) }), { tokens });
  const start = { shape: [5], dtype: "int32" as const, data: [0, 0, 0, 0, 0] };
  const { last } = evaluate(
    ({ start, ...inputs }) => {
      const prefixes = prefixIndex(options);
      let last = start;
      for (let t = 0; t < length; t++) last = prefixes.child(last, inputs[`token ${t}`]);
      return { last };
    },
    { start, ...columns },
  );
  expect([...last]).toEqual(Array.from({ length: 5 }, (_, b) => all[b * (length + 1) + length]));
  expect(new Set(last).size).toBe(5);
});

test("long prefixes over an even alphabet remember their first token and their length", () => {
  const options = { alphabet: 4, maxLength: 40 };
  expect(prefixIndex(options).exact).toBe(false);
  const zeros = new Array<number>(40).fill(0);
  const [a, b] = indicesOf(options, [zeros, [1, ...zeros.slice(1)]]);
  expect(a[40]).not.toBe(b[40]);
  expect(new Set(a).size).toBe(41);
});

test("hashes of long prefixes hardly ever collide", () => {
  const tokens = randomTokens([500, 32], 4, "many");
  const { all } = evaluate(
    ({ tokens }) => ({ all: prefixIndex({ alphabet: 4, maxLength: 32 }).all(tokens) }),
    {
      tokens,
    },
  );
  const prefixes = new Set<string>();
  for (let b = 0; b < 500; b++) {
    const text = Array.from({ length: 32 }, (_, t) => tokens.data[b * 32 + t]).join("");
    for (let t = 0; t <= 32; t++) prefixes.add(text.slice(0, t));
  }
  expect(prefixes.size).toBeGreaterThan(13_000);
  expect(prefixes.size - new Set(all).size).toBeLessThanOrEqual(1);
});

test("refuses bad sizes and sequences that are too long", () => {
  expect(() => prefixIndex({ alphabet: 0, maxLength: 3 })).toThrow(
    "prefixIndex: alphabet must be a positive whole number, got 0",
  );
  expect(() => indicesOf({ alphabet: 2, maxLength: 2 }, [[0, 1, 0]])).toThrow(
    "prefixIndex.all: T must be at most 2, got [1, 3]",
  );
});
