import { describe, expect, test } from "vitest";
import { type Config, completeConfig, taskOf, trainOptionsOf } from "../config/index.ts";
import { model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { modelTrainer } from "../gfn/training/trainer.ts";
import { NO_STORAGE, trainedModel } from "../trained/trained.ts";
import { assess, metricsTable, type RunMetrics } from "./assessment.ts";
import type { TrainedModel } from "./policy-metrics.ts";

/** An untrained run. */
async function untrained(given: Config): Promise<TrainedModel> {
  const config = await completeConfig({ hidden: [8], batch: 8, samples: 600, ...given });
  const task = await taskOf(config);
  const options = await trainOptionsOf(config, task);
  const trainer = await modelTrainer(options);
  const snapshot = {
    ...(await trainer.save()),
    ...{ iteration: 7, iterations: 7, seconds: 1.5, evaluated: true },
  };
  await trainer.dispose();
  return { model: model(task.environment, options), task, options, snapshot };
}

const grid: Config = { task: "hypergrid", side: 3, stick: 0.5 };

describe("an assessment", () => {
  test("has the distances that follow from the probabilities of its samples", async () => {
    const run = await untrained(grid);
    const { metrics, samples } = await assess(run);
    expect(samples).toHaveLength(600);
    const probabilities = new Map(
      samples.map(({ object, logProbability }) => [object, Math.exp(logProbability ?? Number.NaN)]),
    );
    expect(probabilities.size).toBe(9);
    const reward = rewardTable(run.task.scores, {
      exponent: run.options.rewardExponent,
      floor: run.options.rewardFloor,
    });
    const sum = reward.reduce((a, b) => a + b);
    let [tv, kl, expectedReward] = [0, 0, 0];
    for (const [object, p] of probabilities) {
      const target = reward[run.task.encode(object)] / sum;
      tv += Math.abs(p - target) / 2;
      kl += target * Math.log(target / p);
      expectedReward += p * target * sum;
    }
    expect(metrics.tv).toBeCloseTo(tv, 12);
    expect(metrics.kl).toBeCloseTo(kl, 12);
    expect(metrics.expectedReward).toBeCloseTo(expectedReward, 12);
    expect(metrics).toMatchObject({ exact: true, iterations: 7, seconds: 1.5 });
    expect(metrics.limit.kl).toBeLessThan(kl);
    for (const { object, score } of samples) expect(score).toBe(run.task.scores[run.task.encode(object)]);
  });

  test("counts the modes of the task", async () => {
    const modesOf = async (given: Config) => (await assess(await untrained(given))).metrics.modes;
    // There are 16 strings, and 600 samples contain all of them.
    const bits = await modesOf({ task: "bit-sequence", bits: 4, word: 2, modes: 2 });
    expect(bits).toMatchObject({ recall: 1, localMaxima: { found: expect.any(Number) } });
    expect(bits.localMaxima?.found).toBe(bits.localMaxima?.of);
    expect(bits.localMaxima?.of).toBeGreaterThan(0);
    expect((await modesOf(grid)).localMaxima).toBeNull();
  });
});

describe("samples", () => {
  test("of a larger count begin with those of a smaller one, and differ between seeds", async () => {
    const run = await untrained(grid);
    const draw = async (seed: number, count: number) => {
      const trained = trainedModel({ ...run, events: [] }, NO_STORAGE);
      try {
        const samples = await trained.sample(count, { seed });
        return samples.map(({ object, thought }) => `${object} ${thought}`);
      } finally {
        await trained.dispose();
      }
    };
    const whole = await draw(1, 1536);
    expect(await draw(1, 700)).toEqual(whole.slice(0, 700));
    expect(await draw(1, 5)).toEqual(whole.slice(0, 5));
    expect(await draw(2, 5)).not.toEqual(whole.slice(0, 5));
  });
});

test("the table shows the policy, the limit and the uniform policy, and dashes for missing values", () => {
  const metrics: RunMetrics = {
    ...{
      exact: true,
      tv: 0.5,
      kl: Number.POSITIVE_INFINITY,
      expectedReward: 1.25,
      iterations: 1,
      seconds: 1,
    },
    ...{ pearson: null, spearman: null, logZError: null, dynamicsKl: 1e-5 },
    limit: { tv: 0.1, kl: 0.2, expectedReward: 2, gap: 0 },
    uniform: { tv: 0.75, kl: 3, expectedReward: 0.125 },
    modes: { samples: 9, circles: 1, recall: null, knownModes: null, localMaxima: null },
  };
  expect(metricsTable(metrics).split("\n")).toEqual([
    "                       reached   limit  uniform",
    "total variation         0.5000  0.1000   0.7500",
    "KL(target ‖ policy)   Infinity  0.2000   3.0000",
    "expected reward         1.2500  2.0000   0.1250",
    "log Z error                  –",
    "KL(P ‖ P̂) per step      1.0e-5",
    "Pearson correlation          –",
    "Spearman correlation         –",
  ]);
  const illegal = { policy: 0.25, limit: 0.125, uniform: 0.5, least: 0.0625 };
  expect(
    metricsTable({ ...metrics, illegal })
      .split("\n")
      .slice(3, 6),
  ).toEqual([
    "expected reward                   1.2500  2.0000   0.1250",
    "probability of illegal strings    0.2500  0.1250   0.5000",
    "  least of any policy             0.0625",
  ]);
});
