// Files of candidates: the columns, empty cells, spreadsheet-safe strings, and FASTA.

import { expect, test } from "vitest";
import { fromSpreadsheetText, parseCsv } from "../formats/csv.ts";
import { CANDIDATE_COLUMNS, type CandidateRow, candidateCsv, candidateFasta } from "./candidate-files.ts";

const row: CandidateRow = {
  rank: 1,
  string: "=1+1",
  score: 0.1 + 0.2,
  circle: 2,
  isCentre: true,
  distanceToKnown: null,
  logProbability: Math.log(0.1),
  expectedScore: 0.25,
  expectedScoreError: null,
};

test("the CSV file has every column, full precision, and empty cells for what is not known", () => {
  const [header, cells] = parseCsv(candidateCsv([row]));
  expect(header).toEqual(Object.keys(CANDIDATE_COLUMNS));
  const named = Object.fromEntries(header.map((name, i) => [name, cells[i]]));
  expect(Number(named.score)).toBe(0.1 + 0.2);
  expect(Number(named.log_probability)).toBe(Math.log(0.1));
  expect([named.uncertainty, named.distance_to_known, named.expected_score_error]).toEqual(["", "", ""]);
});

test("no spreadsheet executes a string, and the string can be read back", () => {
  const [, cells] = parseCsv(candidateCsv([row]));
  expect(cells[1]).toBe("'=1+1");
  expect(fromSpreadsheetText(cells[1])).toBe("=1+1");
});

test("FASTA has one record per candidate with the string itself", () => {
  expect(candidateFasta([row, { ...row, rank: 2, string: "AC" }])).toBe(
    ">candidate_1 score=0.300000 circle=2\n=1+1\n>candidate_2 score=0.300000 circle=2\nAC\n",
  );
});
