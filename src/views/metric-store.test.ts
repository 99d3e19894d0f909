// Tests that metrics are read by offset, notice rewritten files, and need limited memory.

import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { evaluation, iteration, watchedFolder } from "../../test/support/entry-folders.ts";
import { formatEvent } from "../run/event-lines.ts";
import { MetricStore } from "./metric-store.ts";
import { curveOf } from "./x-axis.ts";

const folder = watchedFolder();
const valuesOf = async (store: MetricStore, file: string, metric = "loss") => {
  const series = (await store.read({ file, format: "events" })).series.get(metric);
  return series ? [...series.intervals.mean.subarray(0, series.intervals.length)] : [];
};

test("lines that are appended are read, and an incomplete last line waits", async () => {
  const file = folder.at("a.jsonl");
  const store = new MetricStore();
  expect(await valuesOf(store, file)).toEqual([]); // no file yet
  writeFileSync(file, formatEvent(iteration(10, 1)));
  expect(await valuesOf(store, file)).toEqual([1]);
  const next = formatEvent(iteration(20, 2));
  appendFileSync(file, next.slice(0, 20));
  expect(await valuesOf(store, file)).toEqual([1]);
  appendFileSync(file, next.slice(20));
  expect(await valuesOf(store, file)).toEqual([1, 2]);
});

test("a file that was cut off and written again is read from its start", async () => {
  const file = folder.at("b.jsonl");
  const store = new MetricStore();
  const lines = Array.from({ length: 50 }, (_, i) => formatEvent(iteration(10 * i, i)));
  writeFileSync(file, lines.join(""));
  expect(await valuesOf(store, file)).toHaveLength(50);
  const kept = lines.slice(0, 20).join("");
  truncateSync(file, kept.length);
  expect(await valuesOf(store, file)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  await valuesOf(store, file);
  // Longer than before when the store looks again.
  const again = Array.from({ length: 60 }, (_, i) => formatEvent(iteration(10 * (i + 10), 100 + i)));
  writeFileSync(file, lines.slice(0, 10).join("") + again.join(""));
  expect((await valuesOf(store, file)).slice(8, 12)).toEqual([8, 9, 100, 101]);
});

test("a file that was replaced by one of the same size is read again", async () => {
  const file = folder.at("same-size.jsonl");
  const store = new MetricStore();
  const text = (loss: number) => [iteration(10, loss), iteration(20, 1)].map(formatEvent).join("");
  writeFileSync(file, text(3));
  expect(await valuesOf(store, file)).toEqual([3, 1]);
  rmSync(file);
  expect(await valuesOf(store, file)).toEqual([]);
  writeFileSync(file, text(4));
  expect(await valuesOf(store, file)).toEqual([4, 1]);
});

test("what is computed from the points counts as memory, and goes with them", async () => {
  const file = folder.at("curves.jsonl");
  writeFileSync(file, [...Array(100).keys()].map((i) => formatEvent(iteration(i, i))).join(""));
  const store = new MetricStore();
  const read = () => store.read({ file, format: "events" });
  const data = await read();
  const { bytes } = store;
  const calls = curveOf(data, "loss", "calls", 16);
  await read();
  expect(store.bytes).toBe(bytes + 100 * 8);
  // The same points have the same curve, more points or another batch have another one.
  expect(curveOf(await read(), "loss", "calls", 16)).toBe(calls);
  expect([...curveOf(data, "loss", "calls", 8).x.subarray(0, 3)]).toEqual([0, 8, 16]);
  appendFileSync(file, formatEvent(iteration(100, 100)));
  expect(curveOf(await read(), "loss", "calls", 16)).toMatchObject({ length: 101 });
});

test("numbers that are not finite, lines that are no events and numbers of other versions are left out", async () => {
  const file = folder.at("c.jsonl");
  const broken = '{"kind":"iteration","iteration":"x","loss":1}\nnonsense\n{"kind":"new","iteration":3}\n\n';
  writeFileSync(file, broken + [iteration(1, Number.NaN), iteration(2, 5)].map(formatEvent).join(""));
  expect(await valuesOf(new MetricStore(), file)).toEqual([5]);
});

test("limit and uniform policy come from the evaluations", async () => {
  const file = folder.at("d.jsonl");
  writeFileSync(file, formatEvent(evaluation(0, 1.5, 0.25)));
  const { limits, uniforms, seconds } = await new MetricStore().read({ file, format: "events" });
  expect([limits.get("tv"), uniforms.get("kl"), seconds.last]).toEqual([0.01, 1, 1.5]);
});

test("the store forgets the files that were used least recently, and reads them again", async () => {
  const files = ["e", "f", "g"].map((name) => folder.at(`${name}.jsonl`));
  const lines = Array.from({ length: 200 }, (_, i) => formatEvent(iteration(i, i))).join("");
  for (const file of files) writeFileSync(file, lines);
  const one = new MetricStore();
  await valuesOf(one, files[0]);
  const store = new MetricStore({ largestBytes: 2 * one.bytes });
  for (const file of files) await valuesOf(store, file);
  expect(store.bytes).toBe(2 * one.bytes);
  expect(await valuesOf(store, files[0])).toHaveLength(200);
});

test("a large file is read in limited memory, and every point counts", async () => {
  const file = folder.at("large.jsonl");
  const points = 60_000;
  for (let from = 0; from < points; from += 20_000) {
    const part = Array.from({ length: 20_000 }, (_, i) =>
      formatEvent(iteration(from + i + 1, (from + i) % 7)),
    );
    appendFileSync(file, part.join(""));
  }
  const store = new MetricStore({ exactPoints: 1024 });
  const { series } = await store.read({ file, format: "events" });
  const loss = series.get("loss")!;
  const { length, mean, weight } = loss.intervals;
  expect(loss.points).toBe(points);
  expect(store.bytes).toBeLessThan(2 ** 18);
  const sum = Array.from({ length }, (_, i) => mean[i] * weight![i]).reduce((a, b) => a + b);
  const exact = Array.from({ length: points }, (_, i) => i % 7).reduce((a, b) => a + b);
  expect(sum).toBeCloseTo(exact, 4);
});
