import { expect, test } from "vitest";
import type { Entry, SeriesAnswer } from "../../src/views/page-data.ts";
import { coloursOf, groupKey, type LineOptions, linesOf, referencesOf } from "./comparison-lines.ts";

const entry = (id: string, group: string) => ({ id, group }) as Entry;
const ENTRIES = [entry("a1", "a"), entry("a2", "a"), entry("b1", "b")];
const run = (id: string, value: number, limit: number | null) => ({
  ...{ entry: id, x: [0, 1, 2], low: [value, value, value], high: [value, value, value] },
  ...{ mean: [value, value + 3, value], points: 3, limit, uniform: 0.9 },
});
const group = (name: string, entries: string[], limit: number | null) => ({
  ...{ group: name, label: `group ${name}`, entries, x: [0, 1, 2], mean: [1.5, 4.5, 1.5] },
  ...{ deviation: [0.5, 0.5, 0.5], count: [2, 2, 2], limit, uniform: 0.9 },
});
const ANSWER: SeriesAnswer = {
  metric: "tv",
  x: "iteration",
  series: [run("a1", 1, 0.1), run("a2", 2, 0.1), run("b1", 5, 0.2)],
  groups: [group("a", ["a1", "a2"], 0.1), group("b", ["b1"], 0.2)],
};
const options = (change: Partial<LineOptions> = {}): LineOptions => ({
  ...{ isGrouped: true, hidden: [], smoothing: 0, labels: new Map() },
  ...{ colours: coloursOf(ENTRIES, true) },
  ...change,
});

test("a group of several runs has a mean with its band above the lines of the runs", () => {
  const lines = linesOf(ANSWER, options());
  expect(lines.map(({ id }) => id)).toEqual(["a1", "a2", "b1", groupKey("a")]);
  const mean = lines[3];
  expect(mean).toMatchObject({ y: [1.5, 4.5, 1.5], low: [1, 4, 1], high: [2, 5, 2] });
  expect(mean.width).toBeGreaterThan(lines[0].width);
  expect(lines[0].colour).toBe(mean.colour);
  expect(lines[2].colour).not.toBe(mean.colour);
});

test("hiding runs takes their lines away and leaves the mean as it was", () => {
  const shown = linesOf(ANSWER, options());
  const some = linesOf(ANSWER, options({ hidden: ["a1", "b1"] }));
  expect(some.map(({ id }) => id)).toEqual(["a2", groupKey("a")]);
  expect(some[1]).toEqual(shown[3]);
  expect(some[0]).toEqual(shown[1]);
  expect(linesOf(ANSWER, options({ hidden: [groupKey("a")] })).map(({ id }) => id)).toEqual([
    "a1",
    "a2",
    "b1",
  ]);
});

test("without groups every run has a colour of its own", () => {
  const lines = linesOf(ANSWER, options({ isGrouped: false, colours: coloursOf(ENTRIES, false) }));
  expect(new Set(lines.map(({ colour }) => colour)).size).toBe(3);
  expect(lines.every(({ low }) => low !== undefined)).toBe(true);
});

test("smoothing changes the drawn line only", () => {
  const [line] = linesOf(ANSWER, options({ smoothing: 5 }));
  expect(line.y).toEqual([1, 2, 1]);
  expect(ANSWER.series[0].mean).toEqual([1, 4, 1]);
});

test("equal limits are drawn once; different ones name their group", () => {
  expect(referencesOf(ANSWER)).toEqual([
    { label: "limit, group a:", value: 0.1 },
    { label: "limit, group b:", value: 0.2 },
    { label: "uniform", value: 0.9 },
  ]);
  const close = { ...ANSWER, groups: [group("a", ["a1"], 0.1), group("b", ["b1"], 0.10001)] };
  expect(referencesOf(close)[0]).toEqual({ label: "limit", value: 0.1 });
  expect(referencesOf({ ...ANSWER, groups: [ANSWER.groups[0]] })[0]).toEqual({ label: "limit", value: 0.1 });
});
