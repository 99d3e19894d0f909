// Reads the 8-mer file of a protein-binding microarray: how strongly a protein binds every DNA string of eight letters.
//
// Lines are tab-separated, "8-mer  8-mer  E-score  Median  Z-score"; a line has both strands of a string. Such files
// are in UniPROBE; the one of SIX6 (Barrera et al. 2016, Science) is what the benchmark TFBind8 is made of.

import { EIGHT_MERS, eightMerFault, reverseComplement, sequenceAt, sequenceIndex } from "./eight-mers.ts";

const HEADER = ["8-mer", "8-mer", "E-score"];
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A table file is not what it should be: says which file, which line, what is wrong and what to do. */
export class BindingTableError extends Error {
  override readonly name: string = "BindingTableError";
}

/**
 * Scores y = (E − min) / (max − min) of all 65,536 strings in alphabetical order, the same for both strands.
 * `file` is what errors call the text.
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
        scores[index] === score ? `both times ${score}` : `once ${scores[index]} and once ${score}`;
      throw new BindingTableError(
        `${file}, line ${i + 1}: ${sequenceAt(index)} was already given in line ${before}, ${values}; keep one of the two lines.`,
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

/** The number of columns that every line must have. */
function checkHeader(line: string, file: string): number {
  const names = line.split("\t").map((name) => name.trim());
  if (HEADER.every((name, i) => names[i] === name)) return names.length;
  throw new BindingTableError(
    `${file}, line 1: the columns must be "8-mer", "8-mer", "E-score" with tabs between them, ` +
      `got ${excerpt(line)}; give a protein-binding-microarray 8-mer file with its header.`,
  );
}

function parseLine(line: string, columns: number, where: string) {
  const fields = line.split("\t").map((field) => field.trim());
  if (fields.length < columns) {
    throw new BindingTableError(
      `${where}: ${fields.length} of ${columns} columns (${excerpt(line)}), as if the file were cut off; get it again.`,
    );
  }
  const [forward, backward, number] = fields;
  for (const strand of [forward, backward]) {
    const fault = eightMerFault(strand);
    if (fault) throw new BindingTableError(`${where}: ${fault}; correct the line or get the file again.`);
  }
  const index = sequenceIndex(forward);
  const other = reverseComplement(index);
  if (sequenceIndex(backward) !== other) {
    throw new BindingTableError(
      `${where}: the second column has ${backward}, but the reverse complement of ${forward} is ${sequenceAt(other)}; correct the line.`,
    );
  }
  const score = DECIMAL.test(number) ? Number(number) : Number.NaN;
  if (!Number.isFinite(score)) {
    throw new BindingTableError(
      `${where}: the E-score of ${forward} is ${excerpt(number)}, not a finite number; correct the line or get the file again.`,
    );
  }
  return { index, other, score };
}

/** The beginning of a line as an error shows it, in which what cannot be seen takes six letters. */
function excerpt(line: string): string {
  const text = JSON.stringify(line.slice(0, 80));
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function checkComplete(lineOf: Uint32Array, lines: number, file: string): void {
  const first = lineOf.indexOf(0);
  if (first < 0) return;
  const missing = lineOf.reduce((count, line) => count + (line === 0 ? 1 : 0), 0);
  throw new BindingTableError(
    `${file}: after ${lines} lines ${missing} of ${EIGHT_MERS} 8-mers are missing, the first is ${sequenceAt(first)}; get the whole file.`,
  );
}

function scaled(scores: Float64Array, file: string): Float64Array {
  const low = scores.reduce((a, b) => Math.min(a, b));
  const high = scores.reduce((a, b) => Math.max(a, b));
  if (!(high > low)) {
    throw new BindingTableError(
      `${file}: every E-score is ${low}, so there is nothing to prefer; give measured scores.`,
    );
  }
  return scores.map((score) => (score - low) / (high - low));
}
