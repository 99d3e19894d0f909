// Tests of more settings of training, on and off: weights of sub-trajectories, schedules, replay, state tables and
// embeddings.

import { RandomStream } from "gflownet/engine";
import type { EnumerableEnvironment, ScheduleChange } from "gflownet/gfn";
import {
  type Balance,
  defaultSettings,
  OBJECTIVES,
  sequenceEnvironment,
  type TrainOptions,
  train,
  visitation,
} from "gflownet/gfn";
import { describe, expect, test } from "vitest";
import { slippingStrings } from "./support/custom-kernels.ts";
import { randomPolicy } from "./support/tabular.ts";
import { collect, evaluationsOf, lastEvaluation, lossesOf } from "./support/training-events.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
const stream = RandomStream.fromSeed(11);
/** The target is so uneven that no policy can reach it under the noise. */
const uneven = Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal()));
/** The distribution of a random policy, which is therefore reachable. */
const reachableOn = (environment: EnumerableEnvironment) => {
  const enumeration = environment.enumerate();
  return visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(4))).terminals;
};
const reachable = reachableOn(strings);
const ON_POLICY = { uniformShare: 0, offlineShare: 0, replayShare: 0 };
const SQUARED = OBJECTIVES["sdb-marginal"];

type Changes = Partial<TrainOptions>;

async function events(changes: Changes) {
  const { environment = strings } = changes;
  return collect(
    train({
      ...defaultSettings(environment),
      environment,
      scores: uneven,
      batch: 64,
      hidden: [32],
      stateTableRows: 1000,
      stateTableRateScale: 1,
      learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
      dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
      ...ON_POLICY,
      rewardExponent: 1,
      rewardFloor: 0,
      iterations: 300,
      seed: 0,
      engine: "native",
      ...changes,
    }),
  );
}

const final = async (changes: Changes) => lastEvaluation(await events(changes)).reached;

describe("λ of sub-trajectory balance", () => {
  const lossesBy = async (balance: Balance, lambda: number) =>
    lossesOf(await events({ balance, dynamics: "marginal", loss: "squared", lambda, iterations: 5 }));
  const ratios = (ours: readonly number[], theirs: readonly number[]) =>
    ours.map((loss, i) => Math.abs(loss / theirs[i] - 1));

  test("at 0 keeps only single steps, and trains like detailed balance", async () => {
    // All strings have the same length, so all steps have the same weight.
    const [alone, steps] = [await lossesBy("subtb", 0), await lossesBy("db", 0.9)];
    expect(Math.max(...ratios(alone, steps))).toBeLessThan(1e-4);
  });

  test("at a very large value keeps only complete trajectories, and trains like trajectory balance", async () => {
    const [long, whole] = [await lossesBy("subtb", 1e6), await lossesBy("tb", 0.9)];
    expect(Math.max(...ratios(long, whole))).toBeLessThan(1e-2);
  });

  test("between these values differs from both", async () => {
    const between = await lossesBy("subtb", 0.9);
    for (const balance of ["db", "tb"] as const) {
      expect(Math.min(...ratios(between, await lossesBy(balance, 0.9)))).toBeGreaterThan(0.05);
    }
  });
});

describe("the learning rate follows its schedule: Adam moves log Z by the learning rate at every step:", () => {
  const [N, from, to, rateScale] = [100, 1e-6, 1e-8, 1e4];
  /**
   * Change of log Z from the start to the middle and to the end of the run. log Z is far from its optimum, so its
   * gradient is almost constant.
   */
  const moved = async (learningRate: TrainOptions["learningRate"]) => {
    const run = await events({
      ...OBJECTIVES.stb,
      scores: reachable.map((p) => p * Math.exp(30)),
      learnLogZ: true,
      logZInitial: 0,
      logZRateScale: rateScale,
      learningRate,
      iterations: N,
      evaluateEvery: N / 2,
    });
    const [start, middle, end] = evaluationsOf(run).map(({ reached }) => reached.logZError);
    return [middle - start, end - start];
  };
  const ratio = (to / from) ** (1 / N);
  const wave = (n: number, cosines: number) => (n * (from + to)) / 2 + ((from - to) / 2) * cosines;
  /** Sums of the learning rates up to the middle and to the end of the run. */
  const sums: Record<NonNullable<ScheduleChange["shape"]>, [middle: number, end: number]> = {
    linear: [N / 2, N].map((n) => n * from - ((from - to) * n * (n - 1)) / (2 * N)) as [number, number],
    cosine: [wave(N / 2, (1 + 1 / Math.tan(Math.PI / (2 * N))) / 2), wave(N, 1)],
    exponential: [N / 2, N].map((n) => (from * (1 - ratio ** n)) / (1 - ratio)) as [number, number],
  };

  test.each(Object.entries(sums))("%s", async (shape, expected) => {
    const found = await moved({ from, to, shape: shape as ScheduleChange["shape"] });
    found.forEach((distance, i) => {
      expect(Math.abs(distance / (rateScale * expected[i]) - 1)).toBeLessThan(0.01);
    });
  });

  test("and stays constant after the end of the schedule", async () => {
    const [middle, end] = await moved({ from, to: 0, until: 0.5 });
    expect(Math.abs(middle / (rateScale * from * (N / 4 + 1 / 2)) - 1)).toBeLessThan(0.01);
    expect(end).toBe(middle);
  });
});

