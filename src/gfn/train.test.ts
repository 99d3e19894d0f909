// Whole training runs on environments small enough to know the answer.

import { describe, expect, test, vi } from "vitest";
import { collect, evaluationsOf, lastEvaluation, lossesOf } from "../../test/support/training-events.ts";
import { RandomStream } from "../engine/index.ts";
import { defaultSettings } from "./defaults.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { DEFAULT_GRID_REWARD, gridRewards } from "./environments/hypergrid-states.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./environments/sequence.ts";
import { OBJECTIVES } from "./objectives/choice.ts";
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
    policy: { hidden: [32], memoryRows: 1000 },
    learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
    reward: { floor: 0 },
    iterations: changes.seconds === undefined ? 600 : undefined,
    seed: 0,
    engine: "native",
    ...changes,
  };
}

describe("training", () => {
  test("ends at the best reachable policy where noise keeps the target out of reach", async () => {
    const { reached, limit, uniform } = lastEvaluation(await collect(train(options({}))));
    expect(limit.kl).toBeGreaterThan(0.01);
    expect(reached.kl).toBeLessThan(limit.kl + 0.005);
    expect(reached.tv).toBeLessThan(limit.tv + 0.01);
    expect(uniform.kl).toBeGreaterThan(reached.kl + 0.1);
    expect(reached.dynamicsKl).toBeLessThan(0.01);
    expect(reached.expectedReward).toBeCloseTo(limit.expectedReward, 1);
  });

  test("without the dynamics it ends somewhere else", async () => {
    const objective = { balance: "db", dynamics: "none", loss: "squared" } as const;
    const { reached, limit } = lastEvaluation(await collect(train(options({ objective }))));
    expect(reached.kl).toBeGreaterThan(limit.kl + 0.02);
    expect(reached.dynamicsKl).toBeNull();
  });

  test("learns a grid, and the sum of its rewards", async () => {
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
        objective: { balance: "fl-db", dynamics: "marginal", loss: "squared" },
      }),
    );
    const { reached, limit } = lastEvaluation(await collect(run));
    expect(reached.tv).toBeLessThan(limit.tv + 0.02);
    expect(reached.logZError).toBeCloseTo(0, 1);
  });

  test("is the same to the bit with and without evaluation on the way", async () => {
    const losses = async (evaluateEvery: number) =>
      lossesOf(await collect(train(options({ iterations: 40, evaluateEvery }))));
    expect(await losses(7)).toEqual(await losses(40));
  });

  test("evaluates before it begins, as often as told, and at the end", async () => {
    const events = await collect(train(options({ iterations: 10, evaluateEvery: 4 })));
    expect(evaluationsOf(events).map(({ iteration }) => iteration)).toEqual([0, 4, 8, 10]);
    expect(events[0].kind).toBe("start");
    expect(events.at(-1)).toMatchObject({ kind: "end", iterations: 10 });
  });

  test("for some seconds goes through its whole course, at whatever rate", async () => {
    // A clock of our own, that moves by a hundredth of a second whenever it is read.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    try {
      // With the rate of learning at zero from the middle on, the later part of the run changes nothing.
      const learningRate = { from: 1e-2, to: 0, until: 0.5 };
      const events = await collect(train(options({ seconds: 2, learningRate, evaluateEvery: 1 })));
      const kls = evaluationsOf(events).map(({ reached }) => reached.kl);
      const end = events.at(-1);
      expect(kls.length).toBeGreaterThan(20);
      expect(end?.kind === "end" && end.iterations).toBe(kls.length - 1);
      expect(end?.kind === "end" && end.seconds).toBeCloseTo(2, 1);
      expect(new Set(kls.slice(0, 5)).size).toBe(5);
      expect(new Set(kls.slice(-5)).size).toBe(1);
    } finally {
      clock.mockRestore();
    }
  });

  test("is evaluated from samples, beside what a perfect sampler would show, when asked", async () => {
    const run = train(options({ evaluation: "sampled", samples: 4000 }));
    const [before, after] = (await collect(run)).flatMap((event) =>
      event.kind === "evaluation" && !event.exact ? [event.sampled] : [],
    );
    // The target is out of reach by 0.16 in total variation, and sampling adds to that.
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

  test("are two where scores stand in a table, whatever is switched on", async () => {
    expect(await programsOf({})).toEqual(["train", "evaluate"]);
    const everything = {
      exploration: { epsilon: 0.1, temperature: 2 },
      mixture: { uniform: 0.2, offline: 0.2, replay: 0.2 },
      known: ["ACG"],
      dynamicsReplay: { capacity: 100, episodes: 8, rounds: 2 },
      objective: OBJECTIVES.stb,
      logZ: {},
      reward: { exponent: 2, ramp: 10 },
    };
    expect(await programsOf(everything)).toEqual(["train", "evaluate"]);
  });

  test("are three where scores come from a function", async () => {
    expect(await programsOf({ scores: ask })).toEqual(["update", "episodes", "sample"]);
  });
});

