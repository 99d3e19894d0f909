// What is known of a run that cannot be measured exactly, and what runs are held against.

import { expect, test } from "vitest";
import { inspectOnnx } from "../engine/onnx/index.ts";
import { listingOf } from "../gfn/environment.ts";
import { regimeEnvironment } from "../gfn/environments/regime.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { normalise } from "../gfn/evaluate/distances.ts";
import { historyListing } from "../gfn/evaluate/histories.ts";
import { limitOf } from "../gfn/evaluate/limit.ts";
import { samplingFloor } from "../gfn/evaluate/sampled.ts";
import { thoughtLimits } from "../gfn/evaluate/thought-limits.ts";
import { exportModel } from "../gfn/export.ts";
import { model } from "../gfn/model.ts";
import { rewardTable } from "../gfn/reward.ts";
import { createTrainer } from "../gfn/trainer.ts";
import { type Config, completeConfig, taskOf, trainOptionsOf } from "./config.ts";
import { type Assessed, parametersOf, reachable, readerOf } from "./reader.ts";

/** A run that has not learned anything, with small networks that read. */
async function untrained(given: Config): Promise<Assessed> {
  const reading: Config = { encoderLayers: 1, encoderWidth: 8, encoderHeads: 2, hidden: [8], batch: 8 };
  const config = await completeConfig({ ...reading, ...given });
  const task = await taskOf(config);
  const options = await trainOptionsOf(config, task);
  const trainer = await createTrainer(options);
  const snapshot = {
    ...(await trainer.save()),
    ...{ iteration: 0, iterations: 1, seconds: 0, evaluated: true },
  };
  await trainer.dispose();
  return { model: model(task.environment, options), task, options, snapshot };
}

async function drawn(run: Assessed, count: number) {
  const reader = await readerOf(run, { seed: 0 });
  try {
    const samples = await reader.draw(count);
    return { samples, figures: reader.figuresOf(samples) };
  } finally {
    await reader.dispose();
  }
}

test("a policy on a grid that reads is known by its samples, beside an exact limit", async () => {
  const run = await untrained({ task: "hypergrid", side: 3, encoder: "both" });
  const { samples, figures } = await drawn(run, 700);
  const reward = rewardTable(run.task.scores, run.options.reward);
  const { target } = normalise(reward);
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

test("a policy that reads the thought is exact where histories are few", async () => {
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

test("a single step has no thought before it, and is exact and exported all the same", async () => {
  const run = await untrained({ task: "bit-sequence", bits: 2, word: 2, modes: 1, encoder: "both" });
  const { samples, figures } = await drawn(run, 200);
  expect(figures.exact).toBe(true);
  const { model, snapshot } = run;
  const probabilities = new Map(
    samples.map(({ object, logProbability }) => [object, logProbability as number]),
  );
  const total = [...probabilities.values()].reduce((sum, log) => sum + Math.exp(log), 0);
  expect(total).toBeCloseTo(1, 6);
  const bytes = exportModel(model, parametersOf(model, snapshot), { rows: 2, learnsDynamics: true });
  expect(inspectOnnx(bytes, "model").inputs.map(({ name }) => name)).toEqual(["state", "index"]);
});

test("what is reachable under hidden regimes depends on who reads the thought", () => {
  const regimes = [
    { stick: 0, share: 0.5 },
    { stick: 0.8, share: 0.5 },
  ];
  const environment = regimeEnvironment({ alphabet: "AB", length: 3, regimes });
  const reward = Float64Array.of(8, 1, 1, 1, 2, 2, 2, 2);
  const blind = reachable(environment, reward);
  const reading = reachable(environment, reward, "thought");
  const known = thoughtLimits(historyListing(environment), normalise(reward).target);
  expect(blind.limit.kl).toBeCloseTo(known.withoutThought.kl, 6);
  expect(reading.limit.kl).toBeCloseTo(known.withThought.kl, 6);
  expect(reading.limit.kl).toBeLessThan(blind.limit.kl - 1e-4);
  expect(reading.uniform).toEqual(blind.uniform);
  expect(blind.uniform.expectedReward).toBeCloseTo(19 / 8, 12);
});

test("what is reachable where the state decides does not", () => {
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.6 });
  const reward = Float64Array.of(8, 1, 1, 1, 2, 2, 2, 2);
  const best = limitOf(environment, listingOf(environment), normalise(reward).target);
  expect(reachable(environment, reward).limit.kl).toBeCloseTo(best.kl, 12);
  expect(reachable(environment, reward, "thought").limit).toEqual(reachable(environment, reward).limit);
});
