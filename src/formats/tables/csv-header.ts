// The start of a text file: detects files of other formats by their first bytes, and reads the header line of a CSV file.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { DecimalSign } from "./format-names.ts";
import { quote, TableError } from "./table-error.ts";

export interface CsvHeader {
  readonly delimiter: string;
  readonly names: readonly string[];
}

const DELIMITERS = [",", ";", "\t", "|"];
/** Longest header line, in characters. */
const MAX_HEADER = 2 ** 20;
/** A number or a date, which cannot be a column name. */
const VALUE = /^[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$|^\d{4}-\d{1,2}-\d{1,2}([T ].*)?$/i;
/** First bytes of files in other formats, and the message for each. */
const SIGNATURES: readonly (readonly [readonly number[], string])[] = [
  [[0x1f, 0x8b], "is compressed with gzip, so its name must end in .gz"],
  [[0x50, 0x41, 0x52, 0x31], "is a Parquet file; choose the format parquet"],
  [[0x50, 0x4b, 0x03, 0x04], "must be a text file, got a zip archive, possibly a spreadsheet"],
  [[0xff, 0xfe], "must be in UTF-8, got UTF-16"],
  [[0xfe, 0xff], "must be in UTF-8, got UTF-16"],
];

/** Throws if a text file starts with the signature of another format. */
export async function checkTextFile(path: string): Promise<void> {
  const bytes = await firstBytes(path);
  const isGzip = /\.gz$/i.test(path);
  const [, message] =
    SIGNATURES.slice(isGzip ? 1 : 0).find(([signature]) => signature.every((byte, i) => bytes[i] === byte)) ??
    [];
  if (message !== undefined) throw new TableError(`${path} ${message}`);
}

/**
 * Delimiter and column names of a CSV file. Without a header line, columns are named 1, 2, … With a decimal comma, a
 * comma is the delimiter only if no other one occurs.
 */
export async function readCsvHeader(
  path: string,
  hasHeader: boolean,
  decimal: DecimalSign = ".",
): Promise<CsvHeader> {
  const line = await firstLine(path);
  if (line.trim() === "") {
    throw new TableError(
      `${path} must start with a line of ${hasHeader ? "column names" : "values"}, got an empty line`,
    );
  }
  if (line.includes("\0"))
    throw new TableError(`${path} must be text in UTF-8, got a zero byte in its first line`);
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((delimiter) =>
    delimiter === decimal ? 0 : bare.split(delimiter).length - 1,
  );
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))];
  const cells = cellsOf(line, delimiter);
  if (!hasHeader) return { delimiter, names: cells.map((_, i) => `${i + 1}`) };
  // With any delimiter: that of a line such as 2024-01-01;1,5 cannot be told.
  if (DELIMITERS.some((each) => cellsOf(line, each).every((cell) => VALUE.test(cell)))) {
    throw new TableError(
      `${path} must start with a line of column names, got ${quote(line)}; if the file has no column names, read it without a header`,
    );
  }
  return { delimiter, names: cells };
}

/** The cells of a line, without quotes and surrounding blanks. */
function cellsOf(line: string, delimiter: string): string[] {
  // The pattern expects a delimiter before every cell, so that empty cells match, too.
  const field = new RegExp(`\\${delimiter}(?:\\s*"((?:[^"]|"")*)"\\s*|([^\\${delimiter}]*))`, "g");
  return Array.from(`${delimiter}${line}`.matchAll(field), ([, inQuotes, plain]) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(new Uint8Array(4), 0, 4, 0);
    return buffer;
  } finally {
    await file.close();
  }
}

async function firstLine(path: string): Promise<string> {
  const file = createReadStream(path);
  const stream: Readable = /\.gz$/i.test(path) ? file.pipe(createGunzip()) : file;
  // `pipe` does not forward errors of the file to the next stream.
  file.on("error", (error) => stream.destroy(error));
  const chunks: Buffer[] = [];
  let text = "";
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      text = Buffer.concat(chunks).toString("utf8");
      if (endOfLine(text) >= 0 || text.length > MAX_HEADER) break;
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code?.startsWith("Z_") ? "it is not a complete gzip file" : message;
    throw new TableError(`${path} cannot be read: ${reason}`, { cause });
  } finally {
    file.destroy();
  }
  text = text.replace(/^\ufeff/, "");
  if (text === "") throw new TableError(`${path} is empty`);
  const line = text.split("\n", 1)[0];
  // DuckDB does not reliably find the end of a first line that has line breaks in quotes.
  if (endOfLine(text) > line.length) {
    throw new TableError(`${path} must have a first line without line breaks in quotes, got ${quote(line)}`);
  }
  if (/\r[^\n]/.test(line)) {
    throw new TableError(`${path} must have lines that end in a line feed, got carriage returns only`);
  }
  return line.replace(/\r$/, "");
}

/** Index of the first line feed outside quotes; -1 if there is none. */
function endOfLine(text: string): number {
  let inQuotes = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') inQuotes = !inQuotes;
    else if (text[i] === "\n" && !inQuotes) return i;
  }
  return -1;
}