describe("a function that scores", () => {
  const table = (texts: readonly string[]) => {
    const indexOf = (text: string) => [...text].reduce((sum, letter) => 3 * sum + "ACG".indexOf(letter), 0);
    return texts.map((text) => scores[indexOf(text)]);
  };
  const largest = scores.reduce((a, b) => Math.max(a, b));

  test.each([
    ["kl", OBJECTIVES.kl],
    ["sdb", OBJECTIVES.sdb],
  ])("trains as a table of the same scores does, by %s", async (_, objective) => {
    const common = {
      objective,
      iterations: 60,
      reward: { exponent: 2, floor: 1e-3, ramp: 20, largest },
      mixture: { uniform: 0.25, offline: 0, replay: 0.25 },
    };
    const byTable = lossesOf(await collect(train(options(common))));
    const byFunction = lossesOf(await collect(train(options({ ...common, scores: table }))));
    byFunction.forEach((loss, i) => {
      expect(loss / byTable[i]).toBeCloseTo(1, 2);
    });
  });

  test("is asked once for every object, and strings too many to list are learned", async () => {
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
    // By the target a letter is A with 2/9, so that the mean of 2^(number of A) is (7/9 + 4/9)^12 = 11.1, not 3.5.
    const mean = (event: (typeof sampled)[number]) => event.sampled.meanScore * 2 ** 12;
    expect(mean(sampled[0])).toBeLessThan(6);
    expect(mean(sampled[1])).toBeGreaterThan(8);
  });

  test.each<[string, (texts: readonly string[]) => number[], string]>([
    ["too few scores", (texts) => texts.slice(1).map(() => 1), "scores; it must give one each"],
    ["a negative score", (texts) => texts.map(() => -1), "the score function gave -1 for"],
    ["NaN", (texts) => texts.map(() => Number.NaN), "scores must be finite and not negative"],
  ])("that gives %s is refused", async (_, broken, message) => {
    await expect(collect(train(options({ scores: broken })))).rejects.toThrow(message);
  });
});

