// Tests of the executor in processes: all units run, not too many at once; a failure, a crash or an exceeded limit is reported
// and affects no other unit; aborting ends all units.

import { expect, test } from "vitest";
import { processExecutor } from "./process-executor.ts";
import type { UnitEvent } from "./unit.ts";

const module = new URL("../../test/support/fake-unit-worker.mjs", import.meta.url);

/** One unit per behaviour of the child process, which the kind names. */
async function eventsOf(
  behaviours: readonly string[],
  jobs: number,
  signal = new AbortController().signal,
  onEvent: (event: UnitEvent) => void = () => {},
  limits: { readonly memory?: number; readonly seconds?: number } = {},
): Promise<UnitEvent[]> {
  const events: UnitEvent[] = [];
  const executor = processExecutor({ module, jobs, version: "1.0.0", ...limits });
  try {
    const units = behaviours.map((kind) => ({ kind, settings: {} }));
    const handle = (event: UnitEvent) => {
      events.push(event);
      onEvent(event);
    };
    await executor.run(units, handle, signal);
  } finally {
    await executor.close();
  }
  return events;
}

test("every unit runs once, with its events in order, in processes that are kept", async () => {
  const events = await eventsOf(["finish", "finish", "finish"], 2);
  for (const index of [0, 1, 2]) {
    const its = events.filter((event) => event.index === index);
    expect(its.map(({ kind }) => kind)).toEqual(["started", "progress", "record", "finished"]);
    expect(its[1]).toMatchObject({ progress: 0.5 });
    expect(its[3]).toMatchObject({ records: [{ kl: Number.POSITIVE_INFINITY }] });
  }
  const processes = events.flatMap((event) =>
    event.kind === "record" ? [(event.record as { readonly process: number }).process] : [],
  );
  expect(new Set(processes).size).toBe(2);
});

test("at most `jobs` units run at once", async () => {
  let [running, most] = [0, 0];
  await eventsOf(["finish", "fail", "finish"], 1, undefined, ({ kind }) => {
    if (kind === "started") running++;
    most = Math.max(most, running);
    if (kind === "finished" || kind === "failed") running--;
  });
  expect([running, most]).toEqual([0, 1]);
});

test("a failure or crash is reported with its reason, and the others continue", async () => {
  const events = await eventsOf(["fail", "crash", "finish"], 1);
  const ends = events.filter(({ kind }) => kind === "failed" || kind === "finished");
  expect(ends).toMatchObject([
    { index: 0, kind: "failed", message: "the loss is NaN" },
    { index: 1, kind: "failed", message: "its process ended with exit code 3: out of luck" },
    { index: 2, kind: "finished" },
  ]);
});

test("aborting ends the running units and starts no more", async () => {
  const stop = new AbortController();
  const events = await eventsOf(["finish", "hang", "finish"], 1, stop.signal, ({ kind, index }) => {
    if (kind === "started" && index === 1) setTimeout(() => stop.abort(), 100);
  });
  expect(events.map(({ kind, index }) => `${index} ${kind}`)).toEqual([
    ...["0 started", "0 progress", "0 record", "0 finished", "1 started"],
  ]);
});

test("an error of the event handler is thrown", async () => {
  const full = () => {
    throw new Error("the disk is full");
  };
  await expect(eventsOf(["finish", "finish"], 2, undefined, full)).rejects.toThrow("the disk is full");
});

test("a process that crashed is replaced, and one whose unit failed is kept", async () => {
  const events = await eventsOf(["finish", "fail", "finish", "crash", "finish"], 1);
  const [first, second, third] = events.flatMap((event) =>
    event.kind === "record" ? [(event.record as { readonly process: number }).process] : [],
  );
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test("a crash is told by the error that the process printed, not by what earlier units printed", async () => {
  const events = await eventsOf(["crash-by-error", "complain", "crash-silently"], 1);
  const messages = events.flatMap((event) => (event.kind === "failed" ? [event.message] : []));
  expect(messages).toEqual([
    "its process ended with exit code 1: RangeError: the wheel came off",
    "its process ended with exit code 4",
  ]);
});

test("a unit that takes too long is ended, and the next one runs", async () => {
  const events = await eventsOf(["hang", "finish"], 1, undefined, undefined, { seconds: 3 });
  const ends = events.filter(({ kind }) => kind === "failed" || kind === "finished");
  expect(ends).toMatchObject([
    { index: 0, kind: "failed", message: "it took longer than 3 s, the limit of a unit" },
    { index: 1, kind: "finished" },
  ]);
});

test.runIf(process.platform === "linux")("a unit that takes too much memory is ended", async () => {
  const events = await eventsOf(["eat", "finish"], 1, undefined, undefined, { memory: 2 ** 28 });
  const ends = events.filter(({ kind }) => kind === "failed" || kind === "finished");
  expect(ends).toMatchObject([
    {
      index: 0,
      kind: "failed",
      message: expect.stringMatching(/^it used \d+ MiB of memory, more than the limit of 256 MiB$/),
    },
    { index: 1, kind: "finished" },
  ]);
});
