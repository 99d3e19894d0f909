// What a snapshot must hold, and which run it fits.

import { beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  type Changes,
  everything,
  ITERATIONS,
  NO_MIXTURE,
  reread,
  smallRun,
} from "../../test/support/small-run.ts";
import { checkpointsOf, collect } from "../../test/support/training-events.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { OBJECTIVES } from "./objectives/choice.ts";
import type { Snapshot } from "./snapshot.ts";
import { train } from "./train.ts";
import { createTrainer, type StepReport, type Trainer } from "./trainer.ts";

const CUT = 5;

describe("everything in a snapshot matters:", () => {
  let trainer: Trainer;
  let cut: Snapshot;
  let beginning: Snapshot;
  let expected: readonly StepReport[];

  async function stepsFrom(snapshot: Snapshot): Promise<StepReport[]> {
    trainer.restore(snapshot);
    const reports: StepReport[] = [];
    for (let t = snapshot.iteration; t < ITERATIONS; t++) reports.push(await trainer.step(t, t / ITERATIONS));
    return reports;
  }

  beforeAll(async () => {
    trainer = await createTrainer(smallRun(everything));
    const run = { iterations: ITERATIONS, seconds: 1, evaluated: true };
    beginning = { ...run, iteration: 0, ...(await trainer.save()) };
    for (let t = 0; t < CUT; t++) await trainer.step(t, t / ITERATIONS);
    cut = { ...run, iteration: CUT, ...(await trainer.save()) };
    expected = await stepsFrom(cut);
    return () => trainer.dispose();
  });

  test("with all of it the steps are the same, again and again", async () => {
    expect(await stepsFrom(cut)).toEqual(expected);
    expect(await stepsFrom(reread(cut))).toEqual(expected);
    expect((await stepsFrom(beginning)).slice(CUT)).toEqual(expected);
  });

  const tensors = ["policy", "dynamics"].flatMap((net) => [net, `${net}.m`, `${net}.v`, `${net}.step`]);
  test.each(tensors)("the tensor %s", async (name) => {
    const changed = { ...cut, tensors: { ...cut.tensors, [name]: beginning.tensors[name] } };
    expect(await stepsFrom(changed)).not.toEqual(expected);
  });

  test.each(["rollout", "uniform", "offline", "replay", "dynamics"])("the stream %s", async (name) => {
    const changed = { ...cut, streams: { ...cut.streams, [name]: beginning.streams[name] } };
    expect(await stepsFrom(changed)).not.toEqual(expected);
  });

  test.each(["replay", "dynamics"] as const)("the buffer %s, and where it goes on", async (name) => {
    const kept = cut.buffers[name]!;
    expect(kept.added).toBeGreaterThan(kept.scores.length);
    const empty = { ...cut, buffers: { ...cut.buffers, [name]: beginning.buffers[name] } };
    expect(await stepsFrom(empty)).not.toEqual(expected);
    const moved = { ...cut, buffers: { ...cut.buffers, [name]: { ...kept, added: kept.added + 7 } } };
    expect(await stepsFrom(moved)).not.toEqual(expected);
    const shuffled = { ...kept, actions: kept.actions.toReversed(), outcomes: kept.outcomes.toReversed() };
    expect(await stepsFrom({ ...cut, buffers: { ...cut.buffers, [name]: shuffled } })).not.toEqual(expected);
  });

  test("the scores of replayed episodes", async () => {
    const replay = { ...cut.buffers.replay!, scores: cut.buffers.replay!.scores.toReversed() };
    expect(await stepsFrom({ ...cut, buffers: { ...cut.buffers, replay } })).not.toEqual(expected);
  });

  test("the iteration", async () => {
    expect(await stepsFrom({ ...cut, iteration: CUT + 1 })).not.toEqual(expected.slice(1));
  });

  test("and what is saved does not change with later steps", async () => {
    const copy = structuredClone(cut);
    await stepsFrom(cut);
    expect(cut).toEqual(copy);
  });

  test.each<[string, (snapshot: Snapshot) => object, string]>([
    ["a tensor", ({ tensors: { policy, ...tensors } }) => ({ tensors }), "it lacks the state policy"],
    [
      "a stream",
      ({ streams: { offline, ...streams } }) => ({ streams }),
      "it lacks the random stream offline",
    ],
    ["a buffer", ({ buffers: { replay, ...buffers } }) => ({ buffers }), "its replay buffer is missing"],
    [
      "an episode",
      ({ buffers }) => ({
        buffers: { ...buffers, dynamics: { ...buffers.dynamics, scores: new Float64Array(23) } },
      }),
      "a buffer of 24 episodes has 24 scores and 72 intentions and outcomes, got 23, 72 and 72",
    ],
    [
      "weights",
      ({ tensors }) => ({ tensors: { ...tensors, "policy.m": new Float32Array(3) } }),
      "policy.m must be float32",
    ],
    [
      "finite weights",
      ({ tensors }) => ({ tensors: { ...tensors, policy: tensors.policy.map(() => Number.NaN) } }),
      "state policy has NaN",
    ],
  ])("what lacks %s is refused, and changes nothing", async (_, change, message) => {
    trainer.restore(beginning);
    const before = await trainer.save();
    expect(() => trainer.restore({ ...cut, ...change(cut) })).toThrow(message);
    expect(await trainer.save()).toEqual(before);
  });

  test("nothing is saved, restored or begun while a step is made", async () => {
    trainer.restore(cut);
    const step = trainer.step(CUT, CUT / ITERATIONS);
    await expect(trainer.save()).rejects.toThrow("before the previous call was awaited");
    await expect(trainer.step(CUT, 0)).rejects.toThrow("before the previous call was awaited");
    expect(() => trainer.restore(cut)).toThrow("before the previous call was awaited");
    expect(await step).toEqual(expected[0]);
  });
});

