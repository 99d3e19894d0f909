// Training with a preference per row: its loss is exactly that of training with each preference alone, log F and log Z
// follow the preference, and settings that need one target are refused.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, randomInput } from "../../../test/support/gradients.ts";
import { compile, RandomStream } from "../../engine/index.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { type PreferenceEnvironment, preferenceEnvironment } from "../environment/preference.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { exactEvaluator } from "../evaluate/exact-evaluator.ts";
import type { ObjectiveName } from "../objectives/objective.ts";
import { model } from "../policy/model.ts";
import { rewardsFromScoreTable } from "../reward/score-table.ts";
import { uniformsPerStep } from "../sampling/rollout.ts";
import { defaultSettings } from "./defaults.ts";
import { trainingIteration } from "./iteration.ts";
import { modelTrainer } from "./trainer.ts";

const stream = RandomStream.fromSeed(8);
const tables = (size: number) =>
  [0, 1].map(() => Float64Array.from({ length: size }, () => 0.1 + stream.uniform()));
const strings = preferenceEnvironment({
  environment: sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 }),
  objectives: tables(27),
});
const grid = preferenceEnvironment({
  environment: hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }),
  objectives: tables(9),
});
const PREFERENCES = [
  [1, 0],
  [0.3, 0.7],
  [0.5, 0.5],
];

/** The loss of one iteration on some rows. Without `preferences`, all rows have that of the environment. */
async function lossOf(
  environment: PreferenceEnvironment,
  objective: ObjectiveName,
  { uniform, rows, preferences }: { uniform: Float32Array; rows: number; preferences?: number[][] },
): Promise<number> {
  const settings = defaultSettings(environment, { objective, hidden: [8], rewardExponent: 2 });
  const parts = model(environment, settings);
  const transform = { exponent: 2, floor: settings.rewardFloor };
  const { values, preference } = rewardsFromScoreTable(environment, environment.scores, transform).logRewards;
  const training = trainingIteration(parts, {
    ...settings,
    batch: rows,
    rewards: preferences ? { values, preference } : { values },
  });
  const { state, updates } = training;
  const { run, example } = training.train;
  const program = await compile(run, example, { engine: "jax", state, updates });
  const random = RandomStream.fromSeed(4);
  const weights = parts.policyLayout.init(random.split("policy"));
  program.write({
    // The state table starts at 0, where it would hide mistakes.
    policy: weights.map((weight) => weight + 0.3 * random.uniform()),
    ...(training.learnsDynamics && { dynamics: parts.dynamicsLayout.init(random.split("dynamics")) }),
  });
  const { loss } = await program.run({
    uniform,
    "policy.rate": Float32Array.of(0),
    ...(training.learnsDynamics && { "dynamics.rate": Float32Array.of(0) }),
    ...(preferences && { preference: Float32Array.from(preferences.flat()) }),
  } as never);
  await program.dispose();
  return loss[0];
}

describe.each([
  ["strings by kl", strings, "kl"],
  ["strings by stb", strings, "stb"],
  ["strings by ssubtb", strings, "ssubtb"],
  ["a grid by sdb", grid, "sdb"],
] as const)("the loss of %s", (name, environment, objective) => {
  test("with one preference per row is that of the preferences one by one", async () => {
    const T = environment.maxSteps;
    const width = uniformsPerStep(environment);
    const rows = PREFERENCES.length;
    const uniform = RandomStream.fromSeed(6).fillUniform(new Float32Array(T * rows * width));
    const rowOf = (row: number) =>
      Float32Array.from({ length: T * width }, (_, i) => {
        const t = Math.floor(i / width);
        return uniform[(t * rows + row) * width + (i % width)];
      });
    const mixed = await lossOf(environment, objective, { uniform, rows, preferences: PREFERENCES });
    const alone: number[] = [];
    for (const [row, preference] of PREFERENCES.entries()) {
      alone.push(await lossOf(environment.at(preference), objective, { uniform: rowOf(row), rows: 1 }));
    }
    expect(new Set(alone.map((loss) => loss.toFixed(4))).size).toBe(rows);
    if (name.startsWith("strings")) {
      // All trajectories have three steps, so every row counts the same.
      expect(mixed).toBeCloseTo(alone.reduce((sum, loss) => sum + loss, 0) / rows, 4);
    } else {
      expect(mixed).toBeGreaterThan(Math.min(...alone));
      expect(mixed).toBeLessThan(Math.max(...alone));
    }
  });
});

