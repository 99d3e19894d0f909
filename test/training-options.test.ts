// Tests of every setting of training, on and off: exact results must change as expected.

import { RandomStream } from "gflownet/engine";
import type { Environment } from "gflownet/gfn";
import {
  defaultSettings,
  hypergridEnvironment,
  OBJECTIVES,
  sequenceEnvironment,
  type TrainOptions,
  train,
  visitation,
} from "gflownet/gfn";
import { describe, expect, test } from "vitest";
import { randomPolicy } from "./support/tabular.ts";
import { collect, evaluationsOf, lastEvaluation } from "./support/training-events.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
const stream = RandomStream.fromSeed(11);
/** The target is so uneven that no policy can reach it under the noise. */
const uneven = Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal()));
const enumeration = strings.enumerate();
/** The distribution of a random policy, which is therefore reachable. */
const reachable = visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(4))).terminals;

type Changes = Partial<Omit<TrainOptions, "environment">> & { environment?: Environment };

function options({ environment = strings, ...changes }: Changes): TrainOptions {
  return {
    ...defaultSettings(environment),
    environment,
    scores: uneven,
    batch: 64,
    hidden: [32],
    stateTableRows: 1000,
    stateTableRateScale: 1,
    learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
    uniformShare: 0,
    offlineShare: 0,
    replayShare: 0,
    rewardExponent: 1,
    rewardFloor: 0,
    iterations: 400,
    seed: 0,
    engine: "native",
    ...changes,
  };
}

const trained = async (changes: Changes) => lastEvaluation(await collect(train(options(changes)))).reached;
const runs = new Map<string, ReturnType<typeof trained>>();

/** The last evaluation of a run. Runs with the same options are trained once. */
function final(changes: Changes): ReturnType<typeof trained> {
  const { environment, ...settings } = options(changes);
  const { offlineObjects = [], scores } = settings;
  const key = JSON.stringify({
    ...settings,
    offlineObjects,
    scores: [...(scores as Float64Array)],
    environment,
  });
  if (!runs.has(key)) runs.set(key, trained(changes));
  return runs.get(key)!;
}

describe("off-policy training changes the optimum of the squared loss if the target is unreachable:", () => {
  const squared = { ...OBJECTIVES["sdb-marginal"], iterations: 400 };
  const onPolicy = final(squared);

  test.each<[string, Changes]>([
    ["a share of uniform objects", { uniformShare: 0.9, offlineShare: 0, replayShare: 0 }],
    ["uniform actions", { epsilon: 1, temperature: 1 }],
    ["a high temperature", { epsilon: 0, temperature: 100 }],
  ])("%s", async (_, changes) => {
    const { kl, dynamicsKl } = await final({ ...squared, ...changes });
    expect(kl).toBeGreaterThan((await onPolicy).kl + 0.003);
    expect(dynamicsKl).toBeLessThan(0.01);
  });

  test.each<[string, Changes]>([
    ["a share of uniform objects", { uniformShare: 0.5, offlineShare: 0, replayShare: 0 }],
    ["uniform actions", { epsilon: 0.5, temperature: 1 }],
    ["a high temperature", { epsilon: 0, temperature: 4 }],
    ["a replay buffer", { uniformShare: 0, offlineShare: 0, replayShare: 0.5 }],
  ])("but not if it is reachable: %s", async (_, changes) => {
    const { tv, logZError } = await final({ ...squared, scores: reachable, iterations: 800, ...changes });
    expect(tv).toBeLessThan(0.01);
    expect(logZError).toBeCloseTo(0, 2);
  });
});

describe("off-policy objects", () => {
  const [letters, length] = [4, 5];
  const needle = sequenceEnvironment({ alphabet: "ABCD", length, stick: 0.05 });
  const alone = (terminals: number, best: number) =>
    Float64Array.from({ length: terminals }, (_, terminal) => +(terminal === best));
  const hidden: Changes = {
    environment: needle,
    scores: alone(letters ** length, 0b1101100100),
    rewardExponent: 1,
    rewardFloor: 1e-4,
    batch: 16,
    iterations: 100,
  };
  const text = needle.describe(needle.sampleTrajectoryTo(0b1101100100, stream));

  test("let training find a rare string", async () => {
    const without = await final(hidden);
    const offline = { uniformShare: 0, offlineShare: 0.25, replayShare: 0 };
    const shown = await final({ ...hidden, ...offline, offlineObjects: [text] });
    expect(shown.expectedReward).toBeGreaterThan(0.1);
    expect(shown.expectedReward).toBeGreaterThan(10 * without.expectedReward);
  });

  test("let training find a rare cell", async () => {
    const grid = hypergridEnvironment({ dimensions: 3, side: 5, stick: 0.05 });
    const middle = 2 + 5 * (2 + 5 * 2);
    const far = { ...hidden, environment: grid, scores: alone(125, middle), iterations: 40 };
    const offline = { uniformShare: 0, offlineShare: 0.25, replayShare: 0 };
    const shown = await final({ ...far, ...offline, offlineObjects: ["2,2,2"] });
    expect(shown.expectedReward).toBeGreaterThan(0.05);
    expect(shown.expectedReward).toBeGreaterThan(10 * (await final(far)).expectedReward);
  });

  test("train joint dynamics with actions sampled from the backward policy, on strings and on a grid", async () => {
    const mixture = { uniformShare: 0.5, offlineShare: 0, replayShare: 0 };
    const joint = { ...OBJECTIVES.sdb, ...mixture, iterations: 1000 };
    expect((await final({ ...joint, scores: reachable })).tv).toBeLessThan(0.03);
    const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
    const cells = visitation(grid.enumerate(), randomPolicy(grid.enumerate(), RandomStream.fromSeed(5)));
    expect((await final({ ...joint, environment: grid, scores: cells.terminals })).tv).toBeLessThan(0.02);
  });

  test("can come from the replay buffer, which prefers high scores", async () => {
    // Whether 250 iterations find the string depends on the seed, so means are compared.
    const meanReward = async (replayShare: number, replayPriority: number) => {
      const rewards: number[] = [];
      for (let seed = 0; seed < 8; seed++) {
        const replay = { replayShare, replayPriority, replayCapacity: 4000 };
        const shares = { uniformShare: 0, offlineShare: 0 };
        const { expectedReward } = await final({ ...hidden, ...shares, ...replay, iterations: 250, seed });
        rewards.push(expectedReward);
      }
      return sum(rewards) / rewards.length;
    };
    const [none, alike, better] = [
      await meanReward(0, 0),
      await meanReward(0.5, 0),
      await meanReward(0.5, 1),
    ];
    expect(alike).not.toBe(none);
    expect(better).toBeGreaterThan(1.3 * alike);
  });
});

