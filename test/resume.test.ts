// Tests that training that is interrupted, encoded as a checkpoint and resumed is bit-identical to uninterrupted
// training.

import type { TrainEvent } from "gflownet/gfn";
import {
  defaultSettings,
  hypergridEnvironment,
  longSequenceEnvironment,
  modelTrainer,
  OBJECTIVES,
  train,
} from "gflownet/gfn";
import { describe, expect, test } from "vitest";
import {
  ask,
  type Changes,
  everything,
  ITERATIONS,
  ON_POLICY,
  randomScores,
  reread,
  smallRun,
  strings,
} from "./support/small-run.ts";
import { checkpointsOf, collect, without } from "./support/training-events.ts";

/** The iteration and evaluation events of a run, without times. */
const progressOf = (events: readonly TrainEvent[]) =>
  without(events, "seconds").filter(({ kind }) => kind === "iteration" || kind === "evaluation");

/** Iteration at which runs are interrupted. */
const CUT = 5;

describe("a resumed run gives the same results as an uninterrupted one, with", () => {
  const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
  const long = longSequenceEnvironment({ alphabet: "ABCD", length: 9, stick: 0.1 });
  const countA = (texts: readonly string[]) => texts.map((text) => 2 ** (text.split("A").length - 9));
  const historyConditioned: Changes = {
    ...OBJECTIVES["kl-thought"],
    hidden: [8],
    encoder: "both",
    encoderLayers: 1,
    encoderWidth: 8,
    encoderHeads: 2,
    stateTableRows: 0,
    dynamicsHidden: [4],
    dynamicsEncoder: "both",
    objectMarginalHidden: [8],
    ...ON_POLICY,
    replayShare: 0.25,
    replayCapacity: 50,
    replayPriority: 0,
  };
  const cases: [string, Changes][] = [
    ["no buffer", {}],
    ["the default batch composition", { uniformShare: defaultSettings(strings).uniformShare }],
    ["no dynamics model", { ...OBJECTIVES.db }],
    ["uniform replay", { ...ON_POLICY, replayShare: 0.5, replayCapacity: 50, replayPriority: 0 }],
    [
      "replay prioritised by score",
      { ...ON_POLICY, replayShare: 0.5, replayCapacity: 50, replayPriority: 2 },
    ],
    [
      "a replay buffer that is not full",
      { ...ON_POLICY, replayShare: 0.5, replayCapacity: 1000, replayPriority: 1 },
    ],
    [
      "replay for the dynamics",
      { dynamicsReplayCapacity: 40, dynamicsReplayBatch: 8, dynamicsReplayRounds: 2 },
    ],
    ["known objects", { ...ON_POLICY, offlineShare: 0.5, offlineObjects: ["ACG", "GGA"] }],
    ["a log Z of its own", { ...OBJECTIVES.stb, learnLogZ: true }],
    ["a reward that is ramped up", { rewardExponent: 3, rewardFloor: 1e-3, rewardRamp: 4 }],
    ["courses of exploration", { epsilon: { from: 0.5, to: 0 }, temperature: { from: 3, to: 1 } }],
    ["all at once", everything],
    [
      "a grid",
      { environment: grid, scores: randomScores(16), uniformShare: 0.25, offlineShare: 0, replayShare: 0.25 },
    ],
    [
      "a score function",
      {
        environment: long,
        scores: countA,
        ...ON_POLICY,
        replayShare: 0.25,
        replayCapacity: 50,
        replayPriority: 1,
      },
    ],
    [
      "a score function and intentions drawn",
      { ...everything, scores: ask, ...OBJECTIVES.sdb, learnLogZ: false },
    ],
    ["history encoders and an object marginal", historyConditioned],
    ["the jax engine", { engine: "jax", uniformShare: 0.25, offlineShare: 0, replayShare: 0.25 }],
  ];

  test.each(cases)("%s", async (_, changes) => {
    const whole = await collect(train(smallRun({ ...changes, checkpointEvery: CUT })));
    const [cut, , last] = checkpointsOf(whole);
    expect(checkpointsOf(whole).map(({ iteration }) => iteration)).toEqual([5, 10, 12]);
    const rest = await collect(train(smallRun({ ...changes, resume: reread(cut) })));
    expect(rest[0]).toMatchObject({ kind: "start", resumedAt: CUT });
    const after = (event: TrainEvent) => "iteration" in event && event.iteration > CUT;
    expect(progressOf(rest)).toEqual(progressOf(whole.filter(after)));
    const end = checkpointsOf(rest);
    expect(without(end, "seconds")).toEqual(without([last], "seconds"));
    expect(end[0].seconds).toBeGreaterThan(cut.seconds);
  });

  test("interruptions at different iterations", async () => {
    const whole = await collect(train(smallRun({ ...everything, checkpointEvery: 1 })));
    const snapshots = checkpointsOf(whole);
    for (const cut of [snapshots[0], snapshots[3], snapshots[10]]) {
      const rest = await collect(train(smallRun({ ...everything, resume: reread(cut) })));
      const after = (event: TrainEvent) => "iteration" in event && event.iteration > cut.iteration;
      expect(progressOf(rest)).toEqual(progressOf(whole.filter(after)));
    }
  });
});