test.each([
  ["fl-db", { balance: "fl-db", dynamics: "marginal", loss: "squared" }],
  ["a ramp of the exponent", { rewardExponent: 3, rewardRamp: 5 }],
] as const)("a grid by %s comes close to the targets of three preferences", async (_, changes) => {
  const settings = defaultSettings(grid, { hidden: [16], ...changes });
  const options = { ...settings, environment: grid, scores: grid.scores, seed: 0 };
  const trainer = await modelTrainer(options);
  const iterations = 400;
  for (let t = 0; t < iterations; t++) await trainer.step(t, t / iterations);
  const parameters = await trainer.parameters();
  for (const preference of PREFERENCES) {
    const preferred = grid.at(preference);
    const { reward } = rewardsFromScoreTable(preferred, preferred.scores, {
      ...{ exponent: settings.rewardExponent, floor: settings.rewardFloor },
    });
    const evaluator = await exactEvaluator({
      ...{ model: model(preferred, settings), reward, balance: settings.balance, usesDynamics: true },
    });
    const { tv } = (await evaluator.evaluate(parameters)).reached;
    expect(tv).toBeLessThan(evaluator.limit.tv + 0.1);
    expect(tv).toBeLessThan(evaluator.uniform.tv / 2);
    await evaluator.dispose();
  }
  await trainer.dispose();
});

test("a trainer that restores a state takes the same next step, with the same preferences", async () => {
  const settings = defaultSettings(strings, { hidden: [8], batch: 16 });
  const options = { ...settings, environment: strings, scores: strings.scores, seed: 2 };
  const [first, second] = [await modelTrainer(options), await modelTrainer(options)];
  for (let t = 0; t < 3; t++) await first.step(t, t / 10);
  second.restore(await first.save());
  expect(await second.step(3, 0.3)).toEqual(await first.step(3, 0.3));
  const otherTables = preferenceEnvironment({
    environment: strings.base,
    objectives: strings.objectives.toReversed(),
  });
  const other = await modelTrainer({ ...options, environment: otherTables, scores: otherTables.scores });
  await expect(async () => other.restore(await first.save())).rejects.toThrow(/objectives.crc32/);
  await Promise.all([first, second, other].map((each) => each.dispose()));
});

test("the flow and the policy follow the preference, by finite differences", () => {
  const settings = defaultSettings(strings, { hidden: [8] });
  const { applyPolicy, policyLayout } = model(strings, settings);
  const outputsAt = (weight: number) => {
    const environment = strings.at([weight, 1 - weight]);
    const { all } = evaluate(
      ({ policy, features, index }) => {
        const { forward, logFlow } = applyPolicy(policy, features, index);
        return { all: np.concatenate([forward, logFlow.reshape([-1, 1])], 1) };
      },
      {
        policy: randomInput([policyLayout.size], "policy"),
        features: { shape: [13, strings.features], data: environment.featuresOf([...Array(13).keys()]) },
        index: { shape: [13], dtype: "int32", data: [...Array(13).keys()] },
      },
    );
    return [...all];
  };
  const [low, high] = [outputsAt(0.4), outputsAt(0.6)];
  const slopes = low.map((value, i) => Math.abs(high[i] - value) / 0.2);
  expect(Math.min(...slopes)).toBeGreaterThan(1e-3);
});

describe("settings that need one target are refused with preferences:", () => {
  test.each([
    [{ balance: "vargrad", dynamics: "none" }, /balance: vargrad takes one log Z for all rows/],
    [{ objective: "stb", learnLogZ: true }, /learnLogZ: must be false with preferences/],
    [{ encoder: "outcomes" }, /encoder: must be none with preferences/],
    [{ state: "embedded" }, /state: must be one-hot with preferences/],
  ] as const)("%j", async (changes, message) => {
    const settings = defaultSettings(strings, changes as never);
    const training = modelTrainer({ ...settings, environment: strings, scores: strings.scores, seed: 0 });
    await expect(training).rejects.toThrow(message);
  });

  test("a score function", async () => {
    const settings = defaultSettings(strings);
    const training = modelTrainer({ ...settings, environment: strings, scores: () => [], seed: 0 });
    await expect(training).rejects.toThrow(/has a table of scores per objective, got a score function/);
  });
});
