// Tests of the tables of a comparison against means and deviations computed by hand.

import { describe, expect, test } from "vitest";
import { plainTable } from "../report/tables.ts";
import type { FinishedExperiment } from "./comparison-folder.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import {
  methodResultsOf,
  rowsCsv,
  summaryMarkdown,
  summaryNotes,
  summaryRows,
  summaryTables,
  timeRows,
} from "./summary.ts";

const RECORD: ExperimentRecord = {
  ...{ calls: 100, seconds: 2, iteration: 10, tv: 0.5, kl: 1, expectedReward: 0.2 },
  ...{ sampledTv: null, sampledFloor: null, limitTv: 0.1, limitKl: 0.2, uniformTv: 0.6, uniformKl: 0.7 },
  ...{ callsToHalf: null, callsToAll: null },
  ...{
    modesFound: 2,
    modesScored: 3,
    modes: 4,
    best: 1,
    topMean: 0.9,
    diversity: 3,
    loss: null,
    dynamicsLoss: null,
  },
  ...{ entropyRatio: null, dynamicsFloor: null },
};

function experiment(method: string, seed: number, last: Partial<ExperimentRecord>): FinishedExperiment {
  // The summary uses only the last record.
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
  experiment("kl", 0, { tv: 0.1, modesFound: 1, calls: 1000 }),
  experiment("kl", 1, { tv: 0.2, modesFound: 2, calls: 1000, callsToHalf: 300 }),
  experiment("kl", 2, { tv: 0.6, modesFound: 3, calls: 1000, callsToHalf: 700 }),
  experiment("metropolis", 0, { tv: null, kl: null, sampledTv: 0.4, sampledFloor: 0.25 }),
];
const failed = [
  { method: "metropolis", stick: 0.25, seed: 1 },
  { method: "sdb", stick: 0.25, seed: 0 },
];
const results = methodResultsOf(grid, finished, failed);

describe("three seeds", () => {
  test("give a row with the mean and the sample standard deviation", () => {
    const [kl] = summaryRows(results);
    expect(kl).toMatchObject({ method: "kl", stick: 0.25, seeds: 3, failed: 0, limitTv: 0.1, modes: 4 });
    expect(kl.tvMean).toBeCloseTo(0.3, 12);
    expect(kl.tvSd).toBeCloseTo(Math.sqrt(0.07), 12); // (0.04 + 0.01 + 0.09) / 2
    expect([kl.modesFoundMean, kl.modesFoundSd]).toEqual([2, 1]);
  });

  test("give a table with mean and deviation, and with the limit and the uniform policy below", () => {
    const text = plainTable(summaryTables(results)[0]);
    expect(text).toContain("0.3000 ± 0.2646");
    expect(text).toContain("2.0 ± 1.0");
    expect(text).toMatch(/ 1,000 +2\.0 ± 0\.0$/m);
    expect(text).toMatch(/^limit +0\.1000 +0\.2000/m);
    expect(text).toMatch(/uniform policy +0\.6000 +0\.7000/);
  });
});

test("only the seeds that found half of the modes are averaged and counted", () => {
  const [kl] = summaryRows(results);
  expect([kl.callsToHalfMean, kl.callsToAllMean]).toEqual([500, null]);
  expect(plainTable(summaryTables(results)[0])).toMatch(/500 ± 283 \(2 of 3\) +– \(0 of 3\)/);
});

test("one seed has no deviation, and a sampled TV is marked and explained", () => {
  const [, metropolis] = summaryRows(results);
  expect([metropolis.sampledTvMean, metropolis.sampledTvSd, metropolis.tvMean]).toEqual([0.4, null, null]);
  expect(plainTable(summaryTables(results)[0])).toContain("0.4000 (1 of 2) *");
  expect(summaryNotes(results)).toContain("a perfect sampler would show 0.250");
});

test("a failed method is marked, and a method that has not run has no numbers", () => {
  expect(plainTable(summaryTables(results)[0])).toMatch(/^sdb +failed$/m);
  const [, , sdb] = summaryRows(methodResultsOf(grid, finished));
  expect(sdb).toMatchObject({ seeds: 0, failed: 0, tvMean: null, limitTv: null });
});

test("methods whose policies can reach different limits have a row for each", () => {
  const [first, ...others] = finished;
  const nearer = first.records.map((record) => ({ ...record, limitTv: 0.05 }));
  const own = methodResultsOf(grid, [{ ...first, method: "sdb", records: nearer }, ...others]);
  const text = plainTable(summaryTables(own)[0]);
  expect(text).toMatch(/^limit of kl and 1 more +0\.1000/m);
  expect(text).toMatch(/^limit of sdb +0\.0500/m);
});

test("the files have a heading, one row per method, and empty cells for missing numbers", () => {
  const [heading, kl, , sdb] = rowsCsv(summaryRows(results)).split("\n");
  const column = (line: string, name: string) => line.split(",")[heading.split(",").indexOf(name)];
  expect(Number(column(kl, "tvMean"))).toBeCloseTo(0.3, 12);
  expect(column(kl, "dynamicsLossMean")).toBe("");
  expect(column(sdb, "failed")).toBe("1");
  expect(summaryMarkdown(results)).toContain("| kl | 0.3000 ± 0.2646 |");
});

test("the table does not depend on the clock, and the times have their own rows", () => {
  const later = finished.map((experiment) => ({
    ...experiment,
    records: experiment.records.map((record) => ({ ...record, seconds: 3 * record.seconds })),
  }));
  const slow = methodResultsOf(grid, later, failed);
  expect(rowsCsv(summaryRows(slow))).toBe(rowsCsv(summaryRows(results)));
  expect(timeRows(slow)[0]).toMatchObject({ method: "kl", stick: 0.25, secondsMean: 6, secondsSd: 0 });
});
