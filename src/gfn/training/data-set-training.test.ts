// Training under a call budget: what the score function is asked, what is learned from the data set, and snapshots.

import { describe, expect, test } from "vitest";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { exactEvaluator } from "../evaluate/exact-evaluator.ts";
import { callBudgetSettings } from "./call-budget-defaults.ts";
import { iterationsForCalls } from "./call-plan.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
import { type DataSetSettings, dataSetSettings } from "./data-set-settings.ts";
import type { SampledEvaluationEvent } from "./events.ts";
import type { SettingsInput } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import { type TrainOptions, train } from "./train.ts";
import { modelTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";

const SMALL: SettingsInput = { hidden: [16], batch: 16, dynamicsReplayCapacity: 64, dynamicsReplayBatch: 16 };

/** (number of A + ¼) / (length + ¼), which no string has 0 of. */
const scoreOf = (text: string) => (text.split("A").length - 0.75) / (text.length + 0.25);

interface Options {
  readonly stick?: number;
  readonly length?: number;
  readonly calls: number;
  readonly settings?: SettingsInput & Partial<DataSetSettings>;
  readonly scoreOf?: (text: string) => number;
  readonly knownScores?: TrainerOptions["knownScores"];
  readonly shapeRewards?: TrainerOptions["shapeRewards"];
}

async function budgetTrainer({ stick = 0, length = 3, calls, settings = {}, ...others }: Options) {
  const environment = sequenceEnvironment({ alphabet: "ABC", length, stick });
  const asked: string[] = [];
  const scores = (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map(others.scoreOf ?? scoreOf);
  };
  const own = Object.fromEntries(
    Object.entries(settings).filter(([name]) => !Object.hasOwn(dataSetSettings(), name)),
  );
  const trainer = await modelTrainer({
    ...callBudgetSettings(environment, { ...SMALL, ...own }),
    ...dataSetSettings({ collectBatch: 8, ...settings }),
    environment,
    scores,
    calls,
    knownScores: others.knownScores,
    shapeRewards: others.shapeRewards,
    seed: 1,
  });
  return { environment, trainer, asked };
}

async function run(trainer: Trainer, iterations: number, from = 0, to = iterations): Promise<number[]> {
  const losses: number[] = [];
  for (let t = from; t < to; t++) losses.push((await trainer.step(t, t / iterations)).loss);
  return losses;
}

describe("the score function", () => {
  test.each([
    ["a budget that whole rollouts do not fill", { calls: 29, settings: { callsFirst: 0.3 } }],
    ["a budget below one rollout", { calls: 5 }],
    ["noise", { calls: 40, stick: 0.25 }],
    ["local search", { calls: 60, settings: { localSearchShare: 0.5 } }],
  ])("gets exactly the budget, and each object once: %s", async (_, options) => {
    const { trainer, asked } = await budgetTrainer({ length: 6, ...options });
    await run(trainer, 40);
    expect(asked.length).toBe(options.calls);
    expect(new Set(asked).size).toBe(options.calls);
    expect(trainer.oracle?.calls).toBe(options.calls);
    await trainer.dispose();
  });

  test("is never asked for more objects than there are", async () => {
    const { trainer, asked } = await budgetTrainer({ length: 2, calls: 1000, settings: { epsilon: 1 } });
    await run(trainer, 30);
    expect([...asked].sort()).toEqual(["AA", "AB", "AC", "BA", "BB", "BC", "CA", "CB", "CC"]);
    await trainer.dispose();
  });

  test("is asked by the plan: the first calls before the first update, the last at `callsUntil`", async () => {
    const settings = { callsFirst: 0.2, callsUntil: 0.5 };
    const { trainer } = await budgetTrainer({ length: 8, calls: 100, settings });
    const calls: (number | undefined)[] = [];
    for (let t = 0; t < 20; t++) calls.push((await trainer.step(t, t / 20)).calls);
    // Three rollouts of 8 trajectories, whose objects are nearly all different among 6,561.
    expect(calls[0]).toBeGreaterThanOrEqual(20);
    expect(calls[0]).toBeLessThanOrEqual(24);
    expect(calls[4]).toBeLessThan(60);
    expect(calls.slice(11)).toEqual(new Array(9).fill(100));
    await trainer.dispose();
  });
});

describe("training on the data set of all objects converges", () => {
  async function distanceToTarget(options: Options, iterations: number) {
    const { environment, trainer } = await budgetTrainer(options);
    await run(trainer, iterations);
    const { terminals } = environment.enumerate();
    const reward = Float64Array.from({ length: terminals }, (_, i) =>
      scoreOf(environment.describe(environment.sampleTrajectoryTo(i, undefined as never))),
    );
    const { model, learnsDynamics: usesDynamics } = trainer;
    const evaluator = await exactEvaluator({ model, reward, balance: "db", usesDynamics });
    const { reached } = await evaluator.evaluate(await trainer.parameters());
    const result = { reached: reached.tv, limit: evaluator.limit.tv, uniform: evaluator.uniform.tv };
    await evaluator.dispose();
    await trainer.dispose();
    return result;
  }

  test("to the target without noise", async () => {
    const { reached, uniform } = await distanceToTarget(
      { calls: 1000, settings: { epsilon: 0.5, hidden: [32] } },
      800,
    );
    expect(uniform).toBeGreaterThan(0.2);
    expect(reached).toBeLessThan(0.01);
  });

  test("to the target with noise that leaves it within reach", async () => {
    const options = { calls: 1000, stick: 0.1, settings: { epsilon: 0.5 } };
    const { reached, limit } = await distanceToTarget(options, 800);
    expect(limit).toBeLessThan(1e-6);
    expect(reached).toBeLessThan(0.03);
  });
});

describe("a snapshot", () => {
  // Mean matching and local search have states that must continue.
  const settings = { localSearchShare: 0.25, matchMeanScore: true, callsFirst: 0.3, epsilon: 0 };
  const options: Options = { calls: 100, length: 6, stick: 0.25, settings };

  test.each([4, 25])("after iteration %i continues bit-identically, through a checkpoint too", async (at) => {
    const whole = await budgetTrainer(options);
    const expected = await run(whole.trainer, 40);
    const end = await whole.trainer.save();
    expect(end.matching?.logFactor).toBeGreaterThan(0);
    await whole.trainer.dispose();

    const first = await budgetTrainer(options);
    await run(first.trainer, 40, 0, at);
    const position = { iteration: at, iterations: 40, seconds: 0, evaluated: false };
    const snapshot: Snapshot = { ...position, ...(await first.trainer.save()) };
    await first.trainer.dispose();

    const second = await budgetTrainer(options);
    second.trainer.restore(decodeCheckpoint(encodeCheckpoint(snapshot), "test"));
    expect(await run(second.trainer, 40, at)).toEqual(expected.slice(at));
    expect(await second.trainer.save()).toEqual(end);
    expect(first.asked.concat(second.asked)).toEqual(whole.asked);
    await second.trainer.dispose();
  });
});

describe("known scores", () => {
  const knownScores = { objects: ["AAA", "ABC"], scores: Float64Array.of(1, 0.4) };

  test("cost no calls and are not asked for", async () => {
    const { trainer, asked } = await budgetTrainer({ calls: 12, knownScores, settings: { epsilon: 1 } });
    await run(trainer, 40);
    expect(asked.length).toBe(12);
    for (const known of knownScores.objects) expect(asked).not.toContain(known);
    expect(trainer.oracle?.objects.slice(0, 2)).toEqual(["AAA", "ABC"]);
    await trainer.dispose();
  });

  test("are enough to train without any call", async () => {
    const { trainer, asked } = await budgetTrainer({ calls: 0, knownScores });
    const losses = await run(trainer, 60);
    expect(asked).toEqual([]);
    expect(losses.at(-1)).toBeLessThan(losses[0] / 4);
    await trainer.dispose();
  });

  test("must be the same when a run continues", async () => {
    const first = await budgetTrainer({ calls: 10, knownScores });
    await run(first.trainer, 4);
    const saved = await first.trainer.save();
    const other = { objects: ["AAA", "ABC"], scores: Float64Array.of(1, 0.5) };
    const second = await budgetTrainer({ calls: 10, knownScores: other });
    expect(() => second.trainer.restore(saved)).toThrow("the known scores are not those");
    await Promise.all([first.trainer.dispose(), second.trainer.dispose()]);
  });
});

test("an object without a score costs a call, and nothing is learned from it", async () => {
  const shaped: number[] = [];
  const { trainer, asked } = await budgetTrainer({
    calls: 20,
    scoreOf: (text) => (text.startsWith("A") ? Number.NaN : -text.split("B").length),
    shapeRewards: (scores) => {
      shaped.push(...scores);
      return (score) => score;
    },
  });
  const losses = await run(trainer, 20);
  expect(asked.length).toBe(20);
  expect(asked.some((text) => text.startsWith("A"))).toBe(true);
  // The rewards may depend on how many objects had no score.
  expect(shaped.some(Number.isNaN)).toBe(true);
  expect(losses.every(Number.isFinite)).toBe(true);
  await trainer.dispose();
});

describe("settings that do not fit a call budget are refused:", () => {
  test.each<[string, Options["settings"] & object, string]>([
    ["off-policy shares", { replayShare: 0.5 }, "replayShare: must be 0 with `calls`"],
    ["objectives that need actions", { objective: "soft-q" }, "must be none, joint or marginal with `calls`"],
    [
      "a dynamics model without a buffer",
      { objective: "kl", dynamicsReplayCapacity: 0 },
      "dynamicsReplayCapacity: must be above 0 with `calls`",
    ],
    ["a share above 1", { callsFirst: 2 }, "callsFirst: must be a number in [0, 1], got 2"],
  ])("%s", async (_, settings, message) => {
    await expect(budgetTrainer({ calls: 10, settings })).rejects.toThrow(message);
  });

  test("a budget of no calls", async () => {
    await expect(budgetTrainer({ calls: 0 })).rejects.toThrow(
      "calls: must be at least 1 if no scores are known",
    );
  });
});

describe("train with a call budget", () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 6, stick: 0 });
  const optionsWith = (asked: string[]): TrainOptions => ({
    ...callBudgetSettings(environment, SMALL),
    collectBatch: 8,
    environment,
    scores: (texts) => {
      asked.push(...texts);
      return texts.map(scoreOf);
    },
    calls: 50,
    seed: 1,
  });

  test("evaluates the objects that it has paid for, and spends no calls on evaluations", async () => {
    const asked: string[] = [];
    const evaluations: SampledEvaluationEvent[] = [];
    const options = { ...optionsWith(asked), iterations: 20, evaluateEvery: 10, samples: 40 };
    for await (const event of train(options)) {
      if (event.kind === "evaluation" && !event.exact) evaluations.push(event);
    }
    expect(asked.length).toBe(50);
    expect(evaluations.map(({ iteration }) => iteration)).toEqual([10, 20]);
    const last = asked.slice(-40).map(scoreOf);
    expect(evaluations[1].oracleCalls).toBe(50);
    expect(evaluations[1].sampled.meanScore).toBeCloseTo(last.reduce((a, b) => a + b) / 40, 12);
  });

  test("has a number of iterations that follows from the budget", async () => {
    for await (const event of train(optionsWith([]))) {
      expect(event).toMatchObject({ kind: "start", iterations: iterationsForCalls(50) });
      break;
    }
  });
});

