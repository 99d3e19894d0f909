// Results of the laboratory: replicates, missing wells, extra strings, spreadsheets, and rows that cannot be read.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { plateCsv } from "./rounds/plate.ts";
import { combineReplicates, readResults } from "./tell.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-tell-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DNA = { alphabet: { name: "DNA", tokens: [..."ACGT"] } } as const;
const results = (text: string, problem: Parameters<typeof readResults>[1] = DNA) => {
  const file = join(folder, "results.csv");
  writeFileSync(file, text);
  return readResults(file, problem);
};

test("replicates become their mean, with the standard error of the mean", async () => {
  const { scores, measured, missing } = await results(
    "string,score\nACGT,1\nacgt,2\nACGU,6\nAAAA,5\nCCCC,\nGGGG,NaN\n",
  );
  // The sample variance of 1, 2 and 6 is 7.
  expect(scores).toEqual([
    { string: "ACGT", score: 3, uncertainty: Math.sqrt(7 / 3) },
    { string: "AAAA", score: 5 },
  ]);
  expect({ measured, missing }).toEqual({ measured: 4, missing: 2 });
});

test("the order of first appearance is kept", () => {
  const once = combineReplicates(["B", "A", "B"].map((string, score) => ({ string, score })));
  expect(once.map(({ string }) => string)).toEqual(["B", "A"]);
});

test("extra columns, strings of other lengths and semicolons are read", async () => {
  const { scores } = await results("well;sequence;score;note\nA1;ACG;0.5;new\nA2;ACGTACGT;-1;\n");
  expect(scores).toEqual([
    { string: "ACG", score: 0.5 },
    { string: "ACGTACGT", score: -1 },
  ]);
});

test("columns named string and score are read, even if columns with other usual names come first", async () => {
  const { scores } = await results("x,well,value,string,Score\n1,A1,7,ACG,0.5\n");
  expect(scores).toEqual([{ string: "ACG", score: 0.5 }]);
  await expect(results("string,Score,SCORE\nACG,1,2\n")).rejects.toThrow(
    'there must be one column "score", got "Score", "SCORE"; rename all but one of them',
  );
});

test("strings that a spreadsheet would take for formulas survive the way from the plate to the results", async () => {
  const problem = { alphabet: { name: null, tokens: ["=", "+", "-", "@", "'", "N", "0"] } } as const;
  const strings = ["=N0", "+00", "-N-", "@@@", "'=N", "''+", "'NN", "N=0", "000", "NNN"];
  const plate = plateCsv(strings.map((string) => ({ string, prediction: null })));
  const filled = plate
    .trimEnd()
    .split("\n")
    .map((line, i) => (i === 0 ? line : `${line}${i}`));
  const { scores } = await results(filled.join("\n"), problem);
  expect(scores).toEqual(strings.map((string, i) => ({ string, score: i + 1 })));
});

test("all wrong rows are counted, and the first three are named", async () => {
  const rows = ["AXC,1", "ACG,high", "ACG,1e999", "ACG,0x", "ACG,1"].join("\n");
  await expect(results(`string,score\n${rows}`)).rejects.toThrow(
    /has wrong rows: row 2: the string must .*; row 3: the score must be a number, got "high"; row 4: .*"1e999"; and 1 more$/,
  );
});

test("a score without a string is a wrong row, and an empty row is not", async () => {
  await expect(results("string,score\nACG,1\n,2\n")).rejects.toThrow(
    /row 3: the score 2 must have a string, got none$/,
  );
  expect((await results("string,score\nACG,1\n,\n")).measured).toBe(1);
});

test("a file that is no text is refused", async () => {
  await expect(results("PAR1\0\0")).rejects.toThrow("it must be a text of the format CSV or TSV");
});

test("a table without any score is refused", async () => {
  await expect(results("string,score\nACG,\nAAA,na\n")).rejects.toThrow(
    /must have at least one score, got none in 2 rows$/,
  );
});

test("with several objectives the values of replicates are averaged, and the score is that of the mean values", async () => {
  const problem = {
    ...DNA,
    objectives: [
      { name: "binding", goal: "maximise", weight: 1, worst: 0, best: 1 },
      { name: "cost", goal: "minimise", weight: 1, worst: 4, best: 0 },
    ],
  } as const;
  const { scores, measured, missing } = await results(
    "cost,string,binding\n1,ACGT,0.5\n3,ACGT,1\n,AAAA,1\n0,CCCC,1\n",
    problem,
  );
  // The scores of the replicates are 0.625 and 0.625.
  expect(scores).toEqual([
    { string: "ACGT", values: [0.75, 2], score: 0.625, uncertainty: 0 },
    { string: "CCCC", values: [1, 0], score: 1 },
  ]);
  expect({ measured, missing }).toEqual({ measured: 3, missing: 1 });
  await expect(results("string,binding\nACGT,1\n", problem)).rejects.toThrow(/there must be a column "cost"/);
});
