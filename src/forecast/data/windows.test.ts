import { expect, test } from "vitest";
import { panelOf } from "./panel.ts";
import { tableOf } from "./table.ts";
import { windowsOf } from "./windows.ts";

const ids = [..."aaaaaaaaaabbbbccccc"];
const times = ids.map((id, i) => (i - ids.indexOf(id)) * 1000);
const { panel } = panelOf(tableOf({ ids, times, targets: { y: times } }));
const starts = (series: number, stride?: number) =>
  windowsOf(panel, { context: 3, horizon: 2, stride })
    .filter((window) => window.series === series)
    .map(({ start }) => start);

test("overlapping windows go through each series step by step, and a short series has none", () => {
  expect(starts(0)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(starts(1)).toEqual([]);
  expect(starts(2)).toEqual([0]);
});

test("the last window ends with its series, whatever the stride", () => {
  expect(starts(0, 2)).toEqual([1, 3, 5]);
  expect(starts(0, 5)).toEqual([0, 5]);
  expect(starts(0, 100)).toEqual([5]);
});

test("sizes that are none are said", () => {
  expect(() => windowsOf(panel, { context: 0, horizon: 2 })).toThrow(
    "windowsOf: context must be a whole number of steps, at least 1, got 0",
  );
  expect(() => windowsOf(panel, { context: 1, horizon: 2, stride: 0.5 })).toThrow(
    /stride must be .* got 0\.5$/,
  );
});