describe("the reward", () => {
  const even = uneven.map(Math.sqrt);

  test("is the score raised to the exponent", async () => {
    const [same, other] = [
      await final({ scores: even, rewardExponent: 2, rewardFloor: 0 }),
      await final({ scores: even, rewardExponent: 1, rewardFloor: 0 }),
    ];
    const direct = await final({ scores: uneven });
    expect(same.expectedReward).toBeCloseTo(direct.expectedReward, 1);
    expect(other.expectedReward).toBeLessThan(direct.expectedReward - 0.5);
  });

  test("has a floor", async () => {
    const floored = lastEvaluation(await collect(train(options({ rewardExponent: 1, rewardFloor: 1 }))));
    expect(floored.uniform.tv).toBeCloseTo(0, 12);
    expect(floored.reached.tv).toBeLessThan(0.03);
  });

  test("has an exponent that starts at 1 and increases over a ramp", async () => {
    const squared = { scores: even, rewardExponent: 2, rewardFloor: 1e-6 };
    const quick = await final({ ...squared, rewardRamp: 1 });
    const never = await final({ ...squared, rewardRamp: 1e9 });
    const flat = await final({ scores: even });
    expect(quick.kl).toBeLessThan((await final(squared)).kl + 0.003);
    expect(never.kl).toBeGreaterThan(quick.kl + 0.02);
    // With a very long ramp, the exponent stays at 1.
    expect(never.logZError).toBeCloseTo(flat.logZError + Math.log(sum(even) / sum(uneven)), 1);
  });
});

describe("the updates", () => {
  test("come to rest with a decreasing learning rate", async () => {
    // If the target is unreachable, neither the residuals nor the noise of the gradient vanish.
    const lastChanges = async (learningRate: Changes["learningRate"]) => {
      const events = await collect(train(options({ learningRate, evaluateEvery: 10 })));
      const last = evaluationsOf(events).slice(-5);
      return last.slice(1).map(({ reached }, i) => Math.abs(reached.kl - last[i].reached.kl));
    };
    const falling = await lastChanges({ from: 0.1, to: 1e-4, shape: "cosine" });
    const constant = await lastChanges(0.1);
    expect(sum(constant)).toBeGreaterThan(10 * sum(falling));
  });

  test("are small if the gradient is clipped so much that ε dominates in Adam", async () => {
    const free = await final({ iterations: 100 });
    const clipped = await final({ iterations: 100, clip: 1e-8 });
    expect(clipped.kl).toBeGreaterThan(free.kl + 0.1);
  });

  test("change a learned log Z from its initial value, at its own learning rate", async () => {
    const balance = { ...OBJECTIVES.stb, scores: reachable.map((p) => p * Math.exp(2)) };
    const run = async (rateScale: number) =>
      evaluationsOf(
        await collect(
          train(options({ ...balance, learnLogZ: true, logZInitial: -1, logZRateScale: rateScale })),
        ),
      );
    const fast = await run(10);
    expect(fast[0].reached.logZError).toBeCloseTo(-3, 6);
    expect(fast[1].reached.logZError).toBeCloseTo(0, 1);
    const slow = await run(1e-6);
    expect(slow[1].reached.logZError).toBeCloseTo(-3, 3);
  });
});

describe("the dynamics model", () => {
  const short: Changes = { iterations: 60, dynamicsLearningRate: 3e-3 };

  test("has its own learning rate", async () => {
    const still = await final({ ...short, dynamicsLearningRate: 0 });
    expect((await final(short)).dynamicsKl).toBeLessThan((still.dynamicsKl ?? 0) - 0.05);
  });

  test("learns less if its gradient is clipped so much that ε dominates in Adam", async () => {
    const free = (await final(short)).dynamicsKl ?? Number.NaN;
    expect((await final({ ...short, dynamicsClip: 1e-8 })).dynamicsKl).toBeGreaterThan(free + 0.02);
  });

  test("learns more from several rounds on stored trajectories than from one", async () => {
    const stored = async (capacity: number, episodes: number, rounds: number) =>
      (
        await final({
          ...short,
          dynamicsReplayCapacity: capacity,
          dynamicsReplayBatch: episodes,
          dynamicsReplayRounds: rounds,
        })
      ).dynamicsKl ?? Number.NaN;
    const once = await stored(4000, 64, 1);
    const often = await stored(4000, 64, 8);
    const always = await stored(1, 64, 8);
    expect(often).toBeLessThan(once / 2);
    expect(often).toBeLessThan(0.01);
    expect(always).toBeGreaterThan(2 * often);
    expect(await stored(4000, 2, 8)).toBeGreaterThan(often);
  });
});

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
