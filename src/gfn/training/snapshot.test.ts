// A snapshot contains everything that the next steps depend on, and only its own run accepts it.

import { beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  type Changes,
  everything,
  ITERATIONS,
  ON_POLICY,
  reread,
  smallRun,
} from "../../../test/support/small-run.ts";
import { checkpointsOf, collect } from "../../../test/support/training-events.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { OBJECTIVES } from "../objectives/objective.ts";
import type { Snapshot } from "./snapshot.ts";
import { train } from "./train.ts";
import { modelTrainer, type StepMetrics, type Trainer } from "./trainer.ts";

const CUT = 5;

describe("every part of a snapshot affects the next steps:", () => {
  let trainer: Trainer;
  let cut: Snapshot;
  let beginning: Snapshot;
  let expected: readonly StepMetrics[];

  async function stepsFrom(snapshot: Snapshot): Promise<StepMetrics[]> {
    trainer.restore(snapshot);
    const reports: StepMetrics[] = [];
    for (let t = snapshot.iteration; t < ITERATIONS; t++) reports.push(await trainer.step(t, t / ITERATIONS));
    return reports;
  }

  beforeAll(async () => {
    trainer = await modelTrainer(smallRun(everything));
    const run = { iterations: ITERATIONS, seconds: 1, evaluated: true };
    beginning = { ...run, iteration: 0, ...(await trainer.save()) };
    for (let t = 0; t < CUT; t++) await trainer.step(t, t / ITERATIONS);
    cut = { ...run, iteration: CUT, ...(await trainer.save()) };
    expected = await stepsFrom(cut);
    return () => trainer.dispose();
  });

  test("a complete snapshot gives the same steps, any number of times", async () => {
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

  test.each(["replay", "dynamics"] as const)("the buffer %s, and its insertion position", async (name) => {
    const kept = cut.buffers[name]!;
    expect(kept.added).toBeGreaterThan(kept.scores.length);
    const empty = { ...cut, buffers: { ...cut.buffers, [name]: beginning.buffers[name] } };
    expect(await stepsFrom(empty)).not.toEqual(expected);
    const moved = { ...cut, buffers: { ...cut.buffers, [name]: { ...kept, added: kept.added + 7 } } };
    expect(await stepsFrom(moved)).not.toEqual(expected);
    const shuffled = { ...kept, actions: kept.actions.toReversed(), outcomes: kept.outcomes.toReversed() };
    expect(await stepsFrom({ ...cut, buffers: { ...cut.buffers, [name]: shuffled } })).not.toEqual(expected);
  });

  test("the scores of replayed trajectories", async () => {
    const replay = { ...cut.buffers.replay!, scores: cut.buffers.replay!.scores.toReversed() };
    expect(await stepsFrom({ ...cut, buffers: { ...cut.buffers, replay } })).not.toEqual(expected);
  });

  test("the iteration", async () => {
    expect(await stepsFrom({ ...cut, iteration: CUT + 1 })).not.toEqual(expected.slice(1));
  });

  test("and later steps do not change a saved state", async () => {
    const copy = structuredClone(cut);
    await stepsFrom(cut);
    expect(cut).toEqual(copy);
  });

  test.each<[string, (snapshot: Snapshot) => object, string]>([
    ["a tensor", ({ tensors: { policy, ...tensors } }) => ({ tensors }), "it lacks the tensor policy"],
    [
      "a stream",
      ({ streams: { offline, ...streams } }) => ({ streams }),
      "it lacks the random stream offline",
    ],
    ["a buffer", ({ buffers: { replay, ...buffers } }) => ({ buffers }), "replay buffer"],
    [
      "a trajectory",
      ({ buffers }) => ({
        buffers: { ...buffers, dynamics: { ...buffers.dynamics, scores: new Float64Array(23) } },
      }),
      "got 23, 72 and 72",
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
  ])("a snapshot without %s is refused and changes nothing", async (_, change, message) => {
    trainer.restore(beginning);
    const before = await trainer.save();
    expect(() => trainer.restore({ ...cut, ...change(cut) })).toThrow(message);
    expect(await trainer.save()).toEqual(before);
  });

  test("save, restore and step are refused during a step", async () => {
    trainer.restore(cut);
    const step = trainer.step(CUT, CUT / ITERATIONS);
    await expect(trainer.save()).rejects.toThrow("a call must be awaited before the next one");
    await expect(trainer.step(CUT, 0)).rejects.toThrow("a call must be awaited before the next one");
    expect(() => trainer.restore(cut)).toThrow("a call must be awaited before the next one");
    expect(await step).toEqual(expected[0]);
  });
});

describe("a checkpoint of another run is refused in one sentence:", () => {
  let snapshot: Snapshot;
  const buffers: Changes = {
    ...ON_POLICY,
    replayShare: 0.5,
    replayCapacity: 50,
    replayPriority: 0,
    dynamicsReplayCapacity: 40,
    dynamicsReplayBatch: 8,
    dynamicsReplayRounds: 2,
  };
  beforeAll(async () => {
    const [first] = checkpointsOf(await collect(train(smallRun({ ...buffers, iterations: 1 }))));
    snapshot = reread(first);
  });

  /** The scores of the run with another one for this terminal. */
  const otherScore = (terminal: number) =>
    (smallRun().scores as Float64Array).map((score, i) => (i === terminal ? score / 2 : score));
  const other = sequenceEnvironment({ alphabet: "ACT", length: 3, stick: 0.5 });
  const quiet = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.25 });
  test.each<[string, Changes, string]>([
    [
      "other letters",
      { environment: other },
      "environment is strings of 3 letters out of ACG in the checkpoint and",
    ],
    [
      "other noise",
      { environment: quiet },
      "environment.stick is 0.5 in the checkpoint and 0.25 in this run",
    ],
    ["a wider policy", { hidden: [9] }, "hidden is [8] in the checkpoint and [9] in this run"],
    ["a wider dynamics model", { dynamicsHidden: [5] }, "dynamicsHidden is [4] in the checkpoint and [5]"],
    [
      "no dynamics model",
      { ...OBJECTIVES.db },
      "dynamics is marginal in the checkpoint and none in this run",
    ],
    ["another balance", { ...OBJECTIVES.stb }, "balance is db in the checkpoint and tb in this run"],
    [
      "another activation",
      { activation: "tanh" },
      "activation is relu in the checkpoint and tanh in this run",
    ],
    ["another target", { rewardExponent: 2 }, "rewardExponent is 1 in the checkpoint and 2 in this run"],
    ["another score", { scores: otherScore(26) }, "scores.crc32 is"],
    ["another problem", { problem: { demand: "7" } }, "demand is absent in the checkpoint and 7 in this run"],
    [
      "an entropy regulariser",
      { entropyRegulariser: { from: 1, to: 0 } },
      'entropyRegulariser is 0 in the checkpoint and {"from":1,"to":0} in this run',
    ],
    ["another seed", { seed: 4 }, "seed is 3 in the checkpoint and 4 in this run"],
    ["a score function", { scores: ask }, "scores is a table in the checkpoint and a function in this run"],
    ["no replay", ON_POLICY, "replayCapacity is 50 in the checkpoint and absent in this run"],
    ["a larger buffer", { replayCapacity: 60 }, "replayCapacity is 50 in the checkpoint and 60 in this run"],
    [
      "no replay for the dynamics",
      { dynamicsReplayCapacity: 0 },
      "dynamicsReplayCapacity is 40 in the checkpoint",
    ],
    [
      "too few iterations",
      { iterations: 0.5 },
      "iterations: must be a whole number from 1 to 2^53 - 1, got 0.5",
    ],
  ])("%s", async (_, changes, message) => {
    const run = collect(train(smallRun({ ...buffers, ...changes, resume: snapshot })));
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(/^[^\n]{1,200}$/);
  });

  test("a checkpoint beyond the last iteration, and one without a plan", async () => {
    const resumed = (changes: Partial<Snapshot>) =>
      collect(train(smallRun({ ...buffers, resume: { ...snapshot, ...changes } })));
    await expect(resumed({ iteration: 13 })).rejects.toThrow(
      "iterations: must be at least 13, the iteration of the checkpoint, got 12",
    );
    const unplanned = { ...snapshot, iterations: null, plan: [] };
    const run = train(smallRun({ ...buffers, iterations: undefined, resume: unplanned }));
    await expect(collect(run)).rejects.toThrow("resume: has no plan yet; give `iterations` or `seconds`");
  });

  test("but learning rates and the number of iterations may change", async () => {
    const changes = { ...buffers, learningRate: 1e-4, iterations: 3, resume: snapshot };
    expect((await collect(train(smallRun(changes)))).at(-1)).toMatchObject({ kind: "end", iterations: 3 });
  });
});
