// Tables of a comparison, against means and deviations worked out by hand.

import { describe, expect, test } from "vitest";
import { plainTable } from "../report/tables.ts";
import type { FinishedCell } from "./folder.ts";
import type { CellRecord } from "./record.ts";
import {
  outcomesOf,
  summaryCsv,
  summaryMarkdown,
  summaryNotes,
  summaryRows,
  summaryTables,
} from "./summary.ts";

const RECORD: CellRecord = {
  ...{ calls: 100, seconds: 2, iteration: 10, tv: 0.5, kl: 1, expectedReward: 0.2 },
  ...{ sampledTv: null, sampledFloor: null, limitTv: 0.1, limitKl: 0.2, uniformTv: 0.6, uniformKl: 0.7 },
  ...{ callsToHalf: null, callsToAll: null },
  ...{ modesFound: 2, modes: 4, best: 1, topMean: 0.9, diversity: 3, loss: null, dynamicsLoss: null },
  ...{ entropyRatio: null, dynamicsFloor: null },
};

function cell(method: string, seed: number, last: Partial<CellRecord>): FinishedCell {
  // Only the last record counts.
  return {
    method,
    stick: 0.25,
    seed,
    records: [
      { ...RECORD, tv: 99 },
      { ...RECORD, ...last },
    ],
  };
}

const grid = { methods: ["kl", "metropolis", "sdb"], sticks: [0.25] };
const finished = [
  cell("kl", 0, { tv: 0.1, modesFound: 1, calls: 1000 }),
  cell("kl", 1, { tv: 0.2, modesFound: 2, calls: 1000, callsToHalf: 300 }),
  cell("kl", 2, { tv: 0.6, modesFound: 3, calls: 1000, callsToHalf: 700 }),
  cell("metropolis", 0, { tv: null, kl: null, sampledTv: 0.4, sampledFloor: 0.25 }),
];
const failed = [
  { method: "metropolis", stick: 0.25, seed: 1 },
  { method: "sdb", stick: 0.25, seed: 0 },
];
const outcomes = outcomesOf(grid, finished, failed);

describe("of three seeds", () => {
  test("the mean and the deviation of a sample stand in the row", () => {
    const [kl] = summaryRows(outcomes);
    expect(kl).toMatchObject({ method: "kl", stick: 0.25, seeds: 3, failed: 0, limitTv: 0.1, modes: 4 });
    expect(kl.tvMean).toBeCloseTo(0.3, 12);
    expect(kl.tvSd).toBeCloseTo(Math.sqrt(0.07), 12); // (0.04 + 0.01 + 0.09) / 2
    expect([kl.modesFoundMean, kl.modesFoundSd]).toEqual([2, 1]);
  });

  test("the table has both, with the limit and the uniform policy below", () => {
    const text = plainTable(summaryTables(outcomes)[0]);
    expect(text).toContain("0.3000 ± 0.2646");
    expect(text).toContain("2.0 ± 1.0");
    expect(text).toMatch(/ 1,000 +2\.0 ± 0\.0$/m);
    expect(text).toMatch(/^limit +0\.1000 +0\.2000/m);
    expect(text).toMatch(/uniform policy +0\.6000 +0\.7000/);
  });
});

test("seeds that found half of the modes are averaged and counted, and no other is", () => {
  const [kl] = summaryRows(outcomes);
  expect([kl.callsToHalfMean, kl.callsToAllMean]).toEqual([500, null]);
  expect(plainTable(summaryTables(outcomes)[0])).toMatch(/500 ± 283 \(2 of 3\) +– \(0 of 3\)/);
});

test("one seed has no deviation, and a sampled distance is marked and explained", () => {
  const [, metropolis] = summaryRows(outcomes);
  expect([metropolis.sampledTvMean, metropolis.sampledTvSd, metropolis.tvMean]).toEqual([0.4, null, null]);
  expect(plainTable(summaryTables(outcomes)[0])).toContain("0.4000 (1 of 2) *");
  expect(summaryNotes(outcomes)).toContain("a perfect sampler would show 0.250");
});

test("a method that failed is said to have, and one that did not run has no numbers", () => {
  expect(plainTable(summaryTables(outcomes)[0])).toMatch(/^sdb +failed$/m);
  const [, , sdb] = summaryRows(outcomesOf(grid, finished));
  expect(sdb).toMatchObject({ seeds: 0, failed: 0, tvMean: null, limitTv: null });
});

test("the files have a heading, a row per method, and nothing where there is no number", () => {
  const [heading, kl, , sdb] = summaryCsv(outcomes).split("\n");
  const column = (line: string, name: string) => line.split(",")[heading.split(",").indexOf(name)];
  expect(Number(column(kl, "tvMean"))).toBeCloseTo(0.3, 12);
  expect(column(kl, "dynamicsLossMean")).toBe("");
  expect(column(sdb, "failed")).toBe("1");
  expect(summaryMarkdown(outcomes)).toContain("| kl | 0.3000 ± 0.2646 |");
});
