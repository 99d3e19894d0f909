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

test("several objectives have a column each, and constraints a column that says whether they are met", () => {
  const objectives = [
    { name: "binding", goal: "maximise", weight: 1, worst: 0, best: 1 },
    { name: "cost", goal: "minimise", weight: 1, worst: 10, best: 0, atMost: 4 },
  ] as const;
  const rows = [
    { ...row, values: [0.5, 4] },
    { ...row, rank: 2, values: [1, 4.5] },
  ];
  const [header, ...cells] = parseCsv(candidateCsv(rows, objectives));
  expect(header.slice(-3)).toEqual(["binding", "cost", "meets_constraints"]);
  expect(cells.map((each) => each.slice(-3))).toEqual([
    ["0.5", "4", "true"],
    ["1", "4.5", "false"],
  ]);
  const free = objectives.map(({ name, goal, weight, worst, best }) => ({ name, goal, weight, worst, best }));
  expect(parseCsv(candidateCsv(rows, free))[0].slice(-2)).toEqual(["binding", "cost"]);
});
