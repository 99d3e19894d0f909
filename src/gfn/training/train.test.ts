// Complete training runs on environments so small that the exact result is computed.

import { describe, expect, test } from "vitest";
import { collect, evaluationsOf, lastEvaluation, lossesOf } from "../../../test/support/training-events.ts";
import { RandomStream } from "../../engine/index.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { DEFAULT_GRID_REWARD, gridRewards } from "../environment/hypergrid-states.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { OBJECTIVES } from "../objectives/objective.ts";
import { defaultSettings } from "./defaults.ts";
import { type TrainOptions, train } from "./train.ts";

const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
const stream = RandomStream.fromSeed(11);
const scores = Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal()));

function options(changes: Partial<TrainOptions>): TrainOptions {
  const environment = changes.environment ?? strings;
  return {
    ...defaultSettings(environment),
    environment,
    scores,
    batch: 64,
    hidden: [32],
    stateTableRows: 1000,
    stateTableRateScale: 1,
    learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
    rewardFloor: 0,
    iterations: 400,
    seed: 0,
    engine: "native",
    ...changes,
  };
}

describe("training", () => {
  test("reaches the limit if the target is unreachable under the noise", async () => {
    const { reached, limit, uniform } = lastEvaluation(await collect(train(options({}))));
    expect(limit.kl).toBeGreaterThan(0.01);
    expect(reached.kl).toBeLessThan(limit.kl + 0.01);
    expect(reached.tv).toBeLessThan(limit.tv + 0.015);
    expect(uniform.kl).toBeGreaterThan(reached.kl + 0.1);
    expect(reached.dynamicsKl).toBeLessThan(0.01);
    expect(Math.abs(reached.expectedReward - limit.expectedReward)).toBeLessThan(0.15);
  });

  test("without a dynamics model does not reach the limit", async () => {
    const objective = { balance: "db", dynamics: "none", loss: "squared" } as const;
    const { reached, limit } = lastEvaluation(await collect(train(options(objective))));
    expect(reached.kl).toBeGreaterThan(limit.kl + 0.02);
    expect(reached.dynamicsKl).toBeNull();
  });

  test("learns a grid and its log Z", async () => {
    const space = { dimensions: 2, side: 4 };
    const run = train(
      options({
        environment: hypergridEnvironment({ ...space, stick: 0.25 }),
        scores: gridRewards(space, { ...DEFAULT_GRID_REWARD, r0: 0.1 }),
      }),
    );
    const { reached, limit } = lastEvaluation(await collect(run));
    expect(reached.tv).toBeLessThan(limit.tv + 0.02);
    expect(reached.logZError).toBeCloseTo(0, 1);
  });

  test("learns a grid from partial rewards", async () => {
    const space = { dimensions: 2, side: 4 };
    const run = train(
      options({
        environment: hypergridEnvironment({ ...space, stick: 0.25 }),
        scores: gridRewards(space, { ...DEFAULT_GRID_REWARD, r0: 0.1 }),
        balance: "fl-db",
        dynamics: "marginal",
        loss: "squared",
      }),
    );
    const { reached, limit } = lastEvaluation(await collect(run));
    expect(reached.tv).toBeLessThan(limit.tv + 0.02);
    expect(reached.logZError).toBeCloseTo(0, 1);
  });

  test("is bit-identical with and without evaluations", async () => {
    const losses = async (evaluateEvery: number) =>
      lossesOf(await collect(train(options({ iterations: 40, evaluateEvery }))));
    expect(await losses(7)).toEqual(await losses(40));
  });

  test("evaluates at the start, every few iterations and at the end", async () => {
    const events = await collect(train(options({ iterations: 10, evaluateEvery: 4 })));
    expect(evaluationsOf(events).map(({ iteration }) => iteration)).toEqual([0, 4, 8, 10]);
    expect(events[0].kind).toBe("start");
    expect(events.at(-1)).toMatchObject({ kind: "end", iterations: 10 });
  });

  test.each([0, Number.POSITIVE_INFINITY])(
    "with intervals of %j only at the start and the end",
    async (every) => {
      const events = await collect(
        train(options({ iterations: 3, evaluateEvery: every, checkpointEvery: every })),
      );
      expect(evaluationsOf(events).map(({ iteration }) => iteration)).toEqual([0, 3]);
      expect(events.filter(({ kind }) => kind === "checkpoint")).toHaveLength(1);
    },
  );

  test("is evaluated from samples with a sampling floor, if `evaluation` is sampled", async () => {
    const run = train(options({ evaluation: "sampled", samples: 4000 }));
    const [before, after] = (await collect(run)).flatMap((event) =>
      event.kind === "evaluation" && !event.exact ? [event.sampled] : [],
    );
    // The limit has a total variation of 0.16 from the target, and sampling adds to that.
    expect(after.floor).toBeGreaterThan(0);
    expect(after.floor).toBeLessThan(0.05);
    expect(after.tv).toBeGreaterThan(0.1);
    expect(after.tv).toBeLessThan((before.tv ?? 0) - 0.1);
  });
});

