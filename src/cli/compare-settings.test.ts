// What is typed becomes a whole comparison, or one sentence about what is wrong with it.

import { describe, expect, test } from "vitest";
import { DEFAULT_METHODS } from "../compare/method-names.ts";
import { type ComparisonFlags, cellOptionsOf, comparisonOf } from "./compare-settings.ts";
import type { Config } from "./config.ts";

const grid: Config = { task: "hypergrid", side: 3, batch: 8 };

describe("a comparison", () => {
  test("is complete where nothing was said but how far it goes", async () => {
    const comparison = await comparisonOf({ task: "hypergrid" }, { calls: 1000 });
    expect(comparison).toMatchObject({ methods: DEFAULT_METHODS, sticks: [0.25], seeds: [0, 1, 2] });
    expect(comparison).toMatchObject({ calls: 1000, seconds: null, evaluations: 20, onPolicy: false });
    expect(comparison.settings).toMatchObject({ task: "hypergrid", side: 8, rewardFloor: 1e-4, batch: 128 });
    for (const other of ["stick", "seed", "objective", "uniformShare", "iterations"]) {
      expect(comparison.settings).not.toHaveProperty(other);
    }
  });

  test("has kl-entropy once for each γ, in its place", async () => {
    const flags = { calls: 100, methods: "kl, kl-entropy,ppo", gammas: "0.25,.5" };
    expect((await comparisonOf(grid, flags)).methods).toEqual([
      "kl",
      "kl-entropy:0.25",
      "kl-entropy:0.5",
      "ppo",
    ]);
  });

  test("tells each cell what it was told, and its own noise and seed", async () => {
    const comparison = await comparisonOf(
      { ...grid, hidden: [5], rewardExponent: 2, clip: 3 },
      { seconds: 9, sticks: "0,0.5", onPolicy: true, evaluations: 7 },
    );
    const cell = await cellOptionsOf(comparison, { method: "sdb", stick: 0.5, seed: 4 });
    expect(cell).toMatchObject({ method: "sdb", seed: 4, budget: { seconds: 9 }, evaluations: 7 });
    expect(cell.task.environment.stick).toBe(0.5);
    expect(cell.common).toMatchObject({ batch: 8, clip: 3, onPolicy: true, reward: { exponent: 2 } });
    expect(cell.common.policy?.hidden).toEqual([5]);
    expect(cell.common).not.toHaveProperty("epsilon");
  });

  test("on policy may be told how much to explore, nothing at all included", async () => {
    const comparison = await comparisonOf({ ...grid, epsilon: 0 }, { calls: 64, onPolicy: true });
    const cell = await cellOptionsOf(comparison, { method: "kl", stick: 0.5, seed: 0 });
    expect(cell.common.epsilon).toBe(0);
    await expect(comparisonOf({ ...grid, epsilon: 0 }, { calls: 64 })).rejects.toThrow(
      "--epsilon is for --on-policy, without which objects are drawn uniformly instead",
    );
  });
});

test.each<[ComparisonFlags, string]>([
  [{ methods: "sbd" }, '--methods: there is no method "sbd"; did you mean sdb?'],
  [{ methods: "zzzzzzzz" }, '--methods: there is no method "zzzzzzzz"; there are none, sdb,'],
  [{ methods: "kl," }, '--methods: there is no method ""; there are none, sdb,'],
  [{ methods: "kl,kl" }, "--methods has kl twice; give each once"],
  [{ methods: "sdb:0.5" }, "--methods: sdb takes no γ; kl-entropy does, as in kl-entropy:0.25"],
  [{ methods: "kl-entropy:2" }, '--methods: the γ of kl-entropy must be a number in (0, 1), got "2"'],
  [{ methods: "kl", gammas: "0.5" }, "--gammas is for the method kl-entropy, which is not among the methods"],
  [{ gammas: "1" }, '--gammas takes numbers with commas between, each a number in (0, 1), got "1"'],
  [{ sticks: "0.25,1" }, '--stick takes numbers with commas between, each a number in [0, 1), got "1"'],
  [{ sticks: "0.5,0.5" }, "--stick has 0.5 twice"],
  [{ seconds: 5 }, "--calls and --seconds both say how far each cell goes; give one of them"],
  [{ calls: undefined }, "give --calls or --seconds: how far each cell goes"],
  [{ calls: 7 }, "--calls must be at least the batch of 8, got 7"],
])("%j is refused", async (flags, said) => {
  await expect(comparisonOf(grid, { calls: 64, ...flags })).rejects.toThrow(said);
});

test("a task without levels of noise is refused, whatever else is said", async () => {
  await expect(comparisonOf({ task: "regime" }, {})).rejects.toThrow(
    "task: methods are compared under levels of --stick, which regime does not have; take one of tfbind8, hypergrid, bit-sequence, pricing",
  );
});

test("settings of another task are refused", async () => {
  await expect(comparisonOf({ ...grid, bits: 8 }, { calls: 64 })).rejects.toThrow(
    "belongs to the task bit-sequence",
  );
});
