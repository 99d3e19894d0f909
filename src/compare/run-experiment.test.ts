// Tests of the records of an experiment against the exact distribution of uniform objects and the closed form of stick
// noise.

import { describe, expect, test } from "vitest";
import { modeSetsOf } from "../baselines/mode-sets.ts";
import { realisedDistribution } from "../baselines/realised-distribution.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import { train } from "../gfn/training/train.ts";
import { modelTrainer } from "../gfn/training/trainer.ts";
import { normaliseRewards, totalVariation } from "../math/distances.ts";
import { bitSequenceTask } from "../tasks/bit-sequence/index.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import { type ExperimentOptions, runExperiment } from "./run-experiment.ts";

const grid = hypergridTask({ stick: 0.25, dimensions: 2, side: 4 });
const bits = bitSequenceTask({ stick: 0.5, bits: 6, word: 2, modes: 2, modeSeed: 0, sharpness: 8 });
const common = {
  ...{ batch: 16, hidden: [8], stateTableRows: 32, stateTableRateScale: 1, dynamicsHidden: [4] },
};

async function recordsOf(changes: Partial<ExperimentOptions>): Promise<ExperimentRecord[]> {
  const options = { task: grid, method: "random", seed: 0, common, budget: { calls: 320 }, evaluations: 5 };
  const records: ExperimentRecord[] = [];
  for await (const event of runExperiment({ ...options, ...changes })) {
    if (event.kind === "record") records.push(event.record);
  }
  return records;
}

const untimed = (records: readonly ExperimentRecord[]) => records.map(({ seconds, ...record }) => record);

describe("with a budget of oracle calls", () => {
  test("records are made at the start, at equal distances, and at the end", async () => {
    expect((await recordsOf({})).map(({ calls }) => calls)).toEqual([0, 64, 128, 192, 256, 320]);
    const learned = await recordsOf({ method: "kl", budget: { calls: 100 }, evaluations: 2 });
    // Six batches of 16 objects fit into a budget of 100 calls.
    expect(learned.map(({ calls, iteration }) => [calls, iteration])).toEqual([
      [0, 0],
      [64, 4],
      [96, 6],
    ]);
  });

  test("the same seed gives identical records, and another seed gives different records", async () => {
    const short = { method: "kl", budget: { calls: 64 }, evaluations: 2 };
    const first = untimed(await recordsOf(short));
    expect(untimed(await recordsOf(short))).toEqual(first);
    expect(untimed(await recordsOf({ ...short, seed: 1 }))).not.toEqual(first);
  });
});

test("a GFlowNet trains bit-identically in an experiment and in a run of as many iterations", async () => {
  const { environment, scores } = grid;
  const settings = defaultSettings(environment, { ...common, objective: "kl" });
  const expected: number[] = [];
  for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 8 })) {
    if (event.kind === "evaluation" && event.exact) expected.push(event.reached.tv, event.reached.kl);
  }
  const last = (await recordsOf({ method: "kl", budget: { calls: 8 * common.batch } })).at(-1);
  expect([last?.tv, last?.kl]).toEqual(expected.slice(-2));
});

test("modes found are those of the policy's own rows, and modes scored those of all rows", async () => {
  const task = hypergridTask({ stick: 0.25, dimensions: 2, side: 8 });
  const { environment, scores } = task;
  const [iterations, seeds] = [4, [0, 1]];
  const settings = defaultSettings(environment, { ...common, objective: "kl" });
  const sets = modeSetsOf(task);
  let differ = 0;
  for (const seed of seeds) {
    const trainer = await modelTrainer({ ...settings, environment, scores, seed, reportObjects: true });
    const [own, all] = [new Set<number>(), new Set<number>()];
    for (let t = 0; t < iterations; t++) {
      const { terminals, offPolicy } = await trainer.step(t, t / iterations);
      terminals?.forEach((terminal, row) => {
        all.add(terminal);
        if (offPolicy?.[row] === 0) own.add(terminal);
      });
    }
    await trainer.dispose();
    const modesIn = (found: ReadonlySet<number>) =>
      sets.filter((set) => set.some((cell) => found.has(cell))).length;
    const budget = { calls: iterations * common.batch };
    const last = (await recordsOf({ task, method: "kl", budget, seed })).at(-1);
    expect([last?.modesFound, last?.modesScored]).toEqual([modesIn(own), modesIn(all)]);
    if (modesIn(own) < modesIn(all)) differ++;
  }
  expect(differ).toBeGreaterThan(0);
  const search = (await recordsOf({ task })).at(-1);
  expect(search?.modesFound).toBe(search?.modesScored);
});

