// Functions and modules as oracles.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { functionOracle, moduleOracle } from "./function-oracle.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-modules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function moduleFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("a function scores one string, also asynchronously and with an uncertainty", async () => {
  const oracle = functionOracle({ score: async (string) => ({ score: string.length, uncertainty: 0.5 }) });
  expect(await oracle.score(["a", "bb"])).toEqual([
    { score: 1, uncertainty: 0.5 },
    { score: 2, uncertainty: 0.5 },
  ]);
});

test("a function scores a batch, into any kind of array", async () => {
  const oracle = functionOracle({
    scores: (strings) => Float64Array.from(strings, (string) => string.length),
  });
  expect(await oracle.score(["a", "bb"])).toEqual([{ score: 1 }, { score: 2 }]);
});

test("an error of one string, NaN and other values are failures of that string", async () => {
  const oracle = functionOracle({
    score: (string) => {
      if (string === "error") throw new Error("too long");
      return (string === "text" ? "high" : string === "nan" ? Number.NaN : 1) as number;
    },
  });
  expect(await oracle.score(["a", "error", "text", "nan"])).toEqual([
    { score: 1 },
    { failure: "too long" },
    { failure: 'its score must be a finite number, got "high"' },
    { failure: "its score must be a finite number, got NaN" },
  ]);
});

test("a batch with too few scores fails as a whole", async () => {
  const oracle = functionOracle({ scores: () => [1] });
  await expect(oracle.score(["a", "b"])).rejects.toThrow("one score per string, got 1 scores for 2 strings");
});

test("there must be one function", () => {
  expect(() => functionOracle({})).toThrow("must have one function, `score` or `scores`, got nothing");
  const both = { score: () => 1, scores: () => [1] };
  expect(() => functionOracle(both)).toThrow("got score, scores");
});

describe("a module", () => {
  test("exports score or scores, and its version is a hash of its text", async () => {
    const one = await moduleOracle({ file: moduleFile("one.mjs", "export const score = (s) => s.length;") });
    const many = await moduleOracle({
      file: moduleFile(
        "many.mjs",
        "export const batch = 7; export const scores = (all) => all.map((s) => s.length);",
      ),
    });
    expect(await one.score(["abc"])).toEqual([{ score: 3 }]);
    expect(await many.score(["abc"])).toEqual([{ score: 3 }]);
    expect([one.batch, many.batch]).toEqual([128, 7]);
    expect(one.version).not.toBe(many.version);
  });

  test.each([
    ["none.mjs", "export const x = 1;", "must export one function, `score` or `scores`, got x"],
    ["broken.mjs", "export const score = (", "cannot be loaded:"],
  ])("that cannot be used gets one sentence: %s", async (name, text, message) => {
    await expect(moduleOracle({ file: moduleFile(name, text) })).rejects.toThrow(message);
  });

  test("that does not exist is named", async () => {
    const file = join(folder, "missing.mjs");
    await expect(moduleOracle({ file })).rejects.toThrow(`${file} cannot be read: it does not exist`);
  });
});
