import { expect, test } from "vitest";
import type { SeriesAnswer } from "../src/views/page-data.ts";
import { partOf } from "./series-part.ts";

const X = [0, 10, 20, 30];
const series = (entry: string) => ({
  ...{ entry, x: X, low: [1, 2, 3, 4], high: [5, 6, 7, 8], mean: [2, 3, 4, 5] },
  ...{ points: 400, limit: 0.5, uniform: null },
});
const group = (entries: string[]) => ({
  ...{ group: entries.join(), label: "", entries, x: X, mean: [2, 3, 4, 5], deviation: [9, 8, 7, 6] },
  ...{ count: [2, 2, 2, 1], limit: 0.5, uniform: null },
});
const ANSWER: SeriesAnswer = {
  ...{ metric: "tv", x: "iteration", series: ["a", "b", "c"].map(series) },
  groups: [group(["a", "b"]), group(["c"])],
};

test("a part has the columns inside its range, both ends included", () => {
  const { series: parts, groups } = partOf(ANSWER, { entries: ["a", "b", "c"], from: 10, to: 20 });
  expect(parts).toHaveLength(3);
  expect(parts[1]).toEqual({ ...series("b"), x: [10, 20], low: [2, 3], high: [6, 7], mean: [3, 4] });
  expect(groups[0]).toEqual({
    ...{ ...group(["a", "b"]), x: [10, 20], mean: [3, 4], deviation: [8, 7], count: [2, 2] },
  });
});

test("a range between two columns, or outside of all, has none", () => {
  for (const [from, to] of [
    [11, 19],
    [31, 99],
  ])
    expect(partOf(ANSWER, { entries: ["a"], from, to }).series[0]).toMatchObject({ x: [], mean: [] });
});

test("without a range everything stays; groups with other entries are left out", () => {
  const part = partOf(ANSWER, { entries: ["a", "c"] });
  expect(part.series).toEqual([series("a"), series("c")]);
  expect(part.groups).toEqual([group(["c"])]);
});