describe("a checkpoint of something else is refused in one sentence:", () => {
  let snapshot: Snapshot;
  const buffers: Changes = {
    mixture: { ...NO_MIXTURE, replay: 0.5 },
    replay: { capacity: 50, priority: 0 },
    dynamicsReplay: { capacity: 40, episodes: 8, rounds: 2 },
  };
  beforeAll(async () => {
    const [first] = checkpointsOf(await collect(train(smallRun({ ...buffers, iterations: 1 }))));
    snapshot = reread(first);
  });

  const other = sequenceEnvironment({ alphabet: "ACT", length: 3, stick: 0.5 });
  const quiet = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.25 });
  test.each<[string, Changes, string]>([
    [
      "other letters",
      { environment: other },
      "environment is strings of 3 letters out of ACG in the checkpoint and",
    ],
    ["other noise", { environment: quiet }, "environment.stick is 0.5 in the checkpoint and 0.25 here"],
    ["a wider policy", { policy: { hidden: [9], memoryRows: 40 } }, "policy.network."],
    ["a wider dynamics model", { dynamics: { hidden: [5] } }, "dynamics."],
    ["no dynamics model", { objective: OBJECTIVES.db }, "in the checkpoint and not there here"],
    [
      "a log Z of its own",
      { objective: OBJECTIVES.stb, logZ: {} },
      "policy.logZ is not there in the checkpoint and [1] here",
    ],
    ["another seed", { seed: 4 }, "seed is 3 in the checkpoint and 4 here"],
    ["a score function", { scores: ask }, "scores is a table in the checkpoint and a function here"],
    ["no replay", { mixture: NO_MIXTURE }, "replay.capacity is 50 in the checkpoint and not there here"],
    [
      "a larger buffer",
      { replay: { capacity: 60, priority: 0 } },
      "replay.capacity is 50 in the checkpoint and 60 here",
    ],
    [
      "no replay for the dynamics",
      { dynamicsReplay: undefined },
      "dynamicsReplay.capacity is 40 in the checkpoint",
    ],
    ["too few iterations", { iterations: 0.5 }, "iterations must be a whole number"],
    [
      "a run by seconds",
      { iterations: undefined, seconds: 1 },
      "a run by seconds follows the clock and cannot be resumed",
    ],
  ])("%s", async (_, changes, message) => {
    const run = collect(train(smallRun({ ...buffers, ...changes, resume: snapshot })));
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(/^[^\n]{1,200}$/);
  });

  test("one that is further on, and one of a run by seconds", async () => {
    const resumed = (changes: Partial<Snapshot>) =>
      collect(train(smallRun({ ...buffers, resume: { ...snapshot, ...changes } })));
    await expect(resumed({ iteration: 13 })).rejects.toThrow("of iteration 13, and the run makes 12");
    await expect(resumed({ iterations: null })).rejects.toThrow("a run by seconds");
  });

  test("but learning rates and the length of the run may be changed", async () => {
    const changes = { ...buffers, learningRate: 1e-4, iterations: 3, resume: snapshot };
    expect((await collect(train(smallRun(changes)))).at(-1)).toMatchObject({ kind: "end", iterations: 3 });
  });
});
