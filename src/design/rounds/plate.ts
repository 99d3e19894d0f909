// The plate of a round: a CSV file of the strings to measure, with what the proxy expects and an empty column for scores.

import { formatCsv, spreadsheetText } from "../../formats/csv.ts";
import type { RoundProposal } from "./propose-round.ts";

const [ROWS, COLUMNS] = [8, 12];

/** The plate as CSV, with an empty column for the scores, or for each of several objectives. Wells are those of plates with
 * 96 wells, column by column. */
export function plateCsv(
  proposals: readonly RoundProposal[],
  measurements: readonly string[] = ["score"],
): string {
  return formatCsv(
    ["plate", "well", "string", "predicted_score", "predicted_low", "predicted_high", ...measurements],
    proposals.map(({ string, prediction }, i) => {
      const place = i % (ROWS * COLUMNS);
      const row = String.fromCharCode("A".charCodeAt(0) + (place % ROWS));
      return {
        plate: Math.floor(i / (ROWS * COLUMNS)) + 1,
        well: `${row}${Math.floor(place / ROWS) + 1}`,
        string: spreadsheetText(string),
        predicted_score: prediction?.mean ?? null,
        predicted_low: prediction?.low ?? null,
        predicted_high: prediction?.high ?? null,
      };
    }),
  );
}
