// The candidates of a run: by scores, or by expected scores if synthesis errs; and their files.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readScores } from "../oracle/table-oracle.ts";
import type { Problem } from "../problem/problem.ts";
import type { Trained } from "../trained/trained.ts";
import { candidateRows, expectedScoresText, writeCandidates } from "./finish-design.ts";

const problem = {
  space: { tokens: ["A", "C"], length: { min: 4, max: 4 } },
  reward: { goal: "maximise" },
} as unknown as Problem;
const trained = {
  logProbabilities: async (strings: readonly string[]) => strings.map((_, i) => ({ logProbability: -i })),
} as unknown as Trained;
const scored = [
  { string: "AAAA", score: 3 },
  { string: "CCCC", score: 2 },
  { string: "ACAC", score: 1 },
];
const options = { problem, candidates: 3, radius: 1 };
const cellsOf = async (expected: Parameters<typeof candidateRows>[0]["expected"]) =>
  (await candidateRows({ scored, expected, known: [], trained }, options)).map((row) => [
    ...[row.rank, row.string, row.score, row.expectedScore, row.expectedScoreError],
  ]);

test("without errors of synthesis the best score comes first", async () => {
  expect(await cellsOf(null)).toEqual([
    [1, "AAAA", 3, null, null],
    [2, "CCCC", 2, null, null],
    [3, "ACAC", 1, null, null],
  ]);
});

test("with errors the best expected score comes first, and designs without one are left out", async () => {
  const exact = { exact: true, standardError: 0, legal: 1, draws: 0 };
  const estimated = { exact: false, standardError: 0.2, legal: 1, draws: 20 };
  const expected = new Map([
    ["AAAA", { value: 0.5, ...exact }],
    ["CCCC", { value: 1.5, ...estimated }],
  ]);
  expect(await cellsOf(expected)).toEqual([
    [1, "CCCC", 2, 1.5, 0.2],
    [2, "AAAA", 3, 0.5, null],
  ]);
});

test("a sentence says whether expected scores are exact or estimated", () => {
  const row = (expectedScore: number | null, expectedScoreError: number | null) => ({
    ...{ expectedScore, expectedScoreError },
  });
  expect(expectedScoresText([row(null, null)])).toBeNull();
  expect(expectedScoresText([row(0.5, null), row(0.4, null)])).toBe(
    "Expected scores after errors of synthesis are exact.",
  );
  expect(expectedScoresText([row(0.5, 0.1), row(0.4, 0.3)])).toBe(
    "Expected scores after errors of synthesis are estimated from draws, with a mean standard error of 0.2000.",
  );
  expect(expectedScoresText([row(0.5, 0.1), row(0.4, null), row(null, null)])).toBe(
    "1 of 2 expected scores after errors of synthesis are estimated from draws, with a mean standard error of 0.1000; the others are exact.",
  );
});

test("if no expected score could be paid for, the scores decide", async () => {
  expect((await cellsOf(new Map())).map(([, string]) => string)).toEqual(["AAAA", "CCCC", "ACAC"]);
});

test("a string that a spreadsheet would execute is escaped in CSV, and unchanged in Parquet", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gflownet-candidates-"));
  try {
    const formulas = [{ string: "=A+B", score: 1 }];
    const rows = await candidateRows({ scored: formulas, expected: null, known: [], trained }, options);
    const files = await writeCandidates(folder, rows, { title: "", intro: "", sections: [] });
    expect(files).toContain("candidates.parquet");
    expect((await readFile(join(folder, "candidates.csv"), "utf8")).split("\n")[1]).toMatch(/^1,'=A\+B,1,/);
    const read: unknown[] = [];
    for await (const row of readScores(join(folder, "candidates.parquet"))) read.push(row);
    expect(read).toEqual([{ string: "=A+B", score: 1 }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
