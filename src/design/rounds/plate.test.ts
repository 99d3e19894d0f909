// The plate that proposals are written to.

import { expect, test } from "vitest";
import { parseCsv } from "../../formats/csv.ts";
import { plateCsv } from "./plate.ts";

test("wells are filled column by column, and a second plate follows the first", () => {
  const rows = parseCsv(plateCsv(Array.from({ length: 98 }, () => ({ string: "A", prediction: null }))));
  const wells = rows.slice(1).map(([plate, well]) => `${plate} ${well}`);
  expect([wells[0], wells[7], wells[8], wells[95], wells[96], wells[97]]).toEqual([
    "1 A1",
    "1 H1",
    "1 A2",
    "1 H12",
    "2 A1",
    "2 B1",
  ]);
  expect(new Set(wells).size).toBe(98);
});

test("a plate has the prediction of each string with its interval, and no scores", () => {
  const prediction = { mean: 0.5, deviation: 0.1, low: 0.25, high: 0.75 };
  const [header, row] = parseCsv(plateCsv([{ string: "ACGT", prediction }]));
  expect(header).toEqual([
    "plate",
    "well",
    "string",
    "predicted_score",
    "predicted_low",
    "predicted_high",
    "score",
  ]);
  expect(row).toEqual(["1", "A1", "ACGT", "0.5", "0.25", "0.75", ""]);
});
