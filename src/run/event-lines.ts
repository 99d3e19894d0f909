// Events as lines of JSON, and functions that read files of any size line by line.
//
// JSON has no NaN and no infinities. The strings "NaN", "Infinity" and "-Infinity" stand for them.

import type { FileHandle } from "node:fs/promises";
import type { TrainEvent } from "../gfn/training/events.ts";

const NOT_FINITE = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => [String(value), value]),
);
const CHUNK = 2 ** 16;
const NEWLINE = 10;

export function formatEvent(event: object): string {
  const text = JSON.stringify(event, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );
  return `${text}\n`;
}

/** Parses a line; null if it is not an event. */
export function parseEvent(line: string): TrainEvent | null {
  try {
    const event = JSON.parse(line, (_, value) => NOT_FINITE.get(value) ?? value);
    return typeof event === "object" && typeof event?.kind === "string" ? event : null;
  } catch {
    return null;
  }
}

/** The iteration after which an event happened; undefined for a start event. */
export function iterationOf(event: TrainEvent): number | undefined {
  if (event.kind === "end") return event.iterations;
  return "iteration" in event ? event.iteration : undefined;
}

export interface Line {
  readonly text: string;
  /** Offset of the next line in the file. */
  readonly end: number;
}

/** All complete lines. Text after the last line break was cut off by a crash, or is still being written. */
export async function* readLines(file: FileHandle): AsyncGenerator<Line> {
  let incomplete: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
  let position = 0;
  for (;;) {
    const chunk = new Uint8Array(CHUNK);
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return;
    const start = position - incomplete.length;
    position += bytesRead;
    const bytes = Buffer.concat([incomplete, chunk.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield { text: bytes.toString("utf8", from, at), end: start + at + 1 };
      from = at + 1;
    }
    incomplete = bytes.subarray(from);
  }
}

/** Offset of the end of the last complete line. */
export async function endOfLastLine(file: FileHandle): Promise<number> {
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

/** The events in the last `bytes` bytes of a file, in order. */
export async function lastEvents(file: FileHandle, bytes: number): Promise<TrainEvent[]> {
  const { size } = await file.stat();
  const from = Math.max(0, size - bytes);
  const chunk = Buffer.alloc(size - from);
  const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
  const lines = chunk.toString("utf8", 0, bytesRead).split("\n").slice(0, -1);
  // The first line may have started before the bytes that were read.
  return (from > 0 ? lines.slice(1) : lines).flatMap((line) => parseEvent(line) ?? []);
}