describe("what cannot be trained is refused in one sentence:", () => {
  const long = longSequenceEnvironment({ alphabet: "AB", length: 40, stick: 0 });
  test.each<[string, Partial<TrainOptions>, string]>([
    ["neither iterations nor seconds", { iterations: undefined }, "give either iterations or seconds"],
    ["half an iteration", { iterations: 0.5 }, "iterations must be a whole number of at least 1, got 0.5"],
    [
      "a share above 1",
      { mixture: { uniform: 0.7, offline: 0, replay: 0.7 } },
      "mixture: the shares may be 1.4",
    ],
    [
      "a negative share",
      { mixture: { uniform: -0.1, offline: 0, replay: 0 } },
      "mixture.uniform must be in [0, 1]",
    ],
    [
      "ε above 1",
      { exploration: { epsilon: 2, temperature: 1 } },
      "exploration.epsilon must be in [0, 1], got 2",
    ],
    [
      "offline rows without objects",
      { mixture: { uniform: 0, offline: 0.5, replay: 0 } },
      "no known objects were given",
    ],
    ["an object of another kind", { known: ["ACT"] }, "ACT"],
    ["a log Z of its own in detailed balance", { logZ: {} }, "goes with tb and subtb, not with db"],
    [
      "partial rewards where strings cannot stop",
      { objective: { balance: "fl-db", dynamics: "marginal", loss: "kl" } },
      "fl-db needs rewards of unfinished objects",
    ],
    [
      "scores of something else",
      { scores: new Float64Array(26).fill(1) },
      "27 objects, but 26 scores were given",
    ],
    [
      "nothing left to learn the dynamics from",
      { mixture: { uniform: 1, offline: 0, replay: 0 } },
      "fill the batch",
    ],
    ["an objective that is none", { objective: "kl" as never }, "objective.balance must be one of db, tb,"],
    ["a balance that is none", { objective: { ...OBJECTIVES.kl, balance: "dbb" as never } }, "got dbb"],
    [
      "a shape that is none",
      { learningRate: { from: 1, to: 0, shape: "cos" as never } },
      "shape must be one of",
    ],
    [
      "a share that is missing",
      { mixture: { uniform: 0.5 } as never },
      "mixture.offline must be a number or",
    ],
    [
      "a negative exponent",
      { scores: () => [], reward: { exponent: -2 } },
      "reward.exponent must be positive, got -2",
    ],
    [
      "a floor of NaN",
      { scores: () => [], reward: { floor: Number.NaN } },
      "reward.floor must be in [0, 1], got NaN",
    ],
    [
      "rows of memory below none",
      { policy: { hidden: [8], memoryRows: -3 } },
      "policy.memoryRows must be a whole",
    ],
    [
      "a table for strings that are not listed",
      { environment: long, mixture: { uniform: 0, offline: 0, replay: 0 } },
      "are not listed, so a table cannot score them; give a function",
    ],
    [
      "a score of zero without a floor",
      { scores: (texts) => texts.map(() => 0), reward: { floor: 0 } },
      "is 0, and its logarithm is not finite; give a reward.floor above 0",
    ],
    ["no batch", { batch: 0 }, "batch must be a whole number of at least 1, got 0"],
    [
      "uniform objects that are not listed",
      {
        environment: long,
        scores: (texts) => texts.map(() => 1),
        mixture: { uniform: 0.5, offline: 0, replay: 0 },
      },
      "are not listed; set the share to 0",
    ],
    ["a negative learning rate", { learningRate: -1 }, "learningRate must be in [0,"],
    [
      "a score of NaN",
      { scores: scores.map((s, i) => (i === 5 ? Number.NaN : s)) },
      "terminal 5 (ACG) is NaN",
    ],
  ])("%s", async (_, changes, message) => {
    await expect(collect(train(options(changes)))).rejects.toThrow(message);
  });
});

describe("a way to an object", () => {
  test("spells a string", () => {
    expect(strings.wayTo(0, RandomStream.fromSeed(0))).toEqual([0, 0, 0]);
    expect(strings.wayTo(5, RandomStream.fromSeed(0))).toEqual([0, 1, 2]);
    const variable = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0, variable: true });
    expect(variable.wayTo(0, RandomStream.fromSeed(0))).toEqual([]);
    expect(variable.wayTo(5, RandomStream.fromSeed(0))).toEqual([1, 0]);
  });

  test("visits a cell by every order of its moves alike", () => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
    const stream = RandomStream.fromSeed(1);
    const counts = new Map<string, number>();
    for (let i = 0; i < 600; i++) {
      const way = grid.wayTo(1 + 3 * 2, stream).join("");
      counts.set(way, (counts.get(way) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(["011", "101", "110"]);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
  });
});