test("calls to half and to all of the modes are counted up to the first batch that reached them", async () => {
  const task = hypergridTask({ stick: 0.25, dimensions: 2, side: 8 });
  // A record after every batch shows when each number of modes was first reached.
  const records = await recordsOf({ task, budget: { calls: 800 }, evaluations: 50 });
  const first = (modes: number) => records.find(({ modesFound }) => modesFound >= modes)?.calls;
  const last = records.at(-1) as ExperimentRecord;
  expect([last.callsToHalf, last.callsToAll]).toEqual([first(2), first(4)]);
  expect(first(4)).toBeGreaterThan(first(2) as number);
  for (const { calls, callsToAll } of records) {
    expect(callsToAll).toBe(calls < (first(4) as number) ? null : last.callsToAll);
  }
});

test("with a budget of seconds, it runs until the time is used up, with the requested number of records", async () => {
  let now = 0;
  // Every call advances the clock by 0.01 seconds.
  const elapsed = () => {
    now += 0.01;
    return now;
  };
  const records = await recordsOf({ budget: { seconds: 20 }, evaluations: 4, elapsed });
  expect(records).toHaveLength(5);
  expect(records[0].calls).toBe(0);
  expect(records[4].seconds).toBeGreaterThan(19.5);
  expect(records[4].seconds).toBeLessThan(20.5);
});

test("checkpoints are made every 20 seconds, and the records after one are those of the whole experiment", async () => {
  // Every call advances the clock by a second.
  const seconds = () => {
    let now = 0;
    return () => now++;
  };
  const options = {
    ...{ task: grid, method: "metropolis", seed: 0, common, budget: { calls: 640 }, evaluations: 5 },
    elapsed: seconds(),
  };
  const records: ExperimentRecord[] = [];
  const checkpoints: { readonly bytes: Uint8Array; readonly records: number }[] = [];
  for await (const event of runExperiment(options)) {
    if (event.kind === "record") records.push(event.record);
    if (event.kind === "checkpoint") checkpoints.push({ bytes: event.bytes, records: records.length });
  }
  expect(checkpoints.length).toBeGreaterThan(1);
  for (const { bytes, records: before } of checkpoints) {
    const rest = await recordsOf({ ...options, elapsed: seconds(), checkpoint: bytes });
    expect(untimed(rest)).toEqual(untimed(records.slice(before)));
  }
});

test("an experiment that is stopped early follows the schedules of the whole budget", async () => {
  const whole = { method: "kl", budget: { calls: 320 }, evaluations: 20 };
  const [all, early] = [await recordsOf(whole), await recordsOf({ ...whole, stop: 100 })];
  expect(early.at(-1)?.calls).toBe(96);
  expect(untimed(early)).toEqual(untimed(all.slice(0, early.length)));
});

test("random search has the exact distribution of uniform objects, and no losses", async () => {
  const reward = rewardTable(grid.scores);
  const distribution = realisedDistribution(grid.environment, new Float64Array(16).fill(1 / 16));
  const last = (await recordsOf({})).at(-1);
  expect(last?.tv).toBeCloseTo(totalVariation(normaliseRewards(reward).target, distribution), 12);
  expect(last).toMatchObject({ loss: null, dynamicsLoss: null, entropyRatio: null, sampledTv: null });
});

test("searches have a sampled TV with its floor, and no exact metrics", async () => {
  const [first, ...rest] = await recordsOf({ method: "metropolis" });
  expect(first).toMatchObject({ best: null, topMean: null, diversity: null, sampledTv: null });
  const last = rest.at(-1) as ExperimentRecord;
  expect(last).toMatchObject({ tv: null, kl: null, modes: 4 });
  expect(last.sampledTv).toBeGreaterThan(last.sampledFloor as number);
});

test("methods that learn the dynamics have the entropy of stick noise as their floor", async () => {
  // With stick 0.5 and four words, the intended word results with probability 0.5 + 0.125.
  const entropy = -0.625 * Math.log(0.625) - 3 * 0.125 * Math.log(0.125);
  const records = await recordsOf({ task: bits, method: "kl-entropy", budget: { calls: 160 } });
  for (const { dynamicsFloor } of records) expect(dynamicsFloor).toBeCloseTo(entropy, 12);
  expect(records[0]).toMatchObject({ loss: null, dynamicsLoss: null, entropyRatio: null });
  const last = records.at(-1) as ExperimentRecord;
  expect(last.dynamicsLoss).toBeGreaterThan(0.8 * entropy);
  expect(last.entropyRatio).toBeGreaterThanOrEqual(1);
  expect(last.limitTv).toBeLessThan(last.uniformTv);
});
