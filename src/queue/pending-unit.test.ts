// Tests of a unit that callers wait for: everyone hears everything in order, also those who come late.

import { expect, test } from "vitest";
import type { UnitHandler } from "../executor/unit.ts";
import { PendingUnit } from "./pending-unit.ts";

const provenance = { version: "1.0.0", engine: null, threads: 1, instructions: "x64" };
const outcome = { records: [1, 2], provenance };

function caller(indices: readonly number[], handle?: UnitHandler) {
  const heard: string[] = [];
  const waiter = {
    indices,
    handle: handle ?? ((event) => void heard.push(`${event.index} ${event.kind}`)),
    end: (error?: unknown) =>
      void heard.push(error === undefined ? "end" : `end: ${(error as Error).message}`),
  };
  return { heard, waiter };
}

test("all who wait hear the events in order, once for each place of the unit", async () => {
  const unit = new PendingUnit("id", "text");
  const [one, two] = [caller([0, 3]), caller([1])];
  unit.add(one.waiter);
  unit.progress(0.5);
  unit.add(two.waiter);
  await unit.finish(outcome);
  await unit.finish({ failure: "too late" });
  const kinds = ["started", "progress", "record", "record", "finished"];
  expect(one.heard).toEqual([...kinds.flatMap((kind) => [`0 ${kind}`, `3 ${kind}`]), "end"]);
  expect(two.heard).toEqual(["1 started", "1 record", "1 record", "1 finished", "end"]);
});

test("a caller who comes while the others are told the end hears it, too", async () => {
  const unit = new PendingUnit("id", "text");
  const late = caller([7]);
  const slow = caller([0], async ({ kind }) => {
    if (kind === "finished") unit.add(late.waiter);
  });
  unit.add(slow.waiter);
  await unit.finish(outcome);
  expect(late.heard).toEqual(["7 started", "7 record", "7 record", "7 finished", "end"]);
});

test("an error of one caller ends its waiting only", async () => {
  const unit = new PendingUnit("id", "text");
  const full = caller([0], () => {
    throw new Error("the disk is full");
  });
  const other = caller([1]);
  unit.add(full.waiter);
  unit.add(other.waiter);
  await unit.finish({ failure: "it broke" });
  expect(full.heard).toEqual(["end: the disk is full"]);
  expect(other.heard).toEqual(["1 started", "1 failed", "end"]);
});

test("a unit is abandoned when the last caller is gone", () => {
  const unit = new PendingUnit("id", "text");
  const { waiter } = caller([0]);
  unit.add(waiter);
  expect(unit.isAbandoned).toBe(false);
  unit.abandon(waiter);
  expect(unit.isAbandoned).toBe(true);
});