describe("a restart with another run", () => {
  const others = (text: string) => 1 / (1 + text.split("B").length);
  const NEXT = {
    seed: 7,
    scores: (texts: readonly string[]) => texts.map(others),
    knownScores: { objects: ["BBBBBB", "ABCABC"], scores: Float64Array.of(0.25, -1) },
    shapeRewards: () => (score: number, factor: number) => factor * score,
  };

  test.each([
    ["without noise", {}],
    ["with noise", { stick: 0.25 }],
    ["with mean matching", { settings: { matchMeanScore: true } }],
    ["with local search", { settings: { localSearchShare: 0.5 } }],
  ])("takes the steps of a new trainer: %s", async (_, options) => {
    const { environment, trainer, asked } = await budgetTrainer({ length: 6, calls: 60, ...options });
    await run(trainer, 12);
    const before = asked.length;
    trainer.restart(NEXT);
    expect(trainer.oracle?.objects).toEqual(NEXT.knownScores.objects);
    const { settings = {} } = options as Options;
    const own = Object.entries(settings).filter(([name]) => !Object.hasOwn(dataSetSettings(), name));
    const fresh = await modelTrainer({
      ...callBudgetSettings(environment, { ...SMALL, ...Object.fromEntries(own) }),
      ...dataSetSettings({ collectBatch: 8, ...settings }),
      ...{ environment, calls: 60, ...NEXT },
    });
    expect(await run(trainer, 12)).toEqual(await run(fresh, 12));
    const state = await trainer.save();
    expect(state).toEqual(await fresh.save());
    fresh.restore(state);
    expect(asked.length).toBe(before);
    await Promise.all([trainer.dispose(), fresh.dispose()]);
  });

  test("keeps nothing of the run before", async () => {
    const { trainer } = await budgetTrainer({ length: 6, calls: 30 });
    const first = { losses: await run(trainer, 8), state: await trainer.save() };
    trainer.restart(NEXT);
    await run(trainer, 3);
    trainer.restart({ seed: 1, scores: (texts) => texts.map(scoreOf) });
    expect({ losses: await run(trainer, 8), state: await trainer.save() }).toEqual(first);
    await trainer.dispose();
  });

  test("is refused by a trainer with a table, which goes on", async () => {
    const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0 });
    const scores = Float64Array.from({ length: environment.enumerate().terminals }, (_, i) => 1 + i);
    const options = { ...callBudgetSettings(environment, SMALL), environment, scores, seed: 1 };
    const [trainer, other] = [await modelTrainer(options), await modelTrainer(options)];
    await Promise.all([trainer.step(0, 0), other.step(0, 0)]);
    expect(() => trainer.restart(NEXT)).toThrow(RangeError);
    expect(await trainer.step(1, 0.5)).toEqual(await other.step(1, 0.5));
    await Promise.all([trainer.dispose(), other.dispose()]);
  });
});
