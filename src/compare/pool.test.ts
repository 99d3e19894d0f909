// Cells in processes: all are run, not too many at once; what fails is named and harms no other; a stop ends them.

import { expect, test } from "vitest";
import type { Cell } from "./grid.ts";
import { type PoolEvent, runPool } from "./pool.ts";

const worker = new URL("../../test/support/fake-cell.mjs", import.meta.url);

/** Methods say here what a process is to do. */
function cells(...does: string[]): Cell[] {
  return does.map((method, seed) => ({ method, stick: 0, seed }));
}

async function eventsOf(
  all: readonly Cell[],
  jobs: number,
  signal = new AbortController().signal,
  onEvent: (event: PoolEvent) => void = () => {},
): Promise<PoolEvent[]> {
  const events: PoolEvent[] = [];
  const orderFor = ({ method }: Cell) => ({ does: method, share: 0.5 });
  await runPool({ cells: all, jobs, worker, orderFor, signal }, (event) => {
    events.push(event);
    onEvent(event);
  });
  return events;
}

test("every cell is run once, in a process of its own, with what it said in order", async () => {
  const all = cells("finish", "finish", "finish");
  const events = await eventsOf(all, 2);
  for (const cell of all) {
    const own = events.filter((event) => event.cell === cell);
    expect(own.map(({ kind }) => kind)).toEqual(["begun", "progress", "record", "finished"]);
    expect(own[1]).toMatchObject({ share: 0.5 });
    expect(own[3]).toMatchObject({ records: [{ kl: Number.POSITIVE_INFINITY }] });
  }
  const processes = events.flatMap((event) => (event.kind === "record" ? [event.record.calls] : []));
  expect(new Set(processes).size).toBe(3);
});

test("no more run at once than there are jobs", async () => {
  let [running, most] = [0, 0];
  await eventsOf(cells("finish", "fail", "finish"), 1, undefined, ({ kind }) => {
    if (kind === "begun") running++;
    most = Math.max(most, running);
    if (kind === "finished" || kind === "failed") running--;
  });
  expect([running, most]).toEqual([0, 1]);
});

test("what fails or crashes says why, and the others go on", async () => {
  const events = await eventsOf(cells("fail", "crash", "finish"), 1);
  const ends = events.filter(({ kind }) => kind === "failed" || kind === "finished");
  expect(ends.map(({ cell, kind }) => [cell.method, kind])).toEqual([
    ["fail", "failed"],
    ["crash", "failed"],
    ["finish", "finished"],
  ]);
  expect(ends[0]).toMatchObject({ message: "the loss is NaN" });
  expect(ends[1]).toMatchObject({ message: "its process ended with exit code 3: out of luck" });
});

test("a stop ends those that run, and begins no more", async () => {
  const stop = new AbortController();
  const events = await eventsOf(cells("finish", "hang", "finish"), 1, stop.signal, ({ kind, cell }) => {
    if (kind === "begun" && cell.method === "hang") setTimeout(() => stop.abort(), 100);
  });
  expect(events.map(({ kind, cell }) => `${cell.method} ${kind}`)).toEqual([
    "finish begun",
    "finish progress",
    "finish record",
    "finish finished",
    "hang begun",
  ]);
});

test("if what happens cannot be handled, that is the error", async () => {
  const full = () => {
    throw new Error("the disk is full");
  };
  await expect(eventsOf(cells("finish", "finish"), 2, undefined, full)).rejects.toThrow("the disk is full");
});
