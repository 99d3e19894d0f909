// Runs by seconds on a simulated clock: what they record, and that whoever follows the record gets the same bits.

import { describe, expect, test } from "vitest";
import { everything, smallRun } from "../../../test/support/small-run.ts";
import {
  checkpointsOf,
  collect,
  evaluationsOf,
  lossesOf,
  without,
} from "../../../test/support/training-events.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
import type { TrainEvent } from "./events.ts";
import { plannedIterations, progressAt } from "./plan.ts";
import { type TrainOptions, train } from "./train.ts";

/** A clock that work does not move: each reading moves it by a step, which becomes longer after some readings. */
function simulatedClock(step: number, { after = Number.POSITIVE_INFINITY, slower = 2 } = {}) {
  let time = 0;
  let readings = 0;
  return () => (time += ++readings > after ? step * slower : step);
}

function timed(changes: Partial<TrainOptions> = {}): TrainOptions {
  const base = smallRun({ ...everything, evaluateEvery: 10, checkpointEvery: 15 });
  return { ...base, iterations: undefined, seconds: 2, clock: simulatedClock(0.01), ...changes };
}

const planOf = (events: readonly TrainEvent[]) => events.filter((event) => event.kind === "plan");
/** Everything that does not depend on the clock. */
const bitsOf = (events: readonly TrainEvent[]) => ({
  losses: lossesOf(events),
  evaluations: without(evaluationsOf(events), "seconds"),
  snapshot: { ...checkpointsOf(events).at(-1), seconds: 0 },
});

describe("a run by seconds", () => {
  test("ends in time, and records each decision as an event and in its snapshots", async () => {
    const events = await collect(train(timed({ clock: simulatedClock(0.01, { after: 100 }) })));
    const end = events.at(-1);
    expect(end?.kind === "end" && end.seconds).toBeGreaterThan(1.9);
    expect(end?.kind === "end" && end.seconds).toBeLessThan(2.1);
    const [start] = events;
    expect(start).toMatchObject({ kind: "start", iterations: null, seconds: 2 });
    const decisions = planOf(events);
    expect(decisions.length).toBeGreaterThan(2);
    expect(decisions[0].iteration).toBe(1);
    const snapshot = checkpointsOf(events).at(-1);
    expect(snapshot?.plan).toEqual(without(without(decisions, "kind"), "seconds"));
    expect(snapshot).toMatchObject({ iterations: null, iteration: plannedIterations(snapshot?.plan ?? []) });
    expect(evaluationsOf(events).at(-1)?.iteration).toBe(snapshot?.iteration);
  });

  test("completes its schedules", async () => {
    // The learning rate is 0 from the middle of the run on, so the second half changes nothing.
    const rates = { learningRate: { from: 1e-2, to: 0, until: 0.5 }, dynamicsLearningRate: 0 };
    const events = await collect(train(timed({ ...rates, seconds: 4, evaluateEvery: 5 })));
    const [last, before] = evaluationsOf(events).toReversed();
    expect(before.iteration).toBeGreaterThan(0.6 * last.iteration);
    expect(last.reached.kl).toBe(before.reached.kl);
    expect(progressAt(checkpointsOf(events).at(-1)?.plan ?? [], last.iteration - 1)).toBeGreaterThan(0.9);
  });

  test("is repeated to the bit by its plan, at any speed and without a clock", async () => {
    const first = await collect(train(timed({ clock: simulatedClock(0.008, { after: 90 }) })));
    const { plan } = checkpointsOf(first).at(-1) ?? {};
    const again = await collect(train(timed({ seconds: undefined, plan, clock: simulatedClock(1) })));
    expect(bitsOf(again)).toEqual(bitsOf(first));
    expect(without(planOf(again), "seconds")).toEqual(without(planOf(first), "seconds"));
  });

  test("that is stopped continues by its plan to the bit, through a file", async () => {
    const stop = new AbortController();
    const events: TrainEvent[] = [];
    for await (const event of train(timed({ signal: stop.signal }))) {
      events.push(event);
      if (event.kind === "iteration" && event.iteration === 33) stop.abort();
    }
    const saved = checkpointsOf(events).at(-1);
    if (!saved) throw new Error("there is no checkpoint");
    expect(saved.iteration).toBe(33);
    const resume = decodeCheckpoint(encodeCheckpoint(saved), "memory");
    expect(resume.plan).toEqual(saved.plan);
    const rest = await collect(train(timed({ seconds: undefined, resume })));
    const whole = await collect(train(timed({ seconds: undefined, plan: saved.plan })));
    expect(bitsOf(rest).snapshot).toEqual(bitsOf(whole).snapshot);
    expect([...lossesOf(events), ...lossesOf(rest)]).toEqual(lossesOf(whole));
  });

  test("without time for anything makes one iteration and one evaluation, and so does its repetition", async () => {
    const events = await collect(train(timed({ seconds: 0.001 })));
    expect(evaluationsOf(events).map(({ iteration }) => iteration)).toEqual([1]);
    const { plan } = checkpointsOf(events).at(-1) ?? {};
    const again = await collect(train(timed({ seconds: undefined, plan })));
    expect(bitsOf(again)).toEqual(bitsOf(events));
  });
});

describe("a finished run goes on", () => {
  const finished = async () =>
    checkpointsOf(await collect(train(smallRun({ ...everything, iterations: 20 })))).at(-1);

  test.each([
    ["for some seconds", { seconds: 1, clock: simulatedClock(0.01) }],
    ["until it has more iterations", { iterations: 50 }],
  ])("%s, and the whole can be repeated to the bit", async (_, length) => {
    const settings = { ...timed(), seconds: undefined, clock: undefined };
    const resume = await finished();
    const more = await collect(train({ ...settings, ...length, resume }));
    const end = checkpointsOf(more).at(-1);
    expect(end?.iteration).toBeGreaterThan(25);
    expect(end?.plan?.[0]).toMatchObject({ iteration: 0, iterations: 20 });
    const again = await collect(train({ ...settings, plan: end?.plan }));
    expect({ ...checkpointsOf(again).at(-1), seconds: 0 }).toEqual({ ...end, seconds: 0 });
    expect(lossesOf(again).slice(20)).toEqual(lossesOf(more));
    // The first part ended with an evaluation.
    expect(evaluationsOf(again).map(({ iteration }) => iteration)).toContain(20);
  });

  test("with schedules that are stretched, as if the run had had the new length from the start", async () => {
    const events = await collect(
      train({ ...smallRun(everything), iterations: 80, resume: await finished() }),
    );
    const { plan = [] } = checkpointsOf(events).at(-1) ?? {};
    expect(progressAt(plan, 19)).toBe(19 / 20);
    expect(progressAt(plan, 20)).toBe(20 / 80);
    expect(progressAt(plan, 79)).toBe(79 / 80);
  });
});
