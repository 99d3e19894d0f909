// The oracle of a problem: landscapes, modules and tables score strings, and wrong files are refused in one sentence.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nkLandscape } from "../landscapes/nk.ts";
import type { OracleSpec } from "../problem/problem.ts";
import { problemOracle } from "./problem-oracle.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-problem-oracle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const oracleOf = (oracle: OracleSpec | null, length = { min: 4, max: 4 }) =>
  problemOracle({
    ...{ oracle, folder, alphabet: { name: null, tokens: ["A", "C"] } },
    space: { tokens: ["A", "C"], length },
  });

test("scores of the laboratory need no oracle", async () => {
  expect(await oracleOf(null)).toEqual({ oracle: null, landscape: null });
});

test("a landscape has the alphabet and the length of the problem", async () => {
  const spec = { kind: "landscape", landscape: { family: "nk", k: 1, seed: 3 } } as const;
  const { oracle, landscape } = await oracleOf(spec);
  expect(landscape).toMatchObject({ letters: 2, length: 4 });
  const same = nkLandscape({ letters: 2, length: 4, neighbours: 1, seed: 3 });
  expect(await oracle?.score(["ACCA"])).toEqual([{ score: same.score([0, 1, 1, 0]) }]);
  await expect(oracleOf(spec, { min: 3, max: 4 })).rejects.toThrow(
    "a landscape scores strings of one length, so `length` must be one number, got 3 to 4",
  );
});

test("a module and a table score strings", async () => {
  const module = at("score.mjs", "export const scores = (strings) => strings.map(({ length }) => length);\n");
  const { oracle } = await oracleOf({ kind: "module", file: module });
  expect(await oracle?.score(["A", "ACA"])).toEqual([{ score: 1 }, { score: 3 }]);
  const table = at("table.csv", "string,score\nACCA,2.5\n");
  const tabled = await oracleOf({ kind: "table", file: table });
  const [hit, miss] = (await tabled.oracle?.score(["ACCA", "AAAA"])) ?? [];
  expect(hit).toEqual({ score: 2.5 });
  expect(miss).toHaveProperty("failure");
  await Promise.all([oracle?.close(), tabled.oracle?.close()]);
});

test("a table of DNA may have lower case and U for T, and other texts do no harm", async () => {
  const file = at("dna.csv", "string,score\nacgu,1\nNNNN,2\n");
  const tokens = [..."ACGT"];
  const { oracle } = await problemOracle({
    ...{ oracle: { kind: "table", file }, folder, alphabet: { name: "DNA", tokens } },
    space: { tokens, length: { min: 4, max: 4 } },
  });
  expect(await oracle?.score(["ACGT"])).toEqual([{ score: 1 }]);
  const twice = at("twice.csv", "string,score\nacgt,1\nACGT,2\n");
  await expect(
    problemOracle({
      ...{ oracle: { kind: "table", file: twice }, folder, alphabet: { name: "DNA", tokens } },
      space: { tokens, length: { min: 4, max: 4 } },
    }),
  ).rejects.toThrow('has two scores for "ACGT", 1 and 2');
});

test("a database is refused by the key of the problem file", async () => {
  const file = at("scores.duckdb", "anything");
  await expect(oracleOf({ kind: "table", file })).rejects.toThrow(
    `oracle.table: ${file} must end in one of csv, tsv, txt, json, jsonl, ndjson, parquet, pq, and not be a database; write the table to a file, in DuckDB with COPY name TO 'name.parquet'`,
  );
  await expect(oracleOf({ kind: "table", file: at("scores.xlsx", "anything") })).rejects.toThrow(
    /ndjson, parquet, pq$/,
  );
});

test("a column that a table lacks is named by the key of the problem file", async () => {
  const file = at("columns.csv", "string,score\nACCA,2.5\n");
  await expect(oracleOf({ kind: "table", file, string: "dna" })).rejects.toThrow(
    /^oracle\.string: .*columns\.csv has no column "dna"; it has "string", "score"$/,
  );
});

test("an instance file that is missing is one sentence", async () => {
  const file = join(folder, "none.json");
  await expect(oracleOf({ kind: "landscape", landscape: { family: "ehrlich", file } })).rejects.toThrow(
    `${file} cannot be read: it does not exist`,
  );
});
