// Events as lines of JSON, and a file of them read line by line, however large.
//
// JSON has no NaN and no infinities. They are written as the strings "NaN", "Infinity" and "-Infinity", and these
// strings are read as numbers again.

import type { FileHandle } from "node:fs/promises";
import type { TrainEvent } from "../gfn/events.ts";

const NOT_FINITE = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => [String(value), value]),
);
const CHUNK = 2 ** 16;
const NEWLINE = 10;

export function writeLine(event: object): string {
  const text = JSON.stringify(event, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );
  return `${text}\n`;
}

/** The event of a line, or null if it is none. */
export function readLine(line: string): TrainEvent | null {
  try {
    const event = JSON.parse(line, (_, value) => NOT_FINITE.get(value) ?? value);
    return typeof event === "object" && typeof event?.kind === "string" ? event : null;
  } catch {
    return null;
  }
}

/** The iteration after which an event happened; undefined if it belongs to none, as a start does. */
export function iterationOf(event: TrainEvent): number | undefined {
  if (event.kind === "end") return event.iterations;
  return "iteration" in event ? event.iteration : undefined;
}

export interface Line {
  readonly text: string;
  /** Where the file goes on after it. */
  readonly end: number;
}

/** All lines that are whole; what comes after the last line break was torn by a crash, or is still being written. */
export async function* linesOf(file: FileHandle): AsyncGenerator<Line> {
  let rest: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
  let position = 0;
  for (;;) {
    const chunk = new Uint8Array(CHUNK);
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return;
    const start = position - rest.length;
    position += bytesRead;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield { text: bytes.toString("utf8", from, at), end: start + at + 1 };
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
}

/** Where the last whole line of a file ends. */
export async function endOfLines(file: FileHandle): Promise<number> {
  let { size: position } = await file.stat();
  while (position > 0) {
    const from = Math.max(0, position - CHUNK);
    const chunk = Buffer.alloc(position - from);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    position = from;
  }
  return 0;
}

/** The last events of a file, in order, from at least this many bytes. */
export async function lastEvents(file: FileHandle, bytes: number): Promise<TrainEvent[]> {
  const { size } = await file.stat();
  const from = Math.max(0, size - bytes);
  const chunk = Buffer.alloc(size - from);
  const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
  const lines = chunk.toString("utf8", 0, bytesRead).split("\n").slice(0, -1);
  // The first line has its beginning before what was read.
  return (from > 0 ? lines.slice(1) : lines).flatMap((line) => readLine(line) ?? []);
}