describe("exploration that ends during training gives the result of on-policy training:", () => {
  const own = final({ ...SQUARED });
  const falling = (from: number, to: number): ScheduleChange => ({ from, to, until: 0.4 });
  test.each<[string, Changes, Changes]>([
    [
      "a share of uniformly drawn objects",
      { ...ON_POLICY, uniformShare: 0.9 },
      { ...ON_POLICY, uniformShare: falling(0.9, 0) },
    ],
    ["uniform actions", { epsilon: 1, temperature: 1 }, { epsilon: falling(1, 0), temperature: 1 }],
    [
      "a high temperature",
      { epsilon: 0, temperature: 100 },
      { epsilon: 0, temperature: { ...falling(100, 1), shape: "exponential" } },
    ],
  ])("%s", async (_, constant, scheduled) => {
    const { kl, logZError } = await own;
    const [always, first] = [
      await final({ ...SQUARED, ...constant }),
      await final({ ...SQUARED, ...scheduled }),
    ];
    // The target is unreachable, so constant exploration changes the optimum.
    expect(always.kl).toBeGreaterThan(kl + 0.01);
    expect(always.logZError).toBeLessThan(logZError - 0.1);
    expect(Math.abs(first.kl - kl)).toBeLessThan(0.005);
    expect(Math.abs(first.logZError - logZError)).toBeLessThan(0.02);
  });
});

describe("uniform replay", () => {
  const quiet = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.02 });
  /** Actions are uniform at first; later almost only the most probable actions are taken. There is little noise. */
  const narrow: Changes = {
    environment: quiet,
    scores: reachableOn(quiet),
    ...SQUARED,
    iterations: 200,
    epsilon: { from: 1, to: 0, until: 0.1 },
    temperature: 0.02,
  };
  const withReplay = (capacity: number) =>
    final({ ...narrow, ...ON_POLICY, replayShare: 0.5, replayCapacity: capacity, replayPriority: 0 });
  const all = withReplay(100_000);

  test("trains on early trajectories that the policy no longer samples", async () => {
    const without = await final(narrow);
    expect((await all).kl).toBeLessThan(without.kl / 2);
    expect((await all).tv).toBeLessThan(without.tv / 1.5);
  });

  test("does not train on early trajectories if the buffer holds only the latest ones", async () => {
    const latest = await withReplay(64);
    expect((await all).kl).toBeLessThan(latest.kl / 2);
    expect((await all).tv).toBeLessThan(latest.tv / 1.5);
  });
});

describe("the state table of the policy", () => {
  test("has its own learning rate", async () => {
    // The learning rate of the other weights is negligible.
    const run = (stateTableRateScale: number) =>
      final({ learningRate: 1e-5, hidden: [32], stateTableRows: 1000, stateTableRateScale });
    const [same, faster] = [await run(1), await run(5000)];
    expect(same.kl).toBeGreaterThan(0.4);
    expect(faster.kl).toBeLessThan(same.kl / 2);
    expect(Math.abs(same.logZError)).toBeGreaterThan(3);
    expect(Math.abs(faster.logZError)).toBeLessThan(0.5);
  });
});

describe("an embedded state", () => {
  const run = (changes: Changes) =>
    events({ ...SQUARED, scores: reachable, hidden: [16], stateTableRows: 0, ...changes });
  const oneHot = run({});
  const embedded = (embeddingWidth: number) => run({ state: "embedded", embeddingWidth });

  test("has parameters for letters and positions of the given width", async () => {
    const sizeOf = ([start]: Awaited<typeof oneHot>) => start.kind === "start" && start.parameters.policy;
    // The one-hot input has three positions of three letters; the output has 3 actions and a flow.
    const network = (inputs: number) => inputs * 16 + 16 + 16 * 4 + 4;
    expect(sizeOf(await oneHot)).toBe(network(9));
    expect(sizeOf(await embedded(5))).toBe(3 * 5 + 3 * 5 + network(3 * 5));
  });

  test("trains worse with a width of 1 than with a width of 16 or as one-hot", async () => {
    const [all, one, many] = [await oneHot, await embedded(1), await embedded(16)].map(
      (run) => lastEvaluation(run).reached.kl,
    );
    expect(one).toBeGreaterThan(all + 0.02);
    expect(one).toBeGreaterThan(many + 0.02);
  });
});

describe("the state table of the dynamics model", () => {
  /** The noise depends on the parity of the number of letters B, which a single hidden unit cannot represent. */
  const fickle = slippingStrings(4, 0.05, 0.6);
  const learned = async (changes: Changes) => {
    const scores = new Float64Array(16).fill(1);
    const settings = { dynamicsHidden: [1], dynamicsLearningRate: 1e-2, iterations: 150 };
    return (await final({ environment: fickle, scores, ...settings, ...changes })).dynamicsKl ?? Number.NaN;
  };
  const dynamicsStateTableRows = fickle.states;

  test("learns state-dependent noise", async () => {
    const without = await learned({});
    expect(without).toBeGreaterThan(0.05);
    expect(await learned({ dynamicsStateTableRows })).toBeLessThan(without / 2);
  });

  test("has its own learning rate", async () => {
    const same = await learned({ dynamicsStateTableRows });
    const faster = await learned({ dynamicsStateTableRows, dynamicsStateTableRateScale: 10 });
    expect(faster).toBeLessThan(same / 2);
  });
});
