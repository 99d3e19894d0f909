// Tests that user input becomes a complete comparison, or a list of all issues.

import { describe, expect, test } from "vitest";
import { SHARED_SETTINGS } from "../baselines/shared-settings.ts";
import type { Config } from "../config/config.ts";
import { UserError } from "../issues.ts";
import { comparisonFromInput, resumedComparison } from "./comparison-input.ts";
import type { ComparisonInput } from "./comparison-keys.ts";
import { experimentOptionsOf } from "./experiment-options.ts";
import { experimentSettings } from "./experiment-unit.ts";
import { methodWarnings } from "./method-issues.ts";
import { DEFAULT_METHODS } from "./method-names.ts";
import { findMethod } from "./methods.ts";

const grid: Config = { task: "hypergrid", side: 3, batch: 8 };

/** The paths and messages of all issues. */
async function issuesOf(config: Config, input: ComparisonInput): Promise<string[]> {
  const error = await comparisonFromInput(config, input).catch((thrown: unknown) => thrown);
  if (!(error instanceof UserError)) throw error;
  return error.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("a comparison", () => {
  test("is complete if only its budget is given", async () => {
    const comparison = await comparisonFromInput({ task: "hypergrid" }, { calls: 1000 });
    expect(comparison).toMatchObject({ methods: DEFAULT_METHODS, sticks: [0.25], seeds: [0, 1, 2] });
    expect(comparison).toMatchObject({ calls: 1000, seconds: null, evaluations: 20, onPolicy: false });
    expect(comparison.settings).toMatchObject({ task: "hypergrid", side: 8, rewardFloor: 1e-4, batch: 128 });
    for (const other of ["stick", "seed", "balance", "uniformShare", "iterations"]) {
      expect(comparison.settings).not.toHaveProperty(other);
    }
  });

  test("has kl-entropy once for each γ, at the position of kl-entropy in the list of methods", async () => {
    const input = { calls: 100, methods: ["kl", "kl-entropy", "ppo"], gammas: [0.25, 0.5] };
    expect((await comparisonFromInput(grid, input)).methods).toEqual([
      "kl",
      "kl-entropy:0.25",
      "kl-entropy:0.5",
      "ppo",
    ]);
  });

  test("accepts every γ that training accepts, however small, and writes it in its shortest form", async () => {
    const input = { calls: 100, methods: ["kl-entropy", "kl-entropy:.50"], gammas: [1e-7] };
    const { methods } = await comparisonFromInput(grid, input);
    expect(methods).toEqual(["kl-entropy:1e-7", "kl-entropy:0.5"]);
    for (const method of methods) expect(() => findMethod(method)).not.toThrow();
  });

  test("passes every shared setting on to the experiments", async () => {
    const given = { dynamicsStateTableRows: 9, dynamicsStateTableRateScale: 500, rewardRamp: 3 };
    const comparison = await comparisonFromInput({ ...grid, ...given }, { calls: 64 });
    const { common } = await experimentOptionsOf(
      experimentSettings(comparison, { method: "kl", stick: 0.5, seed: 0 }),
    );
    expect(common).toMatchObject(given);
    expect(Object.keys(common)).toEqual(expect.arrayContaining([...SHARED_SETTINGS]));
  });

  test("gives each experiment its settings, noise level and seed", async () => {
    const comparison = await comparisonFromInput(
      { ...grid, hidden: [5], rewardExponent: 2, clip: 3 },
      { seconds: 9, sticks: [0, 0.5], onPolicy: true, evaluations: 7 },
    );
    const options = await experimentOptionsOf(
      experimentSettings(comparison, { method: "sdb", stick: 0.5, seed: 4 }),
    );
    expect(options).toMatchObject({ method: "sdb", seed: 4, budget: { seconds: 9 }, evaluations: 7 });
    expect(options.task.environment.stick).toBe(0.5);
    expect(options.common).toMatchObject({ batch: 8, clip: 3, onPolicy: true, rewardExponent: 2 });
    expect(options.common.hidden).toEqual([5]);
    expect(options.common).not.toHaveProperty("epsilon");
  });

  test("with on-policy exploration accepts epsilon, even if it is 0", async () => {
    const comparison = await comparisonFromInput({ ...grid, epsilon: 0 }, { calls: 64, onPolicy: true });
    const options = await experimentOptionsOf(
      experimentSettings(comparison, { method: "kl", stick: 0.5, seed: 0 }),
    );
    expect(options.common.epsilon).toBe(0);
    expect(await issuesOf({ ...grid, epsilon: 0 }, { calls: 64 })).toEqual([
      "epsilon: is for on-policy exploration only; set `onPolicy`, or remove it",
    ]);
  });
});

test.each<[ComparisonInput, string]>([
  [{ methods: ["sbd"] }, 'methods: there is no method "sbd"; did you mean sdb?'],
  [{ methods: ["zzzzzzzz"] }, 'methods: there is no method "zzzzzzzz"; methods are none, sdb,'],
  [{ methods: ["kl", ""] }, 'methods: must be a list of values, each the name of a method, got ""'],
  [{ methods: [] }, "methods: must be a list of values, each the name of a method, got []"],
  [{ methods: ["kl", "kl"] }, "methods: must have each value once, got kl twice"],
  [
    { methods: ["kl-entropy:.5", "kl-entropy:0.50"] },
    "methods: must have each value once, got kl-entropy:0.5",
  ],
  [{ methods: ["sdb:0.5"] }, 'methods: the settings of sdb must be written as in sdb:clip=1, got "0.5"'],
  [{ methods: ["kl-entropy:2"] }, 'methods: the γ of kl-entropy must be a number in (0, 1), got "2"'],
  [{ methods: ["kl"], gammas: [0.5] }, "gammas: is for the method kl-entropy only; add it to `methods`"],
  [{ gammas: [1] }, "gammas: must be a list of values, each a number in (0, 1), got 1"],
  [{ gammas: [0.5, 0.5] }, "gammas: must have each value once, got 0.5 twice"],
  [{ sticks: [0.25, 1] }, "sticks: must be a list of values, each a number in [0, 1), got 1"],
  [{ sticks: [0.5, 0.5] }, "sticks: must have each value once, got 0.5 twice"],
  [{ seeds: 0 }, "seeds: must be a whole number from 1 to 2^53 - 1, got 0"],
  [{ seconds: 5 }, "calls: cannot be combined with `seconds`; give one of them as the budget"],
  [{ calls: undefined }, "calls: is missing; give `calls` or `seconds`, the budget of an experiment"],
  [{ calls: -1 }, "calls: must be a whole number from 1 to 2^53 - 1, got -1"],
  [{ calls: 7 }, "calls: must be at least the `batch` of 8, got 7"],
])("%j is refused", async (input, issue) => {
  const issues = await issuesOf(grid, { calls: 64, ...input });
  expect(issues).toHaveLength(1);
  expect(issues[0]).toContain(issue);
});

test("all issues are reported at once, also those of the config", async () => {
  const input = { methods: ["sbd", "kl:2"], sticks: [2], seconds: 1, calls: 5 };
  const paths = (await issuesOf({ ...grid, bits: 8, batch: 0 }, input)).map((issue) => issue.split(":")[0]);
  expect(paths.sort()).toEqual(["batch", "bits", "calls", "methods", "methods", "sticks"]);
});

test("all issues are reported at once with those of the settings of methods, which have their path", async () => {
  const methods = ["kl:lerningRate=1,batch=0", "sdb:encoderHeads=3,learnLogZ=true", "ppo:rewardExponent=2"];
  expect(await issuesOf({ ...grid, side: 1 }, { calls: 64, methods })).toEqual([
    "kl:lerningRate: kl has no such setting; did you mean learningRate?",
    'kl:batch: must be a whole number from 1 to 2^31 - 1, got "0"',
    "ppo:rewardExponent: is the same for all methods, because it decides the target; give `rewardExponent`",
    expect.stringMatching(/^side: must be/),
    "sdb:learnLogZ: requires the balance tb or subtb, got db",
    "sdb:encoderHeads: must divide `encoderWidth`, got 3 heads for a width of 64",
  ]);
});

test("a policy that could not be evaluated exactly is refused", async () => {
  expect(await issuesOf(grid, { calls: 64, methods: ["kl:encoder=both"] })).toEqual([
    expect.stringMatching(/^kl:encoder: the policy could not be evaluated exactly, because the histories of/),
  ]);
});

test("settings without effect are named", async () => {
  const { methods, settings } = await comparisonFromInput(grid, { calls: 64, methods: ["kl:gamma=0.25"] });
  expect(await methodWarnings(methods, settings)).toEqual([
    "kl:entropyGamma=0.25: `entropyGamma` has no effect without `entropyRatio` or `entropyRegulariser`",
  ]);
});

describe("a task without a noise level", () => {
  test("has one unnamed level, and no searches by default", async () => {
    const { sticks, methods } = await comparisonFromInput({ task: "regime" }, { calls: 500 });
    expect(sticks).toEqual([null]);
    expect(methods).toEqual(["none", "sdb", "sdb-marginal", "kl", "kl-entropy", "ppo", "soft-q"]);
  });

  test("refuses noise levels and searches", async () => {
    expect(await issuesOf({ task: "regime" }, { calls: 500, sticks: [0.5], methods: ["random"] })).toEqual([
      "sticks: does not belong to the task regime; remove it",
      "methods: random needs states that can be enumerated, but those of regime cannot; remove it",
    ]);
  });
});

test("a resumed comparison accepts no other settings", async () => {
  const resumed = resumedComparison("nowhere", { task: "hypergrid", batch: 4 }, { sticks: [0.5], seeds: 2 });
  await expect(resumed).rejects.toMatchObject({
    issues: ["batch", "sticks", "seeds"].map((path) => ({ path, code: "conflict" })),
  });
});
