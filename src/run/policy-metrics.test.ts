// Metrics of untrained runs with history-conditioned policies, exact or from samples, and limits of such policies.

import { expect, test } from "vitest";
import { type Config, completeConfig, taskOf, trainOptionsOf } from "../config/index.ts";
import { inspectOnnx } from "../engine/onnx/index.ts";
import { Programs } from "../engine/programs.ts";
import { enumerationOf } from "../gfn/environment/environment.ts";
import { regimeEnvironment } from "../gfn/environment/regime.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { enumerateHistories } from "../gfn/evaluate/history-enumeration.ts";
import { limitOf } from "../gfn/evaluate/limit.ts";
import { samplingFloor } from "../gfn/evaluate/sampling-floor.ts";
import { thoughtLimits } from "../gfn/evaluate/thought-limits.ts";
import { exportModel } from "../gfn/policy/export-onnx.ts";
import { model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { modelTrainer } from "../gfn/training/trainer.ts";
import { normaliseRewards } from "../math/distances.ts";
import { NO_STORAGE, parametersOf, trainedModel } from "../trained/trained.ts";
import { limitMetrics, policyMetrics, type TrainedModel } from "./policy-metrics.ts";

/** An untrained run with small networks and encoders. */
async function untrained(given: Config): Promise<TrainedModel> {
  const reading: Config = { encoderLayers: 1, encoderWidth: 8, encoderHeads: 2, hidden: [8], batch: 8 };
  const config = await completeConfig({ ...reading, ...given });
  const task = await taskOf(config);
  const options = await trainOptionsOf(config, task);
  const trainer = await modelTrainer(options);
  const snapshot = {
    ...(await trainer.save()),
    ...{ iteration: 0, iterations: 1, seconds: 0, evaluated: true },
  };
  await trainer.dispose();
  return { model: model(task.environment, options), task, options, snapshot };
}

async function drawn(run: TrainedModel, count: number) {
  const trained = trainedModel({ ...run, events: [] }, NO_STORAGE);
  const programs = new Programs();
  try {
    const samples = await trained.sample(count);
    return { samples, figures: (await policyMetrics(run, samples, programs)).metrics };
  } finally {
    await programs.dispose();
    await trained.dispose();
  }
}

test("a history-conditioned policy on a grid is evaluated from samples, with an exact limit", async () => {
  const run = await untrained({ task: "hypergrid", side: 3, encoder: "both" });
  const { samples, figures } = await drawn(run, 700);
  const reward = rewardTable(run.task.scores, {
    exponent: run.options.rewardExponent,
    floor: run.options.rewardFloor,
  });
  const { target } = normaliseRewards(reward);
  const times = new Float64Array(9);
  for (const { terminal } of samples) times[terminal]++;
  const tv = times.reduce((sum, count, i) => sum + Math.abs(count / 700 - target[i]) / 2, 0);
  const expectedReward = times.reduce((sum, count, i) => sum + (count / 700) * reward[i], 0);
  expect(figures).toMatchObject({ exact: false, samples: 700, kl: null, pearson: null, dynamicsKl: null });
  expect(figures.tv).toBeCloseTo(tv, 12);
  expect(figures.floor).toBe(samplingFloor(target, 700));
  expect(figures.expectedReward).toBeCloseTo(expectedReward, 12);
  expect(samples.every(({ logProbability }) => logProbability === null)).toBe(true);
  const plain = await drawn(await untrained({ task: "hypergrid", side: 3 }), 1);
  expect(plain.figures.exact).toBe(true);
  expect([figures.limit, figures.uniform]).toEqual([plain.figures.limit, plain.figures.uniform]);
});

test("a history-conditioned policy is evaluated exactly if its histories can be enumerated", async () => {
  const run = await untrained({ task: "bit-sequence", bits: 4, word: 2, modes: 2, encoder: "thought" });
  const { samples, figures } = await drawn(run, 4000);
  expect(figures).toMatchObject({ exact: true, tv: expect.any(Number), kl: expect.any(Number) });
  expect(figures).not.toHaveProperty("floor");
  const probabilities = new Map(
    samples.map(({ object, logProbability }) => [object, logProbability as number]),
  );
  expect(probabilities.size).toBe(16);
  const total = [...probabilities.values()].reduce((sum, log) => sum + Math.exp(log), 0);
  expect(total).toBeCloseTo(1, 6);
  for (const [object, log] of probabilities) {
    const expected = 4000 * Math.exp(log);
    const times = samples.filter((sample) => sample.object === object).length;
    expect(Math.abs(times - expected)).toBeLessThan(5 * Math.sqrt(expected));
  }
});

test("a history-conditioned policy of one step, which has no history, is evaluated exactly and exported", async () => {
  const run = await untrained({ task: "bit-sequence", bits: 2, word: 2, modes: 1, encoder: "both" });
  const { samples, figures } = await drawn(run, 200);
  expect(figures.exact).toBe(true);
  const { model, snapshot } = run;
  const probabilities = new Map(
    samples.map(({ object, logProbability }) => [object, logProbability as number]),
  );
  const total = [...probabilities.values()].reduce((sum, log) => sum + Math.exp(log), 0);
  expect(total).toBeCloseTo(1, 6);
  const bytes = exportModel(model, parametersOf(model, snapshot), { rows: 2, includeDynamics: true });
  expect(inspectOnnx(bytes, "model").inputs.map(({ name }) => name)).toEqual(["state", "index"]);
});

test("with hidden regimes the limit of history-conditioned policies is lower", () => {
  const regimes = [
    { stick: 0, share: 0.5 },
    { stick: 0.8, share: 0.5 },
  ];
  const environment = regimeEnvironment({ alphabet: "AB", length: 3, regimes });
  const reward = Float64Array.of(8, 1, 1, 1, 2, 2, 2, 2);
  const stateOnly = limitMetrics(environment, reward);
  const withHistory = limitMetrics(environment, reward, "thought");
  const expected = thoughtLimits(enumerateHistories(environment), normaliseRewards(reward).target);
  expect(stateOnly.limit.kl).toBeCloseTo(expected.withoutThought.kl, 6);
  expect(withHistory.limit.kl).toBeCloseTo(expected.withThought.kl, 6);
  expect(withHistory.limit.kl).toBeLessThan(stateOnly.limit.kl - 1e-4);
  expect(withHistory.uniform).toEqual(stateOnly.uniform);
  expect(stateOnly.uniform.expectedReward).toBeCloseTo(19 / 8, 12);
});

test("without hidden regimes both limits are equal", () => {
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.6 });
  const reward = Float64Array.of(8, 1, 1, 1, 2, 2, 2, 2);
  const best = limitOf(environment, enumerationOf(environment), normaliseRewards(reward).target);
  expect(limitMetrics(environment, reward).limit.kl).toBeCloseTo(best.kl, 12);
  expect(limitMetrics(environment, reward, "thought").limit).toEqual(limitMetrics(environment, reward).limit);
});
