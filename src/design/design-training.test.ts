// Training of designs: exact on a table of all strings, and within the budget on a data set that grows.

import { describe, expect, test } from "vitest";
import { countingSource } from "../../test/support/counting-source.ts";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import type { LetterNoise } from "../gfn/environment/letter-noise.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { train } from "../gfn/training/train.ts";
import { synthesis } from "./design-scorer.ts";
import { type DesignTraining, type DesignTrainingOptions, designTraining } from "./design-training.ts";

const tokens = ["A", "B", "C"];
const environmentOf = (length: number, noise: LetterNoise = { kind: "none" }) =>
  constrainedSequenceEnvironment({
    space: { tokens, length: { min: length, max: length } },
    constraints: [{ kind: "forbid", motif: [2, 2] }],
    noise,
  });
const scoreOf = (string: string) => 1 + (string.split("A").length - 1);
const OPTIONS = {
  known: [],
  shaping: { goal: "maximise", exponent: 1, effectiveStrings: 10, floor: 1e-4 },
  seed: 0,
  settings: { hidden: [8] },
} as const;

async function eventsOf({ options }: DesignTraining): Promise<TrainEvent[]> {
  const events: TrainEvent[] = [];
  for await (const event of train(options)) events.push(event);
  return events;
}

const snapshotOf = (events: readonly TrainEvent[]) => {
  const last = events.findLast((event) => event.kind === "checkpoint");
  if (last?.kind !== "checkpoint") throw new Error("there must be a checkpoint");
  return last.snapshot;
};

