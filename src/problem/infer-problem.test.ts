import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inferAlphabet, inferProblem } from "./infer-problem.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-infer-"));

function table(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe("the alphabet of strings", () => {
  test.each([
    [["ACGT", "acg"], "DNA"],
    [["ACGU"], "RNA"],
    [["ACGU", "ACGT"], "DNA"],
    [["NAN", "kllmw"], "protein"],
    [["0110", "111"], "01"],
    [["aXb", "xB"], "BXabx"],
  ])("%j is %s", (strings, alphabet) => {
    expect(inferAlphabet(strings)).toBe(alphabet);
  });
});

test("a table in the folder is named by its path in it", async () => {
  mkdirSync(join(folder, "data"));
  const file = table("data/a.csv", "id,sequence,fitness\n1,acgu,0.5\n2,ACGUA,\n");
  expect(await inferProblem(file, { folder })).toEqual({
    alphabet: "RNA",
    length: { min: 4, max: 5 },
    known: { file: "data/a.csv", string: "sequence", score: "fitness" },
  });
});

test("a table elsewhere is written into the file", async () => {
  const file = table("b.csv", "name;result\nACGT;0.5\nACGA;\nACGC;1\n");
  expect(await inferProblem(file, { folder: join(folder, "data") })).toEqual({
    alphabet: "DNA",
    length: 4,
    known: [
      { string: "ACGT", score: 0.5 },
      { string: "ACGC", score: 1 },
    ],
  });
});

test("the first usual name decides, not the order of the columns", async () => {
  const file = table("order.csv", "x,value,string,score\n7,9,ACGT,0.5\n");
  expect(await inferProblem(file, { folder })).toMatchObject({
    known: { file: "order.csv", string: "string", score: "score" },
  });
  const twice = table("twice.csv", "string,Score,SCORE\nACGT,1,2\n");
  await expect(inferProblem(twice, { folder })).rejects.toThrow(
    `${twice}: there must be one column "score", got "Score", "SCORE"; rename all but one of them`,
  );
});

test("columns of digits need their names", async () => {
  const file = table("c.csv", "bits,result\n0110,0.5\n1111,1\n");
  await expect(inferProblem(file, { folder })).rejects.toThrow(
    `${file}: there must be one column of strings, named "string" or given by name; the columns are "bits", "result"`,
  );
  expect(await inferProblem(file, { folder, string: "bits", score: "result" })).toEqual({
    alphabet: "01",
    length: 4,
    known: { file: "c.csv", string: "bits", score: "result" },
  });
});

test.each([
  ["string,score\n", "there must be at least one row below the header, got none"],
  ["string,score\nACGT,1\n,2\n", "row 3: the string must have at least one letter, got none"],
  ["string,score\nA A,1\n", 'the alphabet must be tokens of visible characters without spaces, got " "'],
])("the table %j is refused", async (text, message) => {
  const file = table("wrong.csv", text);
  await expect(inferProblem(file, { folder })).rejects.toThrow(`${file}: ${message}`);
});

test("a score that is no number is refused, and so is a letter outside a given alphabet", async () => {
  const file = table("d.csv", "string,score\nACGT,high\n");
  await expect(inferProblem(file, { folder: join(folder, "data") })).rejects.toThrow(
    `${file}: row 2: the score must be a number, got "high"`,
  );
  await expect(inferProblem(file, { folder, alphabet: "AC" })).rejects.toThrow(
    /row 2: the string must consist of tokens of the alphabet: "ACGT" has "G" at position 3/,
  );
});
