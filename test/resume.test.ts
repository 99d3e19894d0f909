// Training that was interrupted, written to bytes and continued is the training that was not, to the bit.

import { describe, expect, test } from "vitest";
import { defaultSettings } from "../src/gfn/defaults.ts";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { longSequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import type { TrainEvent } from "../src/gfn/events.ts";
import { OBJECTIVES } from "../src/gfn/objectives/choice.ts";
import { train } from "../src/gfn/train.ts";
import { createTrainer } from "../src/gfn/trainer.ts";
import {
  ask,
  type Changes,
  everything,
  ITERATIONS,
  NO_MIXTURE,
  randomScores,
  reread,
  smallRun,
  strings,
} from "./support/small-run.ts";
import { checkpointsOf, collect, without } from "./support/training-events.ts";

/** What a run tells, but for the clock. */
const told = (events: readonly TrainEvent[]) =>
  without(events, "seconds").filter(({ kind }) => kind === "iteration" || kind === "evaluation");

/** Where runs are cut. */
const CUT = 5;

describe("a run that is continued gives what it would have given, with", () => {
  const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
  const long = longSequenceEnvironment({ alphabet: "ABCD", length: 9, stick: 0.1 });
  const countA = (texts: readonly string[]) => texts.map((text) => 2 ** (text.split("A").length - 9));
  const encoder = { reads: "both", layers: 1, width: 8, heads: 2 } as const;
  const reading: Changes = {
    objective: OBJECTIVES["kl-thought"],
    policy: { hidden: [8], encoder },
    dynamics: { hidden: [4], encoder },
    objectLaw: { hidden: [8] },
    mixture: { ...NO_MIXTURE, replay: 0.25 },
    replay: { capacity: 50, priority: 0 },
  };
  const cases: [string, Changes][] = [
    ["no buffer", {}],
    ["the default mixture", { mixture: defaultSettings(strings).mixture }],
    ["no dynamics model", { objective: OBJECTIVES.db }],
    ["replay, all alike", { mixture: { ...NO_MIXTURE, replay: 0.5 }, replay: { capacity: 50, priority: 0 } }],
    ["replay by score", { mixture: { ...NO_MIXTURE, replay: 0.5 }, replay: { capacity: 50, priority: 2 } }],
    [
      "replay of few episodes",
      { mixture: { ...NO_MIXTURE, replay: 0.5 }, replay: { capacity: 1000, priority: 1 } },
    ],
    ["replay for the dynamics", { dynamicsReplay: { capacity: 40, episodes: 8, rounds: 2 } }],
    ["known objects", { mixture: { ...NO_MIXTURE, offline: 0.5 }, known: ["ACG", "GGA"] }],
    ["a log Z of its own", { objective: OBJECTIVES.stb, logZ: {} }],
    ["a reward that is ramped up", { reward: { exponent: 3, floor: 1e-3, ramp: 4 } }],
    [
      "courses of exploration",
      { exploration: { epsilon: { from: 0.5, to: 0 }, temperature: { from: 3, to: 1 } } },
    ],
    ["all at once", everything],
    [
      "a grid",
      { environment: grid, scores: randomScores(16), mixture: { uniform: 0.25, offline: 0, replay: 0.25 } },
    ],
    [
      "a score function",
      {
        environment: long,
        scores: countA,
        mixture: { ...NO_MIXTURE, replay: 0.25 },
        replay: { capacity: 50, priority: 1 },
      },
    ],
    [
      "a score function and intentions drawn",
      { ...everything, scores: ask, objective: OBJECTIVES.sdb, logZ: undefined },
    ],
    ["networks that read, and a model of thoughts", reading],
    ["the jax engine", { engine: "jax", mixture: { uniform: 0.25, offline: 0, replay: 0.25 } }],
  ];

  test.each(cases)("%s", async (_, changes) => {
    const whole = await collect(train(smallRun({ ...changes, checkpointEvery: CUT })));
    const [cut, , last] = checkpointsOf(whole);
    expect(checkpointsOf(whole).map(({ iteration }) => iteration)).toEqual([5, 10, 12]);
    const rest = await collect(train(smallRun({ ...changes, resume: reread(cut) })));
    expect(rest[0]).toMatchObject({ kind: "start", resumedAt: CUT });
    const after = (event: TrainEvent) => "iteration" in event && event.iteration > CUT;
    expect(told(rest)).toEqual(told(whole.filter(after)));
    const end = checkpointsOf(rest);
    expect(without(end, "seconds")).toEqual(without([last], "seconds"));
    expect(end[0].seconds).toBeGreaterThan(cut.seconds);
  });

  test("every place to stop at", async () => {
    const whole = await collect(train(smallRun({ ...everything, checkpointEvery: 1 })));
    const snapshots = checkpointsOf(whole);
    for (const cut of [snapshots[0], snapshots[3], snapshots[10]]) {
      const rest = await collect(train(smallRun({ ...everything, resume: reread(cut) })));
      const after = (event: TrainEvent) => "iteration" in event && event.iteration > cut.iteration;
      expect(told(rest)).toEqual(told(whole.filter(after)));
    }
  });
});

describe("a run that is stopped", () => {
  const kinds = (events: readonly TrainEvent[]) =>
    events.map((event) => ("iteration" in event ? `${event.kind} ${event.iteration}` : event.kind));

  /** Stops after these iterations. */
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

  test("ends with a checkpoint and no evaluation, which is made up for when it goes on", async () => {
    const stopped = await stoppedAt(4);
    expect(kinds(stopped).slice(-3)).toEqual(["iteration 4", "checkpoint 4", "end"]);
    expect(stopped.at(-1)).toMatchObject({ kind: "end", iterations: 4, stopped: true });
    const rest = await resumed(stopped);
    expect(kinds(rest).slice(0, 3)).toEqual(["start", "evaluation 4", "iteration 5"]);
    const whole = await collect(train(smallRun()));
    expect(whole.at(-1)).toMatchObject({ stopped: false });
    expect([...told(stopped), ...told(rest)]).toEqual(told(whole));
  });

  test("after an evaluation does not make it again", async () => {
    const controller = new AbortController();
    const events: TrainEvent[] = [];
    for await (const event of train(smallRun({ signal: controller.signal }))) {
      events.push(event);
      if (event.kind === "evaluation" && event.iteration === 4) controller.abort();
    }
    expect(kinds(events).slice(-3)).toEqual(["evaluation 4", "checkpoint 4", "end"]);
    expect(kinds(await resumed(events)).slice(0, 2)).toEqual(["start", "iteration 5"]);
  });

  test("while it makes its last evaluation is complete", async () => {
    const controller = new AbortController();
    let calls = 0;
    const scores = (texts: readonly string[]) => {
      if (++calls === 3) controller.abort(); // an evaluation, an iteration, an evaluation
      return ask(texts);
    };
    const environment = longSequenceEnvironment({ alphabet: "ACG", length: 20, stick: 0.1 });
    const changes = { environment, scores, signal: controller.signal, iterations: 1, learningRate: 1 };
    const events = await collect(train(smallRun(changes)));
    expect(controller.signal.aborted).toBe(true);
    expect(kinds(events).slice(-3)).toEqual(["evaluation 1", "checkpoint 1", "end"]);
    expect(events.at(-1)).toMatchObject({ stopped: false });
  });

  test("before it began is a run that begins later", async () => {
    const stopped = await stoppedAt(0);
    expect(kinds(stopped)).toEqual(["start", "checkpoint 0", "end"]);
    expect(stopped[0]).toMatchObject({ resumedAt: null });
    const rest = await resumed(stopped);
    expect(rest[0]).toMatchObject({ resumedAt: 0 });
    expect(told(rest)).toEqual(told(await collect(train(smallRun()))));
  });

  test("at its last iteration evaluates when it goes on, and ends", async () => {
    const stopped = await stoppedAt(ITERATIONS);
    expect(stopped.at(-1)).toMatchObject({ kind: "end", stopped: true });
    expect(kinds(await resumed(stopped))).toEqual(["start", "evaluation 12", "checkpoint 12", "end"]);
  });

  test("after its end evaluates once more, and may be made longer", async () => {
    const whole = await collect(train(smallRun()));
    expect(kinds(whole).slice(-4)).toEqual(["iteration 12", "evaluation 12", "checkpoint 12", "end"]);
    const rest = await resumed(whole);
    expect(kinds(rest)).toEqual(["start", "evaluation 12", "checkpoint 12", "end"]);
    expect(told(rest)).toEqual(told(whole).slice(-1));
    const longer = await resumed(whole, { iterations: 14 });
    expect(kinds(longer).slice(1, 4)).toEqual(["iteration 13", "iteration 14", "evaluation 14"]);
  });

  test("can be endless until then", async () => {
    const stopped = await stoppedAt(3, { iterations: Number.POSITIVE_INFINITY });
    const [snapshot] = checkpointsOf(stopped);
    expect(reread(snapshot)).toEqual(snapshot);
    expect(snapshot.iterations).toBe(Number.POSITIVE_INFINITY);
  });

  test("by an error hands over what was learned and asked until then", async () => {
    const asked: string[] = [];
    const fragile = (breaksAt: number) => (texts: readonly string[]) => {
      if (asked.length > breaksAt) throw new Error("the assay is out of order");
      asked.push(...texts);
      return ask(texts);
    };
    const environment = longSequenceEnvironment({ alphabet: "ACG", length: 6, stick: 0.1 });
    const whole = await collect(train(smallRun({ environment, scores: fragile(Number.POSITIVE_INFINITY) })));
    asked.length = 0;
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
    expect([...told(events), ...told(rest)]).toEqual(told(whole));
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("by weights that are not finite hands over none, so that the checkpoint before it stays", async () => {
    const events: TrainEvent[] = [];
    // Each loss is finite, and the update after the last of them is not.
    const changes = {
      learningRate: { from: 0, to: 3e38, shape: "linear" },
      policy: { hidden: [4], memoryRows: 40, memoryRateScale: 1e38 },
    } as const;
    const broken = async () => {
      for await (const event of train(smallRun({ ...changes, iterations: 2, checkpointEvery: 1 })))
        events.push(event);
    };
    await expect(broken).rejects.toThrow(/^evaluate: forward .* not finite in call 2/);
    expect(checkpointsOf(events).map(({ iteration }) => iteration)).toEqual([1]);
    const trainer = await createTrainer(smallRun({ ...changes, learningRate: 3e38 }));
    await trainer.step(0, 0);
    await expect(trainer.save()).rejects.toThrow(
      /^policy is not finite any more, though every loss was; lower/,
    );
    await trainer.dispose();
  });
});
