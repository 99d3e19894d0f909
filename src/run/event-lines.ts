// Events as lines of JSON.
//
// JSON has no NaN and no infinities. The strings "NaN", "Infinity" and "-Infinity" stand for them.

import type { FileHandle } from "node:fs/promises";
import type { TrainEvent } from "../gfn/training/events.ts";

const NOT_FINITE = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => [String(value), value]),
);

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
