// Tests reading events from the end of a file.

import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../test/support/run-folders.ts";
import { eventsFromEnd, formatEvent, iterationOf, parseEvent } from "./event-lines.ts";

const { base } = runFolders();

async function fromEnd(text: string, most = 2 ** 20) {
  const path = join(base, "events.jsonl");
  writeFileSync(path, text);
  const file = await open(path);
  const found: (number | undefined)[] = [];
  for await (const event of eventsFromEnd(file, most)) found.push(iterationOf(event));
  await file.close();
  return found;
}

const line = (iteration: number, more = "") => formatEvent({ kind: "iteration", iteration, more });
const count = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);

test("all events come from the last to the first, however long the lines are", async () => {
  for (const length of [0, 1, 100, 16_384, 40_000]) {
    const text = Array.from({ length: 30 }, (_, i) => line(i + 1, "é".repeat(length))).join("");
    expect(await fromEnd(text, 2 ** 24)).toEqual(count(30, 1));
  }
});

test("an incomplete last line and lines that are no events are left out", async () => {
  const text = `${line(1)}nonsense\n${line(2)}\n${line(3)}`;
  expect(await fromEnd(text)).toEqual([3, 2, 1]);
  expect(await fromEnd(text + line(4).slice(0, -1))).toEqual([3, 2, 1]);
  expect(await fromEnd(text + line(4, "x".repeat(20_000)).slice(0, -1))).toEqual([3, 2, 1]);
  expect(await fromEnd(line(1).slice(0, -1))).toEqual([]);
  expect(await fromEnd("")).toEqual([]);
});

test("only lines that lie completely in the last bytes are read", async () => {
  const text = count(9, 1)
    .reverse()
    .map((i) => line(i))
    .join("");
  const { length } = line(1);
  expect(await fromEnd(text, 3 * length + 5)).toEqual([9, 8, 7]);
});

test("numbers that JSON does not have come back", () => {
  const event = { kind: "iteration", iteration: 1, loss: Number.NaN, gradientNorm: Number.POSITIVE_INFINITY };
  expect(parseEvent(formatEvent(event))).toEqual(event);
});
