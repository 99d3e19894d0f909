// More options of training, switched on and off: weights of sub-trajectories, courses, replay, memories and embeddings.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import type { Change } from "../src/gfn/course.ts";
import { defaultSettings } from "../src/gfn/defaults.ts";
import type { EnumerableEnvironment } from "../src/gfn/environment.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import { visitation } from "../src/gfn/evaluate/exact.ts";
import { type Balance, OBJECTIVES } from "../src/gfn/objectives/choice.ts";
import { type TrainOptions, train } from "../src/gfn/train.ts";
import { slippingStrings } from "./support/own-kernel.ts";
import { randomPolicy } from "./support/tabular.ts";
import { collect, evaluationsOf, lastEvaluation, lossesOf } from "./support/training-events.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
const stream = RandomStream.fromSeed(11);
/** So uneven that noise keeps it out of reach. */
const uneven = Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal()));
/** Where some policy ends, so within reach. */
const reachableOn = (environment: EnumerableEnvironment) => {
  const listed = environment.enumerate();
  return visitation(listed, randomPolicy(listed, RandomStream.fromSeed(4))).terminals;
};
const reachable = reachableOn(strings);
const NONE = { uniform: 0, offline: 0, replay: 0 };
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
      policy: { hidden: [32], memoryRows: 1000 },
      learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
      dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
      mixture: NONE,
      reward: { exponent: 1, floor: 0 },
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
    lossesOf(
      await events({ objective: { balance, dynamics: "marginal", loss: "squared" }, lambda, iterations: 5 }),
    );
  const ratios = (ours: readonly number[], theirs: readonly number[]) =>
    ours.map((loss, i) => Math.abs(loss / theirs[i] - 1));

  test("at 0 leaves steps alone, and trains as detailed balance does", async () => {
    // All strings have the same length, so that every step counts alike.
    const [alone, steps] = [await lossesBy("subtb", 0), await lossesBy("db", 0.9)];
    expect(Math.max(...ratios(alone, steps))).toBeLessThan(1e-4);
  });

  test("grown very large leaves whole episodes, and trains as trajectory balance does", async () => {
    const [long, whole] = [await lossesBy("subtb", 1e6), await lossesBy("tb", 0.9)];
    expect(Math.max(...ratios(long, whole))).toBeLessThan(1e-2);
  });

  test("between them is something else", async () => {
    const between = await lossesBy("subtb", 0.9);
    for (const balance of ["db", "tb"] as const) {
      expect(Math.min(...ratios(between, await lossesBy(balance, 0.9)))).toBeGreaterThan(0.05);
    }
  });
});

describe("a course is followed, seen by a log Z that Adam moves by the learning rate at every step:", () => {
  const [N, from, to, rateScale] = [100, 1e-6, 1e-8, 1e4];
  /** How far log Z has come by the middle and by the end, with so far to go that the gradient hardly changes. */
  const moved = async (learningRate: TrainOptions["learningRate"]) => {
    const run = await events({
      objective: OBJECTIVES.stb,
      scores: reachable.map((p) => p * Math.exp(30)),
      logZ: { initial: 0, rateScale },
      learningRate,
      iterations: N,
      evaluateEvery: N / 2,
    });
    const [start, middle, end] = evaluationsOf(run).map(({ reached }) => reached.logZError);
    return [middle - start, end - start];
  };
  const ratio = (to / from) ** (1 / N);
  const wave = (n: number, cosines: number) => (n * (from + to)) / 2 + ((from - to) / 2) * cosines;
  /** Sums of the rates before step n. */
  const sums: Record<NonNullable<Change["shape"]>, [middle: number, end: number]> = {
    linear: [N / 2, N].map((n) => n * from - ((from - to) * n * (n - 1)) / (2 * N)) as [number, number],
    cosine: [wave(N / 2, (1 + 1 / Math.tan(Math.PI / (2 * N))) / 2), wave(N, 1)],
    exponential: [N / 2, N].map((n) => (from * (1 - ratio ** n)) / (1 - ratio)) as [number, number],
  };

  test.each(Object.entries(sums))("%s", async (shape, expected) => {
    const found = await moved({ from, to, shape: shape as Change["shape"] });
    found.forEach((distance, i) => {
      expect(Math.abs(distance / (rateScale * expected[i]) - 1)).toBeLessThan(0.01);
    });
  });

  test("until it has arrived, and no further", async () => {
    const [middle, end] = await moved({ from, to: 0, until: 0.5 });
    expect(Math.abs(middle / (rateScale * from * (N / 4 + 1 / 2)) - 1)).toBeLessThan(0.01);
    expect(end).toBe(middle);
  });
});

