import { expect, test } from "vitest";
import { fromSpreadsheetText, parseCsv } from "../../src/formats/csv.ts";
import type { CandidatesView } from "../../src/views/view-data.ts";
import { candidatesCsv, candidatesFasta, filteredRows, sortedRows } from "./candidate-rows.ts";

const VIEW: CandidatesView = {
  ...{ view: "candidates", exact: false, notes: [] },
  columns: [
    { name: "rank", label: "rank", kind: "number" },
    { name: "string", label: "string", kind: "text" },
    { name: "score", label: "score", kind: "number" },
    { name: "circle", label: "circle", kind: "number" },
  ],
  rows: [
    [1, "ACGT", 0.123456789, 1],
    [2, "=1+1", -0.5, 2],
    [3, '\'@x,"y"', null, 1],
  ],
};
const ranks = (rows: CandidatesView["rows"]) => rows.map(([rank]) => rank);

test("a filter finds parts of texts and compares numbers", () => {
  expect(filteredRows(VIEW, "")).toBe(VIEW.rows);
  expect(ranks(filteredRows(VIEW, "cg"))).toEqual([1]);
  expect(ranks(filteredRows(VIEW, "score>-0.5"))).toEqual([1]);
  expect(ranks(filteredRows(VIEW, "score>=-0.5"))).toEqual([1, 2]);
  expect(ranks(filteredRows(VIEW, "circle=1 rank<3"))).toEqual([1]);
  expect(ranks(filteredRows(VIEW, "absent>1"))).toEqual([]);
});

test("rows are sorted by a column, with empty cells at the end", () => {
  const sort = (column: string | undefined, isDescending: boolean) =>
    ranks(sortedRows(VIEW.columns, VIEW.rows, { column, isDescending }));
  expect(sort("score", true)).toEqual([1, 2, 3]);
  expect(sort("score", false)).toEqual([2, 1, 3]);
  expect(sort("string", false)).toEqual([3, 2, 1]);
  expect(sort(undefined, true)).toEqual([1, 2, 3]);
});

test("CSV has no cell that a spreadsheet executes, and gives back every string", () => {
  const [header, ...lines] = parseCsv(candidatesCsv(VIEW.columns, VIEW.rows));
  expect(header).toEqual(["rank", "string", "score", "circle"]);
  const cells = lines.map(([, string]) => string);
  for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
  expect(cells.map(fromSpreadsheetText)).toEqual(VIEW.rows.map(([, string]) => string));
  expect(lines[1][2]).toBe("-0.5");
  expect(lines[2][2]).toBe("");
});

test("FASTA has the strings unchanged and six digits of the score", () => {
  expect(candidatesFasta(VIEW.columns, VIEW.rows.slice(0, 2))).toBe(
    ">candidate_1 score=0.123457 circle=1\nACGT\n>candidate_2 score=-0.5 circle=2\n=1+1\n",
  );
});
