import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
  randomTokens,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/rng.ts";
import { memoryMlp, prefixMemory } from "./memory.ts";
import { mlp } from "./mlp.ts";
import { layout } from "./params.ts";

const binary = { alphabet: 2, maxLength: 3 }; // 15 prefixes

describe("prefixMemory", () => {
  test("with a row for every prefix, rows are the indices themselves", () => {
    const memory = prefixMemory({ ...binary, rows: 20, width: 2 });
    expect(memory.hashed).toBe(false);
    expect(memory.params.table.shape).toEqual([15, 2]);
    const index = { shape: [3, 5], dtype: "int32" as const, data: Array.from({ length: 15 }, (_, i) => i) };
    const table = randomInput([15, 2], "table");
    const { rows } = evaluate(({ table, index }) => ({ rows: memory.apply({ table }, index) }), {
      table,
      index,
    });
    expect([...rows]).toEqual([...Array.from(table.data)]);
  });

  test("one row too few makes it hash", () => {
    expect(prefixMemory({ ...binary, rows: 15, width: 2 }).hashed).toBe(false);
    expect(prefixMemory({ ...binary, rows: 14, width: 2 }).hashed).toBe(true);
  });

  test.each([1, 2, 64, 100, 1000, 1024])("spreads prefixes evenly over %i rows", (rows) => {
    const memory = prefixMemory({ alphabet: 4, maxLength: 20, rows, width: 1 });
    const count = 8000;
    const tokens = randomTokens([count / 20, 20], 4, "tokens");
    const run = () =>
      evaluate(
        ({ tokens }) => {
          const index = memory.prefixes.all(tokens);
          return { index, row: memory.rowOf(index) };
        },
        { tokens },
      );
    const { index, row } = run();
    expect(run().row).toEqual(row);
    const rowOf = new Map(Array.from(index, (key, i) => [key, row[i]]));
    const counts = new Float64Array(rows);
    for (const r of rowOf.values()) {
      expect(Number.isInteger(r) && r >= 0 && r < rows).toBe(true);
      counts[r]++;
    }
    // The statistic of Pearson's test has mean rows − 1 and variance 2 (rows − 1).
    const expected = rowOf.size / rows;
    const chiSquared = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(Math.abs(chiSquared - (rows - 1))).toBeLessThanOrEqual(4 * Math.sqrt(2 * (rows - 1)));
  });

  test("neighbouring prefixes of one length spread too", () => {
    const memory = prefixMemory({ alphabet: 2, maxLength: 12, rows: 512, width: 1 });
    const index = {
      shape: [4096],
      dtype: "int32" as const,
      data: Array.from({ length: 4096 }, (_, i) => 4095 + i),
    };
    const { row } = evaluate(({ index }) => ({ row: memory.rowOf(index) }), { index });
    const counts = new Float64Array(512);
    for (const r of row) counts[r]++;
    expect(Math.max(...counts)).toBeLessThan(24);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  test("starts at zero", () => {
    const { params } = prefixMemory({ ...binary, rows: 8, width: 2 });
    expect(layout(params).init(RandomStream.fromSeed(0))).toEqual(new Float32Array(16));
  });

  test.each([16, 7])("has the right gradients with %i rows", (rows) => {
    const memory = prefixMemory({ ...binary, rows, width: 2 });
    checkModuleGradients(
      memory,
      (params, { tokens }) => memory.apply(params, memory.prefixes.all(tokens)),
      {},
      {
        fixed: { tokens: randomTokens([4, 3], 2, "tokens") },
      },
    );
  });

  test("finds the same rows when the indices themselves pass through the differentiation", () => {
    const memory = prefixMemory({ ...binary, rows: 7, width: 1 });
    const index = { shape: [15], dtype: "int32" as const, data: Array.from({ length: 15 }, (_, i) => i) };
    const { slope, row } = evaluate(
      ({ table, index }) => {
        const loss = (table: np.Array, index: np.Array) => np.sum(memory.apply({ table }, index));
        return { slope: grad(loss)(table, index), row: memory.rowOf(index) };
      },
      { table: randomInput([7, 1], "table"), index },
    );
    expect([...slope]).toEqual(Array.from({ length: 7 }, (_, r) => row.filter((x) => x === r).length));
  });

  test("refuses bad sizes", () => {
    expect(() => prefixMemory({ ...binary, rows: 0, width: 2 })).toThrow(
      "prefixMemory: rows must be a positive whole number, got 0",
    );
    expect(() => prefixMemory({ ...binary, rows: 2 ** 31 + 1, width: 2 })).toThrow(
      "rows must be at most 2^31",
    );
  });
});

describe("memoryMlp", () => {
  const options = { inputs: 3, hidden: [4], outputs: 2 };
  const module = memoryMlp({ ...options, ...binary, rows: 15 });
  const x = randomInput([2, 4, 3], "x");
  const tokens = randomTokens([2, 3], 2, "tokens");

  test("adds the memory of the prefix to the perceptron", () => {
    const params = layout(module.params);
    const flat = randomInput([params.size], "flat");
    const { sum, network, table, index } = evaluate(
      ({ flat, x, tokens }) => {
        const split = params.split(flat);
        const index = module.prefixes.all(tokens);
        const network = mlp(options).apply(split.mlp, x);
        return { sum: module.apply(split, x, index), network, table: split.memory.table, index };
      },
      { flat, x, tokens },
    );
    const expected = network.map((value, k) => value + table[index[Math.floor(k / 2)] * 2 + (k % 2)]);
    expect(largestDifference(sum, expected)).toBeLessThan(1e-12);
  });

  test("has the right gradients", () => {
    checkModuleGradients(
      module,
      (params, { x, tokens }) => module.apply(params, x, module.prefixes.all(tokens)),
      { x },
      { fixed: { tokens } },
    );
  });
});