describe("programs", () => {
  const programsOf = async (changes: Partial<TrainOptions>) => {
    const [start] = await collect(train(options({ iterations: 1, ...changes })));
    return start.kind === "start" ? start.programs : [];
  };
  const ask = (texts: readonly string[]) => texts.map((text) => text.length);

  test("are two with a table of scores, for all settings", async () => {
    expect(await programsOf({})).toEqual(["train", "evaluate"]);
    const everything = {
      epsilon: 0.1,
      temperature: 2,
      uniformShare: 0.2,
      offlineShare: 0.2,
      replayShare: 0.2,
      offlineObjects: ["ACG"],
      dynamicsReplayCapacity: 100,
      dynamicsReplayBatch: 8,
      dynamicsReplayRounds: 2,
      ...OBJECTIVES.stb,
      learnLogZ: true,
      rewardExponent: 2,
      rewardRamp: 10,
    };
    expect(await programsOf(everything)).toEqual(["train", "evaluate"]);
  });

  test("are three with a score function", async () => {
    expect(await programsOf({ scores: ask })).toEqual(["update", "rollout", "sample"]);
  });
});

describe("a score function", () => {
  const table = (texts: readonly string[]) => {
    const indexOf = (text: string) => [...text].reduce((sum, letter) => 3 * sum + "ACG".indexOf(letter), 0);
    return texts.map((text) => scores[indexOf(text)]);
  };
  const largest = scores.reduce((a, b) => Math.max(a, b));

  test.each([
    ["kl", OBJECTIVES.kl],
    ["sdb", OBJECTIVES.sdb],
  ])("trains like a table of the same scores, by %s", async (_, objective) => {
    const common = {
      objective,
      iterations: 60,
      rewardExponent: 2,
      rewardFloor: 1e-3,
      rewardRamp: 20,
      largestScore: largest,
      uniformShare: 0.25,
      offlineShare: 0,
      replayShare: 0.25,
    };
    const byTable = lossesOf(await collect(train(options(common))));
    const byFunction = lossesOf(await collect(train(options({ ...common, scores: table }))));
    byFunction.forEach((loss, i) => {
      expect(loss / byTable[i]).toBeCloseTo(1, 2);
    });
  });

  test("is called once per object, and can score strings that are too many to enumerate", async () => {
    const environment = longSequenceEnvironment({ alphabet: "ABCDEFGH", length: 12, stick: 0.05 });
    const asked = new Map<string, number>();
    const countA = async (texts: readonly string[]) =>
      texts.map((text) => {
        asked.set(text, (asked.get(text) ?? 0) + 1);
        return 2 ** (text.split("A").length - 1 - 12);
      });
    const run = train(options({ environment, scores: countA, iterations: 150, samples: 200 }));
    const sampled = (await collect(run)).flatMap((event) =>
      event.kind === "evaluation" && !event.exact ? [event] : [],
    );
    expect(new Set(asked.values())).toEqual(new Set([1]));
    expect(sampled.at(-1)?.oracleCalls).toBe(asked.size);
    // Under the target a letter is A with probability 2/9, so the mean of 2^(number of A) is (7/9 + 4/9)^12 = 11.1. A uniform
    // policy has 3.5.
    const mean = (event: (typeof sampled)[number]) => event.sampled.meanScore * 2 ** 12;
    expect(mean(sampled[0])).toBeLessThan(6);
    expect(mean(sampled[1])).toBeGreaterThan(8);
  });

  test.each<[string, (texts: readonly string[]) => number[], string]>([
    [
      "too few scores",
      (texts) => texts.slice(1).map(() => 1),
      "the score function must return one score per object",
    ],
    [
      "a negative score",
      (texts) => texts.map(() => -1),
      "must return finite scores that are not negative, got -1 for",
    ],
    [
      "NaN",
      (texts) => texts.map(() => Number.NaN),
      "must return finite scores that are not negative, got NaN for",
    ],
  ])("that returns %s is refused", async (_, broken, message) => {
    await expect(collect(train(options({ scores: broken })))).rejects.toThrow(message);
  });
});

