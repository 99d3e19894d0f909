// Functions as oracles.

import { expect, test } from "vitest";
import { functionOracle } from "./function-oracle.ts";

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

test("an aborted call ends at once, whatever the function does", async () => {
  const controller = new AbortController();
  const never = () => new Promise<never>(() => {});
  const calls = [{ score: never }, { scores: never }].map((given) =>
    functionOracle(given).score(["a"], controller.signal),
  );
  controller.abort();
  for (const call of calls) await expect(call).rejects.toThrow("aborted");
});
