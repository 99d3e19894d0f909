// Parses the 8-mer file of a protein-binding microarray, which measures how strongly a protein binds each 8-mer of DNA.
//
// Lines are tab-separated: "8-mer  8-mer  E-score  Median  Z-score", with both strands of a string in one line. The
// UniPROBE database has such files. The benchmark TFBind8 uses the file of the protein SIX6 (Barrera et al. 2016,
// Science).

import { numberFrom } from "../../formats/decimal.ts";
import { UserError } from "../../issues.ts";
import { EIGHT_MERS, eightMerFault, reverseComplement, sequenceAt, sequenceIndex } from "./eight-mers.ts";

const HEADER = ["8-mer", "8-mer", "E-score"];

/** Thrown if the file of a table is not valid. The message names the file, the line, the problem and a remedy. */
export class BindingTableError extends UserError {
  override readonly name: string = "BindingTableError";
}

/**
 * Scores y = (E − min) / (max − min) of all 65,536 strings in alphabetical order, equal for both strands. `file` is the
 * name of the file in errors.
 */
export function parseBindingTable(text: string, file: string): Float64Array {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (text.trim() === "") {
    throw new BindingTableError(`${file} is empty; give a protein-binding-microarray 8-mer file.`);
  }
  const columns = checkHeader(lines[0], file);
  const scores = new Float64Array(EIGHT_MERS);
  const lineOf = new Uint32Array(EIGHT_MERS);
  for (let i = 1; i < lines.length; i++) {
    if (lines[i].trim() === "") continue;
    const { index, other, score } = parseLine(lines[i], columns, `${file}, line ${i + 1}`);
    const before = lineOf[index];
    if (before > 0) {
      const values =
        scores[index] === score
          ? `with the same score ${score}`
          : `with score ${scores[index]} instead of ${score}`;
      throw new BindingTableError(
        `${file}, line ${i + 1}: ${sequenceAt(index)} is also in line ${before}, ${values}; keep one of the two lines.`,
      );
    }
    for (const strand of [index, other]) {
      scores[strand] = score;
      lineOf[strand] = i + 1;
    }
  }
  checkComplete(lineOf, lines.length, file);
  return scaled(scores, file);
}

/** Checks the header, and returns the number of columns that every line must have. */
function checkHeader(line: string, file: string): number {
  const names = line.split("\t").map((name) => name.trim());
  if (HEADER.every((name, i) => names[i] === name)) return names.length;
  throw new BindingTableError(
    `${file}, line 1: the columns must be "8-mer", "8-mer", "E-score" separated by tabs, ` +
      `got ${excerpt(line)}; give a protein-binding-microarray 8-mer file with its header.`,
  );
}

function parseLine(line: string, columns: number, where: string) {
  const fields = line.split("\t").map((field) => field.trim());
  if (fields.length < columns) {
    throw new BindingTableError(
      `${where}: the line must have ${columns} columns, got ${fields.length} in ${excerpt(line)}; the file may be incomplete, download it again.`,
    );
  }
  const [forward, backward, number] = fields;
  for (const strand of [forward, backward]) {
    const fault = eightMerFault(strand);
    if (fault)
      throw new BindingTableError(`${where}: ${fault}; correct the line or download the file again.`);
  }
  const index = sequenceIndex(forward);
  const other = reverseComplement(index);
  if (sequenceIndex(backward) !== other) {
    throw new BindingTableError(
      `${where}: the second column must be ${sequenceAt(other)}, the reverse complement of ${forward}, got ${backward}; correct the line.`,
    );
  }
  const score = numberFrom(number) ?? Number.NaN;
  if (!Number.isFinite(score)) {
    throw new BindingTableError(
      `${where}: the E-score of ${forward} must be a finite number, got ${excerpt(number)}; correct the line or download the file again.`,
    );
  }
  return { index, other, score };
}

/**
 * The start of a line, for an error message. The text is cut before and after escaping, because an escaped control
 * character takes six characters.
 */
function excerpt(line: string): string {
  const text = JSON.stringify(line.slice(0, 80));
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function checkComplete(lineOf: Uint32Array, lines: number, file: string): void {
  const first = lineOf.indexOf(0);
  if (first < 0) return;
  const missing = lineOf.reduce((count, line) => count + (line === 0 ? 1 : 0), 0);
  throw new BindingTableError(
    `${file}: all ${EIGHT_MERS} 8-mers must be present, but after ${lines} lines ${missing} are missing, such as ${sequenceAt(first)}; download the complete file.`,
  );
}

function scaled(scores: Float64Array, file: string): Float64Array {
  const low = scores.reduce((a, b) => Math.min(a, b));
  const high = scores.reduce((a, b) => Math.max(a, b));
  if (!(high > low)) {
    throw new BindingTableError(
      `${file}: the E-scores must differ, got ${low} for all; use measured scores.`,
    );
  }
  return scores.map((score) => (score - low) / (high - low));
}
