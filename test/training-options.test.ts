// Every option of training, switched on and off: an exact result must change, and in the right way.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import { defaultSettings } from "../src/gfn/defaults.ts";
import type { Environment } from "../src/gfn/environment.ts";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import { visitation } from "../src/gfn/evaluate/exact.ts";
import { OBJECTIVES } from "../src/gfn/objectives/choice.ts";
import { type TrainOptions, train } from "../src/gfn/train.ts";
import { randomPolicy } from "./support/tabular.ts";
import { collect, evaluationsOf, lastEvaluation } from "./support/training-events.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
const stream = RandomStream.fromSeed(11);
/** So uneven that noise keeps it out of reach. */
const uneven = Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal()));
const listed = strings.enumerate();
/** Where some policy ends, so within reach. */
const reachable = visitation(listed, randomPolicy(listed, RandomStream.fromSeed(4))).terminals;

type Changes = Partial<Omit<TrainOptions, "environment">> & { environment?: Environment };

function options({ environment = strings, ...changes }: Changes): TrainOptions {
  return {
    ...defaultSettings(environment),
    environment,
    scores: uneven,
    batch: 64,
    policy: { hidden: [32], memoryRows: 1000 },
    learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
    mixture: { uniform: 0, offline: 0, replay: 0 },
    reward: { exponent: 1, floor: 0 },
    iterations: 400,
    seed: 0,
    engine: "native",
    ...changes,
  };
}

const final = async (changes: Changes) => lastEvaluation(await collect(train(options(changes)))).reached;

describe("off the policy's own episodes the squared loss settles elsewhere where the target is out of reach:", () => {
  const squared = { objective: OBJECTIVES["sdb-marginal"], iterations: 800 };
  const own = final(squared);

  test.each<[string, Changes]>([
    ["a share of uniformly drawn objects", { mixture: { uniform: 0.9, offline: 0, replay: 0 } }],
    ["uniform intentions", { exploration: { epsilon: 1, temperature: 1 } }],
    ["a high temperature", { exploration: { epsilon: 0, temperature: 100 } }],
  ])("%s", async (_, changes) => {
    const { kl, dynamicsKl } = await final({ ...squared, ...changes });
    expect(kl).toBeGreaterThan((await own).kl + 0.003);
    expect(dynamicsKl).toBeLessThan(0.01);
  });

  test.each<[string, Changes]>([
    ["a share of uniformly drawn objects", { mixture: { uniform: 0.5, offline: 0, replay: 0 } }],
    ["uniform intentions", { exploration: { epsilon: 0.5, temperature: 1 } }],
    ["a high temperature", { exploration: { epsilon: 0, temperature: 4 } }],
    ["episodes again", { mixture: { uniform: 0, offline: 0, replay: 0.5 } }],
  ])("but not where it is in reach, for all is scored under the policy: %s", async (_, changes) => {
    const { tv, logZError } = await final({ ...squared, scores: reachable, ...changes });
    expect(tv).toBeLessThan(0.01);
    expect(logZError).toBeCloseTo(0, 2);
  });
});

describe("objects from elsewhere", () => {
  const [letters, length] = [4, 5];
  const needle = sequenceEnvironment({ alphabet: "ABCD", length, stick: 0.05 });
  const alone = (terminals: number, best: number) =>
    Float64Array.from({ length: terminals }, (_, terminal) => +(terminal === best));
  const hidden: Changes = {
    environment: needle,
    scores: alone(letters ** length, 0b1101100100),
    reward: { exponent: 1, floor: 1e-4 },
    batch: 16,
    iterations: 100,
  };
  const text = needle.describe(needle.wayTo(0b1101100100, stream));

  test("show a string that is hard to find", async () => {
    const without = await final(hidden);
    const offline = { uniform: 0, offline: 0.25, replay: 0 };
    const shown = await final({ ...hidden, mixture: offline, known: [text] });
    expect(shown.expectedReward).toBeGreaterThan(0.1);
    expect(shown.expectedReward).toBeGreaterThan(10 * without.expectedReward);
  });

  test("show a cell that is hard to find", async () => {
    const grid = hypergridEnvironment({ dimensions: 3, side: 5, stick: 0.05 });
    const middle = 2 + 5 * (2 + 5 * 2);
    const far = { ...hidden, environment: grid, scores: alone(125, middle), iterations: 40 };
    const offline = { uniform: 0, offline: 0.25, replay: 0 };
    const shown = await final({ ...far, mixture: offline, known: ["2,2,2"] });
    expect(shown.expectedReward).toBeGreaterThan(0.05);
    expect(shown.expectedReward).toBeGreaterThan(10 * (await final(far)).expectedReward);
  });

  test("train the joint form with intentions drawn from the backward policy, on strings and on a grid", async () => {
    const mixture = { uniform: 0.5, offline: 0, replay: 0 };
    const joint = { objective: OBJECTIVES.sdb, mixture, iterations: 1000 };
    expect((await final({ ...joint, scores: reachable })).tv).toBeLessThan(0.03);
    const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
    const cells = visitation(grid.enumerate(), randomPolicy(grid.enumerate(), RandomStream.fromSeed(5)));
    expect((await final({ ...joint, environment: grid, scores: cells.terminals })).tv).toBeLessThan(0.02);
  });

  test("are shown again: episodes of the run itself, and more often the better ones", async () => {
    const run = (replay: number, priority: number) =>
      final({
        ...hidden,
        iterations: 250,
        mixture: { uniform: 0, offline: 0, replay },
        replay: { capacity: 4000, priority },
      });
    const [none, alike, better] = [await run(0, 0), await run(0.5, 0), await run(0.5, 1)];
    expect(alike.expectedReward).not.toBe(none.expectedReward);
    expect(better.expectedReward).toBeGreaterThan(none.expectedReward);
    expect(better.expectedReward).toBeGreaterThan(alike.expectedReward);
  });
});