describe("a run that is stopped", () => {
  const kinds = (events: readonly TrainEvent[]) =>
    events.map((event) => ("iteration" in event ? `${event.kind} ${event.iteration}` : event.kind));

  /** Events of a run that is stopped after this iteration. */
  async function stoppedAt(iteration: number, changes: Changes = {}): Promise<TrainEvent[]> {
    const controller = new AbortController();
    const events: TrainEvent[] = [];
    if (iteration === 0) controller.abort();
    for await (const event of train(smallRun({ signal: controller.signal, ...changes }))) {
      events.push(event);
      if (event.kind === "iteration" && event.iteration === iteration) controller.abort();
    }
    return events;
  }
  const resumed = async (events: readonly TrainEvent[], changes: Changes = {}) =>
    collect(train(smallRun({ ...changes, resume: reread(checkpointsOf(events).at(-1)!) })));

  test("ends with a checkpoint and without an evaluation; the evaluation follows when the run is resumed", async () => {
    const stopped = await stoppedAt(4);
    expect(kinds(stopped).slice(-3)).toEqual(["iteration 4", "checkpoint 4", "end"]);
    expect(stopped.at(-1)).toMatchObject({ kind: "end", iterations: 4, stopped: true });
    const rest = await resumed(stopped);
    expect(kinds(rest).slice(0, 3)).toEqual(["start", "evaluation 4", "iteration 5"]);
    const whole = await collect(train(smallRun()));
    expect(whole.at(-1)).toMatchObject({ stopped: false });
    expect([...progressOf(stopped), ...progressOf(rest)]).toEqual(progressOf(whole));
  });

  test("after an evaluation does not repeat it", async () => {
    const controller = new AbortController();
    const events: TrainEvent[] = [];
    for await (const event of train(smallRun({ signal: controller.signal }))) {
      events.push(event);
      if (event.kind === "evaluation" && event.iteration === 4) controller.abort();
    }
    expect(kinds(events).slice(-3)).toEqual(["evaluation 4", "checkpoint 4", "end"]);
    expect(kinds(await resumed(events)).slice(0, 2)).toEqual(["start", "iteration 5"]);
  });

  test("during its last evaluation is complete", async () => {
    const controller = new AbortController();
    let calls = 0;
    const scores = (texts: readonly string[]) => {
      if (++calls === 3) controller.abort(); // calls: an evaluation, an iteration, and the last evaluation
      return ask(texts);
    };
    const environment = longSequenceEnvironment({ alphabet: "ACG", length: 20, stick: 0.1 });
    const changes = { environment, scores, signal: controller.signal, iterations: 1, learningRate: 1 };
    const events = await collect(train(smallRun(changes)));
    expect(controller.signal.aborted).toBe(true);
    expect(kinds(events).slice(-3)).toEqual(["evaluation 1", "checkpoint 1", "end"]);
    expect(events.at(-1)).toMatchObject({ stopped: false });
  });

  test("before its first iteration can be resumed", async () => {
    const stopped = await stoppedAt(0);
    expect(kinds(stopped)).toEqual(["start", "checkpoint 0", "end"]);
    expect(stopped[0]).toMatchObject({ resumedAt: null });
    const rest = await resumed(stopped);
    expect(rest[0]).toMatchObject({ resumedAt: 0 });
    expect(progressOf(rest)).toEqual(progressOf(await collect(train(smallRun()))));
  });

  test("at its last iteration evaluates and ends when it is resumed", async () => {
    const stopped = await stoppedAt(ITERATIONS);
    expect(stopped.at(-1)).toMatchObject({ kind: "end", stopped: true });
    expect(kinds(await resumed(stopped))).toEqual(["start", "evaluation 12", "checkpoint 12", "end"]);
  });

  test("after its end evaluates once more when it is resumed, and can be extended", async () => {
    const whole = await collect(train(smallRun()));
    expect(kinds(whole).slice(-4)).toEqual(["iteration 12", "evaluation 12", "checkpoint 12", "end"]);
    const rest = await resumed(whole);
    expect(kinds(rest)).toEqual(["start", "evaluation 12", "checkpoint 12", "end"]);
    expect(progressOf(rest)).toEqual(progressOf(whole).slice(-1));
    const longer = await resumed(whole, { iterations: 14 });
    expect(kinds(longer).slice(1, 5)).toEqual(["plan 12", "iteration 13", "iteration 14", "evaluation 14"]);
  });

  test("can have an infinite number of iterations", async () => {
    const stopped = await stoppedAt(3, { iterations: Number.POSITIVE_INFINITY });
    const [snapshot] = checkpointsOf(stopped);
    expect(reread(snapshot)).toEqual(snapshot);
    expect(snapshot.iterations).toBe(Number.POSITIVE_INFINITY);
  });

  test("by an error of the oracle gives a checkpoint with all weights and scores so far", async () => {
    const scored: string[] = [];
    const fragile = (breaksAt: number) => (texts: readonly string[]) => {
      if (scored.length > breaksAt) throw new Error("the assay is out of order");
      scored.push(...texts);
      return ask(texts);
    };
    const environment = longSequenceEnvironment({ alphabet: "ACG", length: 6, stick: 0.1 });
    const whole = await collect(train(smallRun({ environment, scores: fragile(Number.POSITIVE_INFINITY) })));
    scored.length = 0;
    const events: TrainEvent[] = [];
    const broken = async () => {
      for await (const event of train(smallRun({ environment, scores: fragile(100) }))) events.push(event);
    };
    await expect(broken).rejects.toThrow("the assay is out of order");
    const [last] = checkpointsOf(events);
    expect(last.iteration).toBeGreaterThan(1);
    const rest = await collect(
      train(smallRun({ environment, scores: fragile(Number.POSITIVE_INFINITY), resume: reread(last) })),
    );
    expect([...progressOf(events), ...progressOf(rest)]).toEqual(progressOf(whole));
    expect(new Set(scored).size).toBe(scored.length);
  });

  test("by non-finite weights gives no checkpoint, so that the previous one remains", async () => {
    const events: TrainEvent[] = [];
    // All losses are finite, but the weights after the last update are not.
    const changes = {
      learningRate: { from: 0, to: 3e38, shape: "linear" },
      hidden: [4],
      stateTableRows: 40,
      stateTableRateScale: 1e38,
    } as const;
    const broken = async () => {
      for await (const event of train(smallRun({ ...changes, iterations: 2, checkpointEvery: 1 })))
        events.push(event);
    };
    await expect(broken).rejects.toThrow(/^evaluate: forward .* not finite in call 2/);
    expect(checkpointsOf(events).map(({ iteration }) => iteration)).toEqual([1]);
    const trainer = await modelTrainer(smallRun({ ...changes, learningRate: 3e38 }));
    await trainer.step(0, 0);
    await expect(trainer.save()).rejects.toThrow(
      /^policy is no longer finite, although every loss was; lower/,
    );
    await trainer.dispose();
  });
});