describe("what is explored at first and not in the end ends where the policy's own episodes do:", () => {
  const own = final({ objective: SQUARED });
  const falling = (from: number, to: number): Change => ({ from, to, until: 0.4 });
  test.each<[string, Changes, Changes]>([
    [
      "a share of uniformly drawn objects",
      { mixture: { ...NONE, uniform: 0.9 } },
      { mixture: { ...NONE, uniform: falling(0.9, 0) } },
    ],
    [
      "uniform intentions",
      { exploration: { epsilon: 1, temperature: 1 } },
      { exploration: { epsilon: falling(1, 0), temperature: 1 } },
    ],
    [
      "a high temperature",
      { exploration: { epsilon: 0, temperature: 100 } },
      { exploration: { epsilon: 0, temperature: { ...falling(100, 1), shape: "exponential" } } },
    ],
  ])("%s", async (_, constant, scheduled) => {
    const { kl, logZError } = await own;
    const [always, first] = [
      await final({ objective: SQUARED, ...constant }),
      await final({ objective: SQUARED, ...scheduled }),
    ];
    // The target is out of reach, and other weights lead elsewhere for as long as they last.
    expect(always.kl).toBeGreaterThan(kl + 0.01);
    expect(always.logZError).toBeLessThan(logZError - 0.1);
    expect(Math.abs(first.kl - kl)).toBeLessThan(0.005);
    expect(Math.abs(first.logZError - logZError)).toBeLessThan(0.02);
  });
});

describe("episodes again, all alike,", () => {
  const quiet = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.02 });
  /** Anything is tried at first; later nearly nothing but what seems most likely, and noise is rare. */
  const narrow: Changes = {
    environment: quiet,
    scores: reachableOn(quiet),
    objective: SQUARED,
    iterations: 200,
    exploration: { epsilon: { from: 1, to: 0, until: 0.1 }, temperature: 0.02 },
  };
  const replaying = (capacity: number) =>
    final({ ...narrow, mixture: { ...NONE, replay: 0.5 }, replay: { capacity, priority: 0 } });
  const all = replaying(100_000);

  test("teach what was tried long ago and is not tried any more", async () => {
    const without = await final(narrow);
    expect((await all).kl).toBeLessThan(without.kl / 2);
    expect((await all).tv).toBeLessThan(without.tv / 1.5);
  });

  test("but not if there is room for the latest only", async () => {
    const latest = await replaying(64);
    expect((await all).kl).toBeLessThan(latest.kl / 2);
    expect((await all).tv).toBeLessThan(latest.tv / 1.5);
  });
});

describe("the policy's memory", () => {
  test("moves at a rate of its own", async () => {
    // So slow that the weights hardly move.
    const run = (memoryRateScale: number) =>
      final({ learningRate: 1e-5, policy: { hidden: [32], memoryRows: 1000, memoryRateScale } });
    const [same, faster] = [await run(1), await run(5000)];
    expect(same.kl).toBeGreaterThan(0.4);
    expect(faster.kl).toBeLessThan(same.kl / 2);
    expect(Math.abs(same.logZError)).toBeGreaterThan(3);
    expect(Math.abs(faster.logZError)).toBeLessThan(0.5);
  });
});

describe("a state that the network sees embedded", () => {
  const run = (policy: TrainOptions["policy"]) => events({ objective: SQUARED, scores: reachable, policy });
  const oneHot = run({ hidden: [16] });
  const embedded = (embeddingWidth: number) => run({ hidden: [16], state: "embedded", embeddingWidth });

  test("has parameters for letters and for positions, each of the width that was asked for", async () => {
    const sizeOf = ([start]: Awaited<typeof oneHot>) => start.kind === "start" && start.parameters.policy;
    // Three positions of three letters; 3 intentions, 3 ways in and a flow.
    const network = (inputs: number) => inputs * 16 + 16 + 16 * 7 + 7;
    expect(sizeOf(await oneHot)).toBe(network(9));
    expect(sizeOf(await embedded(5))).toBe(3 * 5 + 3 * 5 + network(3 * 5));
  });

  test("is seen less well through one number per letter, and as well through many", async () => {
    const [all, one, many] = [await oneHot, await embedded(1), await embedded(16)].map(
      (run) => lastEvaluation(run).reached.kl,
    );
    expect(one).toBeGreaterThan(all + 0.02);
    expect(one).toBeGreaterThan(many + 0.02);
  });
});

describe("the memory of the dynamics model", () => {
  /** How likely a letter slips depends on whether the number of others is odd, which one unit cannot tell. */
  const fickle = slippingStrings(4, 0.05, 0.6);
  const learned = async (dynamics: TrainOptions["dynamics"]) => {
    const scores = new Float64Array(16).fill(1);
    const run = { environment: fickle, scores, dynamics, dynamicsLearningRate: 1e-2, iterations: 150 };
    return (await final(run)).dynamicsKl ?? Number.NaN;
  };
  const memoryRows = fickle.states;

  test("knows a noise that is different in every state", async () => {
    const without = await learned({ hidden: [1] });
    expect(without).toBeGreaterThan(0.05);
    expect(await learned({ hidden: [1], memoryRows })).toBeLessThan(without / 2);
  });

  test("moves at a rate of its own", async () => {
    const same = await learned({ hidden: [1], memoryRows });
    expect(await learned({ hidden: [1], memoryRows, memoryRateScale: 10 })).toBeLessThan(same / 2);
  });
});
