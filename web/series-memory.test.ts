import { expect, test } from "vitest";
import type { SeriesAnswer, SeriesRequest } from "../src/views/page-data.ts";
import { SeriesMemory } from "./series-memory.ts";

const answer = (length: number): SeriesAnswer => {
  const x = Array.from({ length }, (_, i) => i);
  const series = { entry: "a", x, low: x, high: x, mean: x, points: length, limit: null, uniform: null };
  return { metric: "tv", x: "iteration", series: [series], groups: [] };
};
const request = (change: Partial<SeriesRequest> = {}): SeriesRequest => ({
  ...{ entries: ["a"], metric: "tv", x: "iteration", columns: 100 },
  ...change,
});
const kept = (key: string, change: Partial<SeriesRequest> = {}, revision = "1") => ({
  ...{ key, request: request(change), revision, answer: answer(3) },
});

test("an answer is found by its key", () => {
  const memory = new SeriesMemory();
  const one = kept("one");
  memory.add(one);
  expect(memory.find("one")).toBe(one.answer);
  expect(memory.find("two")).toBeNull();
});

test("a range is shown from the smallest one around it", () => {
  const memory = new SeriesMemory();
  memory.add(kept("part", { from: 10, to: 50 }));
  memory.add(kept("whole"));
  memory.add(kept("other part", { from: 20, to: 30 }));
  const around = (from?: number, to?: number) => memory.around(request({ from, to }), "1")?.key;
  expect(around(12, 40)).toBe("part");
  expect(around(22, 28)).toBe("other part");
  expect(around(5, 40)).toBe("whole");
  expect(around()).toBe("whole");
});

test("curves of other entries, metrics, axes and revisions are not shown", () => {
  const memory = new SeriesMemory();
  memory.add(kept("whole"));
  for (const change of [
    { entries: ["b"] },
    { entries: ["a", "b"] },
    { metric: "kl" },
    { x: "calls" as const },
  ])
    expect(memory.around(request(change), "1")).toBeNull();
  expect(memory.around(request(), "2")).toBeNull();
});

test("a part is no answer for a wider range", () => {
  const memory = new SeriesMemory();
  memory.add(kept("part", { from: 10, to: 50 }));
  expect(memory.around(request(), "1")).toBeNull();
  expect(memory.around(request({ from: 10, to: 51 }), "1")).toBeNull();
});

test("old answers are forgotten when there are many numbers, the newest never", () => {
  const memory = new SeriesMemory();
  const large = (key: string) => ({ ...kept(key), answer: answer(2 ** 18) });
  memory.add(large("a"));
  memory.add(large("b"));
  memory.add(large("c"));
  expect(["a", "b", "c"].map((key) => memory.find(key) !== null)).toEqual([false, true, true]);
  memory.add({ ...kept("huge"), answer: answer(2 ** 19) });
  expect(["c", "huge"].map((key) => memory.find(key) !== null)).toEqual([false, true]);
});
