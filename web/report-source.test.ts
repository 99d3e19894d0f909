import { expect, test } from "vitest";
import type { Entry, ReportData } from "../src/views/page-data.ts";
import type { FlowView, GridView } from "../src/views/view-data.ts";
import { reportSource } from "./report-source.ts";

const entry = (id: string, seed: number): Entry => ({
  ...{ id, kind: "run", name: id, parent: null, task: "hypergrid", state: "finished", problem: null },
  ...{ group: "g", groupLabel: "all", seed, modified: 0, iteration: 2, iterations: 2, seconds: 1 },
  ...{ last: { tv: 0.1 }, exact: true },
});

const leaf = { state: "", isObject: true, learned: 0.5, target: 0.5, limit: null };
const FLOW: FlowView = {
  ...{ view: "flow", exact: true, notes: [], path: [], labels: [], state: "start", learned: 1, target: 1 },
  limit: null,
  children: [
    { ...leaf, outcome: 0, label: "A" },
    {
      ...{ ...leaf, outcome: 2, label: "C", state: "C", isObject: false, learned: 0.3 },
      children: [{ ...leaf, outcome: 1, label: "G", learned: 0.2 }],
    },
  ],
};
const GRID: GridView = {
  ...{
    view: "grid",
    exact: true,
    notes: [],
    dimensions: 3,
    side: 1,
    axes: [0, 1],
    fixed: [null, null, null],
  },
  ...{ target: [1], learned: [1], limit: null },
};

const REPORT: ReportData = {
  title: "two runs",
  ...{ compared: ["a", "b"], pages: [], notes: [] },
  list: {
    folder: "runs",
    entries: [entry("a", 1), entry("b", 2)],
    metrics: [],
    allowsTraining: false,
    version: "0",
  },
  details: ["a", "b"].map((id, i) => ({
    entry: entry(id, i + 1),
    ...{ settings: [], description: [], metrics: ["tv"], views: ["flow", "grid"], results: [] },
  })),
  series: [
    {
      metric: "tv",
      x: "iteration",
      series: ["a", "b"].map((id) => ({
        ...{ entry: id, x: [1, 2, 3], low: [3, 2, 1], high: [3, 2, 1], mean: [3, 2, 1], points: 3 },
        ...{ limit: 0, uniform: 1 },
      })),
      groups: [
        {
          ...{ group: "g", label: "all", entries: ["a", "b"], x: [1, 2, 3], mean: [3, 2, 1] },
          ...{ deviation: [0, 0, 0], count: [2, 2, 2], limit: 0, uniform: 1 },
        },
      ],
    },
  ],
  table: {
    rows: [
      { entry: null, group: "g", label: "all", count: 2, cells: {} },
      { entry: "a", group: "g", label: "a", count: 1, cells: {} },
      { entry: "b", group: "g", label: "b", count: 1, cells: {} },
    ],
    differences: [{ setting: "seed", values: ["1", "2"] }],
  },
  views: [
    { entry: "a", data: FLOW },
    { entry: "a", data: GRID },
  ],
};
const source = reportSource(REPORT);

test("a zoom keeps the columns inside it, and groups only if all of their entries are asked for", async () => {
  const request = { metric: "tv", x: "iteration", columns: 100 } as const;
  const both = await source.series({ ...request, entries: ["a", "b"], from: 2, to: 3 });
  expect(both.series.map(({ x, mean }) => [x, mean])).toEqual([
    [
      [2, 3],
      [2, 1],
    ],
    [
      [2, 3],
      [2, 1],
    ],
  ]);
  expect(both.groups[0]).toMatchObject({ x: [2, 3], mean: [2, 1], count: [2, 2] });
  const one = await source.series({ ...request, entries: ["b"] });
  expect(one.series).toHaveLength(1);
  expect(one.groups).toEqual([]);
  expect((await source.series({ ...request, entries: ["a"], metric: "kl" })).series).toEqual([]);
});

test("the table has the values of the entries asked for, in their order", async () => {
  const table = await source.table({ entries: ["b"], metrics: ["tv"], x: "iteration" });
  expect(table.rows.map(({ label }) => label)).toEqual(["all", "b"]);
  expect(table.differences).toEqual([{ setting: "seed", values: ["2"] }]);
});

test("a stored tree can be descended as far as it goes", async () => {
  const node = (await source.view("a", "flow", { path: [2] })) as FlowView;
  expect(node).toMatchObject({ path: [2], labels: ["C"], state: "C", learned: 0.3 });
  expect(node.children.map(({ label }) => label)).toEqual(["G"]);
  expect(source.hasView("a", "flow", { path: [2, 1] })).toBe(false);
  expect(source.hasView("a", "flow", { path: [7] })).toBe(false);
});

test("what a report does not hold is said in a sentence", async () => {
  expect(source.hasView("a", "grid", { axes: [0, 1] })).toBe(true);
  expect(source.hasView("a", "grid", { axes: [0, 2] })).toBe(false);
  await expect(source.view("b", "grid")).rejects.toThrow("This report does not hold this part");
  await expect(source.detail("c")).rejects.toThrow("This report does not hold c.");
});