describe("the reward", () => {
  const even = uneven.map(Math.sqrt);

  test("is the score to the exponent", async () => {
    const [same, other] = [
      await final({ scores: even, reward: { exponent: 2, floor: 0 } }),
      await final({ scores: even, reward: { exponent: 1, floor: 0 } }),
    ];
    const direct = await final({ scores: uneven });
    expect(same.expectedReward).toBeCloseTo(direct.expectedReward, 1);
    expect(other.expectedReward).toBeLessThan(direct.expectedReward - 0.5);
  });

  test("has a floor under it", async () => {
    const floored = lastEvaluation(await collect(train(options({ reward: { exponent: 1, floor: 1 } }))));
    expect(floored.uniform.tv).toBeCloseTo(0, 12);
    expect(floored.reached.tv).toBeLessThan(0.03);
  });

  test("begins with exponent 1 and grows with the iterations", async () => {
    const squared = { scores: even, reward: { exponent: 2, floor: 1e-6 } };
    const quick = await final({ ...squared, reward: { ...squared.reward, ramp: 1 } });
    const never = await final({ ...squared, reward: { ...squared.reward, ramp: 1e9 } });
    const flat = await final({ scores: even });
    expect(quick.kl).toBeLessThan((await final(squared)).kl + 0.003);
    expect(never.kl).toBeGreaterThan(quick.kl + 0.02);
    // With a ramp that never comes to an end, it is exponent 1 that was learned.
    expect(never.logZError).toBeCloseTo(flat.logZError + Math.log(sum(even) / sum(uneven)), 1);
  });
});

describe("the updates", () => {
  test("end nearer with a falling learning rate", async () => {
    // Out of reach the residual is never zero, and neither is the noise of the gradient.
    const falling = await final({ learningRate: { from: 0.1, to: 1e-4, shape: "cosine" } });
    const constant = await final({ learningRate: 0.1 });
    expect(constant.kl).toBeGreaterThan(falling.kl + 1e-3);
  });

  test("are small where the gradient is clipped so far that Adam's ε rules", async () => {
    const free = await final({ iterations: 100 });
    const clipped = await final({ iterations: 100, clip: 1e-8 });
    expect(clipped.kl).toBeGreaterThan(free.kl + 0.1);
  });

  test("move a log Z of its own from where it starts, at its own rate", async () => {
    const balance = { objective: OBJECTIVES.stb, scores: reachable.map((p) => p * Math.exp(2)) };
    const run = async (rateScale: number) =>
      evaluationsOf(await collect(train(options({ ...balance, logZ: { initial: -1, rateScale } }))));
    const fast = await run(10);
    expect(fast[0].reached.logZError).toBeCloseTo(-3, 6);
    expect(fast[1].reached.logZError).toBeCloseTo(0, 1);
    const slow = await run(1e-6);
    expect(slow[1].reached.logZError).toBeCloseTo(-3, 3);
  });
});

describe("the dynamics model", () => {
  const short: Changes = { iterations: 60, dynamicsLearningRate: 3e-3 };

  test("learns at its own rate", async () => {
    const still = await final({ ...short, dynamicsLearningRate: 0 });
    expect((await final(short)).dynamicsKl).toBeLessThan((still.dynamicsKl ?? 0) - 0.05);
  });

  test("learns less where its gradient is clipped so far that Adam's ε rules", async () => {
    const free = (await final(short)).dynamicsKl ?? Number.NaN;
    expect((await final({ ...short, dynamicsClip: 1e-8 })).dynamicsKl).toBeGreaterThan(free + 0.02);
  });

  test("learns more from stored episodes in more rounds, and less from a single one", async () => {
    const stored = async (capacity: number, episodes: number, rounds: number) =>
      (await final({ ...short, dynamicsReplay: { capacity, episodes, rounds } })).dynamicsKl ?? Number.NaN;
    const once = await stored(4000, 64, 1);
    const often = await stored(4000, 64, 8);
    const always = await stored(1, 64, 8);
    expect(often).toBeLessThan(once / 2);
    expect(often).toBeLessThan(0.01);
    expect(always).toBeGreaterThan(2 * often);
    expect(await stored(4000, 2, 8)).toBeGreaterThan(often);
  });
});

function sum(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}
