// How a file begins: whether it is what its name says, and the first line of a CSV file with the names of its columns.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { quoted, TableError } from "./table-error.ts";

export interface Header {
  readonly delimiter: string;
  readonly names: readonly string[];
}

const DELIMITERS = [",", ";", "\t", "|"];
/** A header longer than this is none. */
const LONGEST_HEADER = 2 ** 20;
/** A value and no name: a number, or a date. */
const VALUE = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|^\d{4}-\d{1,2}-\d{1,2}([T ].*)?$/i;
/** Bytes that files of other kinds begin with, and what is said of them. */
const MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0x1f, 0x8b], "is gzipped, so its name must end in .gz"],
  [[0x50, 0x41, 0x52, 0x31], "is a Parquet file; set format to parquet"],
  [[0x50, 0x4b, 0x03, 0x04], "is a zip archive, as those of spreadsheets are, and no text"],
  [[0xff, 0xfe], "must be in UTF-8, got UTF-16"],
  [[0xfe, 0xff], "must be in UTF-8, got UTF-16"],
];

/** Refuses a file of text that begins as files of other kinds do. */
export async function checkText(path: string): Promise<void> {
  const begin = await firstBytes(path);
  const isGzip = /\.gz$/i.test(path);
  const [, what] =
    MARKS.slice(isGzip ? 1 : 0).find(([mark]) => mark.every((byte, i) => begin[i] === byte)) ?? [];
  if (what !== undefined) throw new TableError(`${path} ${what}`);
}

/** The names of a CSV file's columns, by its first line or by their numbers, and what stands between them. */
export async function readHeader(path: string, named: boolean): Promise<Header> {
  const line = await firstLine(path);
  if (line.trim() === "") {
    throw new TableError(`${path} must begin with a line of ${named ? "names" : "values"}, got an empty one`);
  }
  if (line.includes("\0"))
    throw new TableError(`${path} must be text in UTF-8, got a zero byte in its first line`);
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))];
  // Every name has a delimiter before it, so that one without letters is found, too.
  const field = new RegExp(`\\${delimiter}(?:\\s*"((?:[^"]|"")*)"\\s*|([^\\${delimiter}]*))`, "g");
  const cells = Array.from(`${delimiter}${line}`.matchAll(field), ([, inQuotes, plain]) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );
  if (!named) return { delimiter, names: cells.map((_, i) => `${i + 1}`) };
  if (cells.every((cell) => VALUE.test(cell))) {
    throw new TableError(
      `${path} must begin with a line of names, got ${quoted(line)}; if it has none, set header to false`,
    );
  }
  return { delimiter, names: cells };
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
  // Errors of the file do not reach the stream that it is piped into.
  file.on("error", (error) => stream.destroy(error));
  const chunks: Buffer[] = [];
  let text = "";
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      text = Buffer.concat(chunks).toString("utf8");
      if (endOfLine(text) >= 0 || text.length > LONGEST_HEADER) break;
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code?.startsWith("Z_") ? "it is no whole gzip file" : message;
    throw new TableError(`${path} cannot be read: ${reason}`, { cause });
  } finally {
    file.destroy();
  }
  text = text.replace(/^\ufeff/, "");
  if (text === "") throw new TableError(`${path} is empty`);
  const line = text.split("\n", 1)[0];
  // DuckDB does not agree with itself on where such a line ends.
  if (endOfLine(text) > line.length) {
    throw new TableError(`${path} must have its first line without breaks in quotes, got ${quoted(line)}`);
  }
  if (/\r[^\n]/.test(line)) {
    throw new TableError(`${path} must have lines that end in a line feed, got carriage returns alone`);
  }
  return line.replace(/\r$/, "");
}

/** Where the first line ends, breaks within quotes left out; -1 if it does not. */
function endOfLine(text: string): number {
  let inQuotes = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') inQuotes = !inQuotes;
    else if (text[i] === "\n" && !inQuotes) return i;
  }
  return -1;
}
