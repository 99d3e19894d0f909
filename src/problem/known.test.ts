import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { parseProblemText } from "./read-problem.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-known-"));

/** Reads a problem whose known strings are in a table with this text. */
async function fromTable(
  table: string,
  { head = "alphabet: protein\nlength: 3", keys = "", name = "known.csv" } = {},
) {
  writeFileSync(join(folder, name), table);
  return parseProblemText(`${head}\nknown: { file: ${name}${keys} }\n`, { folder });
}

async function issuesOf(reading: Promise<unknown>): Promise<string[]> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw error ?? new Error("there must be issues");
  return error.issues.map(({ path, message }) => `${path}: ${message}`);
}

test("strings of a table stay strings, and missing scores are left out with a note", async () => {
  const { problem, notes } = await fromTable(
    "id,sequence,fitness\n1,NAN,0.5\n2,nan,1e-3\n3,NAD,\n4,NAE,NaN\n5,DAN,-2\n",
  );
  expect(problem.known.map(({ string, score }) => [string, score])).toEqual([
    ["NAN", 0.5],
    ["NAN", 0.001],
    ["DAN", -2],
  ]);
  expect(notes).toEqual([
    "known.file: 2 of 5 rows have no score and are left out (line 3)",
    'known: "nan" is read as "NAN" (line 3)',
  ]);
});

test.each([
  ["tabs", "string\tscore\nNAN\t1\n"],
  ["semicolons", "string;score\r\nNAN;1\r\n"],
  ["quotes and a byte order mark", '\uFEFF"string","score"\n"NAN","1"\n'],
])("tables may have %s", async (_, table) => {
  expect((await fromTable(table)).problem.known).toEqual([
    { string: "NAN", tokens: [11, 0, 11], score: 1, legal: true },
  ]);
});

test("the first usual name decides which columns are read, not their order", async () => {
  const { problem } = await fromTable("x,value,string,score\nAAA,7,NAN,1\n");
  expect(problem.known).toMatchObject([{ string: "NAN", score: 1 }]);
});

test("columns may have any name", async () => {
  const { problem } = await fromTable("a,b\n0110,2\n", {
    head: "alphabet: 01\nlength: 4",
    keys: ", string: a, score: b",
  });
  expect(problem.known).toEqual([{ string: "0110", tokens: [0, 1, 1, 0], score: 2, legal: true }]);
});

test("strings that are no legal designs stay known, with a note", async () => {
  const { problem, notes } = await parseProblemText(`alphabet: DNA
length: 4
constraints: { forbid: [GG] }
known:
  - { string: ACGT, score: 1 }
  - { string: AGGT, score: 2 }
  - { string: ACG, score: 3 }
`);
  expect(problem.known.map(({ legal }) => legal)).toEqual([true, false, false]);
  expect(notes).toEqual([
    "known: AGGT has a forbidden motif at position 2 (forbid GG), and 1 more like it, so it is known but no design (line 4)",
  ]);
});

test("wrong rows of a table are reported by their number, the first three of each kind", async () => {
  const rows = ["NAN,1", "NAX,1", "NAN,high", "ZZZ,1", "BBB,2", "B,3"];
  expect(await issuesOf(fromTable(`string,score\n${rows.join("\n")}\n`))).toEqual([
    'known.file: row 4: the score must be a number, got "high" (line 3)',
    expect.stringMatching(
      /^known.file: row 3: the string must consist of tokens of the alphabet: "NAX" has "X"/,
    ),
    expect.stringMatching(/^known.file: row 5: /),
    expect.stringMatching(/^known.file: row 6: /),
    "known.file: there are 1 more rows of this kind (line 3)",
  ]);
});

test("a wrong column or file is reported", async () => {
  expect(await issuesOf(fromTable("string,score\nNAN,1\n", { keys: ", score: scor" }))).toEqual([
    'known.file: known.csv: there must be a column "scor"; did you mean "score"? (line 3)',
  ]);
  expect(await issuesOf(fromTable("a,b\nNAN,1\n"))).toEqual([
    'known.file: known.csv: there must be a column for the strings, such as "string" or "sequence"; the columns are "a", "b" (line 3)',
  ]);
  expect(await issuesOf(fromTable('string,score\n"NAN,1\n'))).toEqual([
    expect.stringMatching(
      /^known.file: known.csv: it cannot be read: CSV: a quoted cell must end with a quote/,
    ),
  ]);
});

test("wrong items of a list are reported by their index", async () => {
  const text = `alphabet: DNA
length: 4
known:
  - { string: ACGT, score: high }
  - { string: ACGX, score: 1 }
  - [ACGT, 1]
`;
  expect(await issuesOf(parseProblemText(text))).toEqual([
    'known[0].score: must be a number, got "high" (line 4)',
    expect.stringMatching(/^known\[1\].string: must consist .* \(line 5\)$/),
    'known[2]: must be a map of string and score, or of string and scores, got ["ACGT",1] (line 6)',
  ]);
});