describe("invalid options are refused:", () => {
  const long = longSequenceEnvironment({ alphabet: "AB", length: 40, stick: 0 });
  test.each<[string, Partial<TrainOptions>, string]>([
    [
      "no length",
      { iterations: undefined },
      "iterations: must be given, or else `seconds` or `plan`, got none of them",
    ],
    [
      "iterations and seconds",
      { iterations: 1, seconds: 1 },
      "must be given, or else `seconds` or `plan`, got 2 of them",
    ],
    [
      "a plan that is none",
      { iterations: undefined, plan: [{ iteration: 3 } as never] },
      "plan: must be a plan of a run: step 1 has no valid iterations",
    ],
    ["an empty plan", { iterations: undefined, plan: [] }, "plan: must have a step, got none"],
    [
      "half an iteration",
      { iterations: 0.5 },
      "iterations: must be a whole number from 1 to 2^53 - 1, got 0.5",
    ],
    [
      "no seconds",
      { iterations: undefined, seconds: 0 },
      "seconds: must be a number in (0, 31536000], got 0",
    ],
    [
      "more seconds than a year has",
      { iterations: undefined, seconds: 1e99 },
      "seconds: must be a number in (0, 31536000], got 1e+99",
    ],
    [
      "several invalid lengths",
      { evaluateEvery: -1, checkpointEvery: 1.5 },
      "the input has 2 problems:\n  evaluateEvery: must be a whole number from 0 to 2^31 - 1, got -1\n  checkpointEvery:",
    ],
    [
      "a share above 1",
      { uniformShare: 0.7, offlineShare: 0, replayShare: 0.7 },
      "together they take up to 1.4 of the batch",
    ],
    [
      "a negative share",
      { uniformShare: -0.1, offlineShare: 0, replayShare: 0 },
      "uniformShare: must be a number in [0, 1]",
    ],
    ["ε above 1", { epsilon: 2, temperature: 1 }, "epsilon: must be a number in [0, 1]"],
    [
      "offline rows without objects",
      { uniformShare: 0, offlineShare: 0.5, replayShare: 0 },
      "needs offline objects",
    ],
    ["an object of another kind", { offlineObjects: ["ACT"] }, "ACT"],
    [
      "a log Z of its own in detailed balance",
      { learnLogZ: true },
      "learnLogZ: requires the balance tb or subtb, got db",
    ],
    [
      "partial rewards where strings cannot stop",
      { balance: "fl-db", dynamics: "marginal", loss: "kl" },
      "fl-db needs rewards of unfinished objects",
    ],
    [
      "scores of something else",
      { scores: new Float64Array(26).fill(1) },
      "one score for each of the 27 objects",
    ],
    [
      "nothing left to learn the dynamics from",
      { uniformShare: 1, offlineShare: 0, replayShare: 0 },
      "off-policy rows fill the batch throughout",
    ],
    [
      "an unknown balance",
      { ...OBJECTIVES.kl, balance: "dbb" as never },
      'balance: must be one of db, tb, subtb, fl-db, vargrad, got "dbb"',
    ],
    [
      "an unknown shape",
      { learningRate: { from: 1, to: 0, shape: "cos" as never } },
      "learningRate: must be a schedule of the shape linear, cosine, exponential",
    ],
    ["a missing share", { offlineShare: undefined as never }, "offlineShare: must be a number in [0, 1]"],
    [
      "a negative exponent",
      { scores: () => [], rewardExponent: -2 },
      "rewardExponent: must be a number above 0, got -2",
    ],
    [
      "a floor of NaN",
      { scores: () => [], rewardFloor: Number.NaN },
      "rewardFloor: must be a number in [0, 1], got NaN",
    ],
    [
      "rows of memory below none",
      { hidden: [8], stateTableRows: -3, stateTableRateScale: 1 },
      "stateTableRows: must be a whole number from 0",
    ],
    [
      "a table for strings that are not enumerated",
      { environment: long, uniformShare: 0, offlineShare: 0, replayShare: 0 },
      "a table needs objects that can be enumerated",
    ],
    [
      "a score of zero without a floor",
      { scores: (texts) => texts.map(() => 0), rewardFloor: 0 },
      "is 0, so its logarithm is not finite; set rewardFloor above 0",
    ],
    ["no batch", { batch: 0 }, "batch: must be a whole number from 1 to 2^31 - 1, got 0"],
    [
      "uniform objects that are not enumerated",
      {
        environment: long,
        scores: (texts) => texts.map(() => 1),
        uniformShare: 0.5,
        offlineShare: 0,
        replayShare: 0,
      },
      "are not enumerated; use `epsilon`",
    ],
    ["a negative learning rate", { learningRate: -1 }, "learningRate: must be a number of at least 0"],
    [
      "a score of NaN",
      { scores: scores.map((s, i) => (i === 5 ? Number.NaN : s)) },
      "got NaN for terminal 5 (ACG)",
    ],
  ])("%s", async (_, changes, message) => {
    await expect(collect(train(options(changes)))).rejects.toThrow(message);
  });
});

describe("a trajectory to an object", () => {
  test("has the letters of a string as outcomes", () => {
    expect(strings.sampleTrajectoryTo(0, RandomStream.fromSeed(0))).toEqual([0, 0, 0]);
    expect(strings.sampleTrajectoryTo(5, RandomStream.fromSeed(0))).toEqual([0, 1, 2]);
    const variable = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0, variable: true });
    expect(variable.sampleTrajectoryTo(0, RandomStream.fromSeed(0))).toEqual([]);
    expect(variable.sampleTrajectoryTo(5, RandomStream.fromSeed(0))).toEqual([1, 0]);
  });

  test("has all orders of the moves to a cell with equal probability", () => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
    const stream = RandomStream.fromSeed(1);
    const counts = new Map<string, number>();
    for (let i = 0; i < 600; i++) {
      const way = grid.sampleTrajectoryTo(1 + 3 * 2, stream).join("");
      counts.set(way, (counts.get(way) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(["011", "101", "110"]);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
  });
});
