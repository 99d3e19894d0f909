// Events as lines of JSON.
//
// JSON has no NaN and no infinities. The strings "NaN", "Infinity" and "-Infinity" stand for them.

import type { FileHandle } from "node:fs/promises";
import { finiteJson } from "../formats/finite-json.ts";
import type { TrainEvent } from "../gfn/training/events.ts";

const NEWLINE = 10;

const NOT_FINITE = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => [String(value), value]),
);

export function formatEvent(event: object): string {
  return `${finiteJson(event)}\n`;
}

/** Most lines have no such string, and parsing them without a reviver is several times faster. */
const HAS_NOT_FINITE = /"(?:NaN|-?Infinity)"/;

/** Parses a line; null if it is not an event. */
export function parseEvent(line: string): TrainEvent | null {
  try {
    const event = HAS_NOT_FINITE.test(line)
      ? JSON.parse(line, (_, value) => NOT_FINITE.get(value) ?? value)
      : JSON.parse(line);
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

/** Bytes that are read at a time from the end of a file. */
const CHUNK = 2 ** 14;

/** The events of a file from its end, at most those in its last `most` bytes. A line that is no event is left out. */
export async function* eventsFromEnd(file: FileHandle, most: number): AsyncGenerator<TrainEvent, void> {
  const { size } = await file.stat();
  const limit = Math.max(0, size - most);
  /** The start of the first line of what was read, whose beginning is still to be read. */
  let rest: Uint8Array = new Uint8Array(0);
  // Text after the last line break of the file was cut off by a crash, or is still being written.
  let isComplete = false;
  for (let end = size; end > limit; ) {
    const from = Math.max(limit, end - CHUNK);
    const chunk = Buffer.alloc(end - from);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
    const bytes = Buffer.concat([chunk.subarray(0, bytesRead), rest]);
    let stop = bytes.length;
    for (
      let at = bytes.lastIndexOf(NEWLINE);
      at >= 0;
      at = at > 0 ? bytes.lastIndexOf(NEWLINE, at - 1) : -1
    ) {
      const event = isComplete ? parseEvent(bytes.toString("utf8", at + 1, stop)) : null;
      isComplete = true;
      stop = at;
      if (event) yield event;
    }
    rest = bytes.subarray(0, stop);
    end = from;
  }
  const first = isComplete && limit === 0 ? parseEvent(new TextDecoder().decode(rest)) : null;
  if (first) yield first;
}