describe("a budget for every legal string", () => {
  const environment = environmentOf(3, { kind: "stick", stick: 0.1, mode: "within" });
  // 27 strings, 5 of which have CC.
  const tableOf = (changes: Partial<DesignTrainingOptions> = {}) =>
    designTraining({ ...OPTIONS, environment, source: countingSource(scoreOf, 22), budget: 22, ...changes });

  test("scores each once, and training comes close to the limit by an exact evaluation", async () => {
    const source = countingSource(scoreOf, 22);
    const reports: number[][] = [];
    const training = await tableOf({
      source,
      iterations: 400,
      settings: { hidden: [32] },
      onScored: (...report) => reports.push(report),
    });
    expect(training.mode).toBe("table");
    expect(source.calls).toBe(22);
    expect(reports).toEqual([[22, 22]]);
    const evaluation = (await eventsOf(training)).findLast(({ kind }) => kind === "evaluation");
    if (evaluation?.kind !== "evaluation" || !evaluation.exact) throw new Error("must be exact");
    expect(evaluation.reached.tv).toBeLessThan(evaluation.limit.tv + 0.02);
    expect(evaluation.uniform.tv).toBeGreaterThan(evaluation.limit.tv + 0.1);
  });

  test("has the scores and their exponent or, if scores are scaled, the relative rewards", async () => {
    // Scores 1 to 4: 1 + the number of A's.
    const { options } = await tableOf({ shaping: { ...OPTIONS.shaping, exponent: 2 } });
    const table = options.scores as Float64Array;
    expect([Math.min(...table), Math.max(...table), options.rewardExponent]).toEqual([1, 4, 2]);
    const shaping = { ...OPTIONS.shaping, exponent: 2, scale: "min-max" } as const;
    const scaled = await tableOf({ shaping });
    const rewards = new Set(Array.from(scaled.options.scores as Float64Array, (reward) => reward.toFixed(6)));
    expect([...rewards].sort()).toEqual(["0.000100", "0.111111", "0.444444", "1.000000"]);
    expect(scaled.options.rewardExponent).toBe(1);
  });

  test("counts known strings, which are paid for", async () => {
    const known = [{ string: "AAA", score: 4 }];
    expect(await tableOf({ budget: 21, known })).toMatchObject({ mode: "table" });
    expect(await tableOf({ budget: 21 })).toMatchObject({ mode: "data-set" });
  });

  test("gives strings without a score the lowest reward", async () => {
    const source = countingSource((string) => (string === "AAA" ? null : scoreOf(string)), 22);
    const { options } = await tableOf({ source });
    expect(Math.min(...(options.scores as Float64Array))).toBe(0);
    expect(options.rewardFloor).toBe(1e-4);
  });

  test("has equal rewards if all scores are 0", async () => {
    const training = await tableOf({ source: countingSource(() => 0, 22), iterations: 2 });
    expect(new Set(training.options.scores as Float64Array)).toEqual(new Set([1]));
    const evaluation = (await eventsOf(training)).findLast(({ kind }) => kind === "evaluation");
    if (evaluation?.kind !== "evaluation" || !evaluation.exact) throw new Error("must be exact");
    expect(evaluation.reached.expectedReward).toBeCloseTo(1, 9);
  });

  test("has relative rewards if powers of the scores are too large or too small for a number", async () => {
    for (const unit of [1e200, 1e-200]) {
      const source = countingSource((string) => unit * scoreOf(string), 22);
      const { options } = await tableOf({ source, shaping: { ...OPTIONS.shaping, exponent: 2 } });
      const rewards = new Set(Array.from(options.scores as Float64Array, (reward) => reward.toFixed(6)));
      expect([...rewards].sort()).toEqual(["0.062500", "0.250000", "0.562500", "1.000000"]);
      expect(options.rewardExponent).toBe(1);
    }
  });

  test("ends with the reason of the signal", async () => {
    await expect(tableOf({ signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
  });
});

describe("a smaller budget", () => {
  const environment = environmentOf(5);
  const data = (changes: Partial<DesignTrainingOptions> = {}) =>
    designTraining({
      ...OPTIONS,
      environment,
      source: countingSource(scoreOf, 60),
      budget: 60,
      iterations: 20,
      settings: { hidden: [8], collectBatch: 8 },
      ...changes,
    });

  test("is spent and not exceeded, and the same seed asks for the same strings", async () => {
    const sources = [0, 1].map(() => countingSource(scoreOf, 1000));
    for (const source of sources) await eventsOf(await data({ source }));
    expect(sources[0].calls).toBe(60);
    expect(sources[1].sent).toEqual(sources[0].sent);
  });

  test("is spent on legal strings only, whatever free noise writes", async () => {
    const noisy = environmentOf(5, { kind: "stick", stick: 0.5, mode: "free" });
    const source = countingSource(scoreOf, 1000);
    const events = await eventsOf(await data({ source, environment: noisy, iterations: 60 }));
    expect(source.sent.every((string) => noisy.isLegal(string))).toBe(true);
    const { oracle } = snapshotOf(events);
    const illegal = oracle?.objects.filter((string) => !noisy.isLegal(string)) ?? [];
    expect(illegal.length).toBeGreaterThan(5);
    expect(source.calls).toBe(60);
    const calls = events.flatMap((event) => (event.kind === "iteration" ? [event.calls] : []));
    expect(calls.at(-1)).toBe(60);
  });

  test("continues from a snapshot with illegal strings to the same bits", async () => {
    const noisy = environmentOf(5, { kind: "stick", stick: 0.5, mode: "free" });
    const whole = await data({ environment: noisy });
    const events: TrainEvent[] = [];
    for await (const event of train({ ...whole.options, checkpointEvery: 10 })) events.push(event);
    const half = events.find(({ kind }) => kind === "checkpoint");
    if (half?.kind !== "checkpoint") throw new Error("there must be a checkpoint");
    const { options } = await data({ environment: noisy });
    const rest: TrainEvent[] = [];
    for await (const event of train({ ...options, resume: half.snapshot })) rest.push(event);
    expect(half.iteration).toBe(10);
    expect(snapshotOf(rest).tensors).toEqual(snapshotOf(events).tensors);
    expect(snapshotOf(rest).oracle).toEqual(snapshotOf(events).oracle);
  });

  test("of 0 learns from known strings alone", async () => {
    const source = countingSource(scoreOf, 0);
    const known = ["AAAAA", "ABABA", "BBBBB"].map((string) => ({ string, score: scoreOf(string) }));
    const events = await eventsOf(await data({ source, budget: 0, known }));
    expect(source.calls).toBe(0);
    expect(snapshotOf(events).oracle?.objects).toEqual(["AAAAA", "ABABA", "BBBBB"]);
    const evaluation = events.findLast(({ kind }) => kind === "evaluation");
    expect(evaluation).toMatchObject({ exact: false, sampled: { samples: 3, meanScore: 11 / 3 } });
  });

  test("fixes the reward before its last third, also if half of the strings fail", async () => {
    const source = countingSource((string) => (string < "B" ? null : scoreOf(string)), 60);
    const shaping = { ...OPTIONS.shaping, exponent: "auto" } as const;
    const training = await data({ source, shaping });
    const { oracle } = snapshotOf(await eventsOf(training));
    const { exponent } = training.reward({ oracle });
    expect(exponent).not.toBe(1);
    const later = oracle && { ...oracle, scores: oracle.scores.map((score, i) => (i < 40 ? score : 1000)) };
    expect(training.reward({ oracle: later }).exponent).toBe(exponent);
    // A run that has ended is opened again without training.
    expect((await data({ source, shaping })).reward({ oracle }).exponent).toBe(exponent);
  });

  describe("under errors of synthesis", () => {
    const errors = { substitution: { kind: "stick", stick: 0.3 }, insertion: 0, deletion: 0 } as const;
    const { space } = environment;
    const underErrors = (unit: number, exponent: number) => {
      const source = countingSource((string) => unit * scoreOf(string), 1000);
      const own = synthesis({ ...{ space, errors, source, environment, exponent, draws: 4, seed: 0 } });
      return data({ source, budget: 1000, shaping: { ...OPTIONS.shaping, exponent }, synthesis: own });
    };

    test("the floor is relative to the largest expected reward, whatever the unit of the score", async () => {
      const found = async (unit: number, exponent: number) => {
        const training = await underErrors(unit, exponent);
        const { oracle } = snapshotOf(await eventsOf(training));
        const { logReward } = training.reward({ oracle });
        const logs = Array.from(oracle?.scores ?? [], (score) => logReward(score));
        expect(logReward(0)).toBeCloseTo(Math.max(...logs) + Math.log(1e-4), 9);
        return new Map(oracle?.objects.map((object, i) => [object, logs[i] - exponent * Math.log(unit)]));
      };
      const logs = await found(1, 1);
      expect(logs.size).toBeGreaterThan(50);
      for (const [string, log] of await found(2 ** -20, 1)) {
        if (logs.has(string)) expect(log).toBeCloseTo(logs.get(string) ?? Number.NaN, 9);
      }
      // The square of such a score is not a number any more.
      for (const log of (await found(2 ** 600, 2)).values()) expect(log).toBeLessThan(2 * Math.log(6));
    });

    test("training continues from a snapshot to the same bits", async () => {
      const events: TrainEvent[] = [];
      const whole = await underErrors(1e-6, 2);
      for await (const event of train({ ...whole.options, checkpointEvery: 10 })) events.push(event);
      const half = events.find(({ kind }) => kind === "checkpoint");
      if (half?.kind !== "checkpoint") throw new Error("there must be a checkpoint");
      const rest: TrainEvent[] = [];
      const { options } = await underErrors(1e-6, 2);
      for await (const event of train({ ...options, resume: half.snapshot })) rest.push(event);
      expect(snapshotOf(rest).tensors).toEqual(snapshotOf(events).tensors);
      expect(snapshotOf(rest).oracle).toEqual(snapshotOf(events).oracle);
    });
  });

  test("has expected rewards for known strings too, if synthesis errs", async () => {
    const source = countingSource(scoreOf, 60);
    const matrix = [
      [0.5, 0.5, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const errors = { substitution: { kind: "substitution", matrix }, insertion: 0, deletion: 0 } as const;
    const { space } = environment;
    const own = synthesis({
      ...{ space, errors, source, environment, exponent: 1, draws: 4, seed: 0 },
    });
    // A tenth of the budget pays for one known string, and the whole budget for ten designs.
    const known = [{ string: "ABBBB", score: 2 }];
    const small = await data({ source, known, synthesis: { ...own, cost: 6 } });
    expect(small.options.knownScores).toEqual({ objects: ["ABBBB"], scores: Float64Array.of(1.5) });
    expect(small.options.calls).toBe(10);
    expect(source.sent).toEqual(["ABBBB", "BBBBB"]);
    const measured = await data({ source, known, budget: 0, synthesis: own });
    expect(measured.options.knownScores?.scores).toEqual(Float64Array.of(2));
  });
});
