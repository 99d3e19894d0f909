// Tests of the worker pool: all experiments run, not too many at once; a failure is reported and affects no other
// experiment; aborting ends all experiments.

import { expect, test } from "vitest";
import type { Experiment } from "./experiment-grid.ts";
import { type PoolEvent, runWorkerPool } from "./worker-pool.ts";

const worker = new URL("../../test/support/fake-experiment-worker.mjs", import.meta.url);

/** One experiment per behaviour of a child process; the field `method` holds the name of the behaviour. */
function experiments(...behaviours: string[]): Experiment[] {
  return behaviours.map((method, seed) => ({ method, stick: 0, seed }));
}

async function eventsOf(
  all: readonly Experiment[],
  jobs: number,
  signal = new AbortController().signal,
  onEvent: (event: PoolEvent) => void = () => {},
): Promise<PoolEvent[]> {
  const events: PoolEvent[] = [];
  const orderFor = ({ method }: Experiment) => ({ behaviour: method, progress: 0.5 });
  await runWorkerPool({ experiments: all, jobs, worker, requestFor: orderFor, signal }, (event) => {
    events.push(event);
    onEvent(event);
  });
  return events;
}

test("every experiment runs once, in its own process, with its events in order", async () => {
  const all = experiments("finish", "finish", "finish");
  const events = await eventsOf(all, 2);
  for (const experiment of all) {
    const its = events.filter((event) => event.experiment === experiment);
    expect(its.map(({ kind }) => kind)).toEqual(["started", "progress", "record", "finished"]);
    expect(its[1]).toMatchObject({ progress: 0.5 });
    expect(its[3]).toMatchObject({ records: [{ kl: Number.POSITIVE_INFINITY }] });
  }
  const processes = events.flatMap((event) => (event.kind === "record" ? [event.record.calls] : []));
  expect(new Set(processes).size).toBe(3);
});

test("at most `jobs` processes run at once", async () => {
  let [running, most] = [0, 0];
  await eventsOf(experiments("finish", "fail", "finish"), 1, undefined, ({ kind }) => {
    if (kind === "started") running++;
    most = Math.max(most, running);
    if (kind === "finished" || kind === "failed") running--;
  });
  expect([running, most]).toEqual([0, 1]);
});

test("a failure or crash is reported with its reason, and the others continue", async () => {
  const events = await eventsOf(experiments("fail", "crash", "finish"), 1);
  const ends = events.filter(({ kind }) => kind === "failed" || kind === "finished");
  expect(ends.map(({ experiment, kind }) => [experiment.method, kind])).toEqual([
    ["fail", "failed"],
    ["crash", "failed"],
    ["finish", "finished"],
  ]);
  expect(ends[0]).toMatchObject({ message: "the loss is NaN" });
  expect(ends[1]).toMatchObject({ message: "its process ended with exit code 3: out of luck" });
});

test("aborting ends the running experiments and starts no more", async () => {
  const stop = new AbortController();
  const events = await eventsOf(
    experiments("finish", "hang", "finish"),
    1,
    stop.signal,
    ({ kind, experiment }) => {
      if (kind === "started" && experiment.method === "hang") setTimeout(() => stop.abort(), 100);
    },
  );
  expect(events.map(({ kind, experiment }) => `${experiment.method} ${kind}`)).toEqual([
    "finish started",
    "finish progress",
    "finish record",
    "finish finished",
    "hang started",
  ]);
});

test("an error of the event handler is thrown", async () => {
  const full = () => {
    throw new Error("the disk is full");
  };
  await expect(eventsOf(experiments("finish", "finish"), 2, undefined, full)).rejects.toThrow(
    "the disk is full",
  );
});
