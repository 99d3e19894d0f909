import { describe, expect, test } from "vitest";
import type { Entry, EntryList } from "../../src/views/page-data.ts";
import { DEFAULT_STATE } from "../url-state.ts";
import { filtered, groupRows, mainMetrics, sorted } from "./entry-list.ts";

const entry = (id: string, change: Partial<Entry> = {}): Entry => ({
  ...{ id, kind: "run", name: id, parent: null, task: "hypergrid", state: "finished", problem: null },
  ...{ group: "g", groupLabel: "stick=0.1", seed: 1, modified: 0, iteration: 10, iterations: 10, seconds: 1 },
  ...{ last: {}, exact: true },
  ...change,
});
const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id).join(" ");

describe("the filter", () => {
  const entries = [
    entry("runs/A", { task: "tfbind8", seed: 12 }),
    entry("runs/b", { kind: "design", state: "broken" }),
    entry("c", { state: "running" }),
  ];
  const { filter } = DEFAULT_STATE;

  test("finds all words of the text, in any case, in name, path, task and settings", () => {
    expect(ids(filtered(entries, { ...filter, text: " RUNS  tfbind " }))).toBe("runs/A");
    expect(ids(filtered(entries, { ...filter, text: "stick=0.1 seed=12" }))).toBe("runs/A");
    expect(filtered(entries, { ...filter, text: "runs absent" })).toEqual([]);
    expect(filtered(entries, filter)).toHaveLength(3);
  });

  test("shows experiments only if they are asked for", () => {
    const all = [entry("c", { kind: "comparison" }), entry("c#1", { kind: "experiment", parent: "c" })];
    expect(ids(filtered(all, filter))).toBe("c");
    expect(ids(filtered(all, { ...filter, kind: "experiment" }))).toBe("c#1");
    expect(ids(filtered(all, { ...filter, kind: "all" }))).toBe("c c#1");
  });

  test("chooses kind, state and task", () => {
    expect(ids(filtered(entries, { ...filter, kind: "design" }))).toBe("runs/b");
    expect(ids(filtered(entries, { ...filter, state: "running" }))).toBe("c");
    expect(ids(filtered(entries, { ...filter, task: "hypergrid", kind: "run" }))).toBe("c");
  });
});

describe("sorting", () => {
  const entries = [
    entry("run-10", { last: { tv: 0.3 }, modified: 5 }),
    entry("run-9", { last: {}, modified: 7 }),
    entry("run-2", { last: { tv: 0.1 }, modified: 7 }),
  ];

  test("counts numbers in names, and breaks ties by name", () => {
    expect(ids(sorted(entries, { column: "name", isDescending: false }))).toBe("run-2 run-9 run-10");
    expect(ids(sorted(entries, { column: "modified", isDescending: true }))).toBe("run-2 run-9 run-10");
  });

  test("puts entries without a value at the end in both directions", () => {
    expect(ids(sorted(entries, { column: "last:tv", isDescending: false }))).toBe("run-2 run-10 run-9");
    expect(ids(sorted(entries, { column: "last:tv", isDescending: true }))).toBe("run-10 run-2 run-9");
    expect(ids(sorted(entries, { column: "nothing", isDescending: true }))).toBe("run-2 run-9 run-10");
  });
});

test("a group has all of its entries, also those that the filter hides", () => {
  const all = [
    entry("a", { last: { tv: 1, kl: 4 } }),
    entry("b", { last: { tv: 3 } }),
    entry("c", { group: "h", last: { tv: 9 } }),
  ];
  const [row, ...others] = groupRows(all, [all[0]]);
  expect(others).toEqual([]);
  expect(ids(row.entries)).toBe("a b");
  expect(row.last).toEqual({ tv: { mean: 2, deviation: Math.SQRT2 }, kl: { mean: 4, deviation: null } });
  expect(groupRows(all, [all[2], all[0]]).map(({ label }) => label)).toEqual(["c", "stick=0.1"]);
});

test("columns are the metrics that entries have, judged ones first", () => {
  const metric = (name: string, better: "low" | null) =>
    ({ name, label: name, source: "exact", scale: "linear", better }) as const;
  const metrics = [metric("loss", null), metric("kl", "low"), metric("absent", "low"), metric("tv", "low")];
  const list = { metrics } as unknown as EntryList;
  const entries = [entry("a", { last: { loss: 1, tv: 1 } }), entry("b", { last: { kl: 1 } })];
  expect(mainMetrics(list, entries).map(({ name }) => name)).toEqual(["kl", "tv", "loss"]);
});

test("columns are rather metrics of entries that would have none than more metrics of the same entries", () => {
  const metrics = ["tv", "kl", "pearson", "score"].map((name) => ({
    ...{ name, label: name, source: "exact", scale: "linear", better: "low" },
  }));
  const list = { metrics } as unknown as EntryList;
  const entries = [
    ...["a", "b"].map((id) => entry(id, { last: { tv: 1, kl: 1, pearson: 1 } })),
    entry("c", { last: { score: 1 } }),
  ];
  expect(mainMetrics(list, entries).map(({ name }) => name)).toEqual(["tv", "kl", "score"]);
});
