// Follows the metrics of one entry: new points as messages of limited size, each with the position after it.

import { openIfExists } from "../disk/open-file.ts";
import { readLine } from "./event-values.ts";
import { endPosition, type Position, readPiece, START } from "./file-position.ts";
import type { MetricsSource } from "./metric-store.ts";
import type { StreamMessage, StreamPoint } from "./page-data.ts";

/** A message and where to go on after it. */
export interface Followed {
  readonly message: StreamMessage | null;
  readonly position: Position;
  /** Whether there may be more to read now. */
  readonly hasMore: boolean;
}

/** The position after the last point that the entry has now. */
export async function positionNow({ file }: MetricsSource): Promise<Position> {
  const handle = await openIfExists(file);
  if (!handle) return START;
  try {
    return await endPosition(handle);
  } finally {
    await handle.close();
  }
}

/** The next message of an entry. If its file was rewritten, all points follow again after a message that says so. */
export async function nextMessage(
  entry: string,
  { file, format }: MetricsSource,
  position: Position,
  batch: number | null,
): Promise<Followed> {
  const restart = { message: { entry, kind: "restart" }, position: START, hasMore: true } as const;
  const handle = await openIfExists(file);
  if (!handle) return position.offset > 0 ? restart : { message: null, position, hasMore: false };
  try {
    const piece = await readPiece(handle, position);
    if (!piece) return restart;
    const points = pointsOf(piece.lines, format, batch);
    const message = Object.keys(points).length > 0 ? ({ entry, kind: "points", points } as const) : null;
    return { message, position: piece.position, hasMore: piece.hasMore };
  } finally {
    await handle.close();
  }
}

function pointsOf(
  lines: readonly string[],
  format: MetricsSource["format"],
  batch: number | null,
): Record<string, StreamPoint[]> {
  const points: Record<string, StreamPoint[]> = {};
  let at: [iteration: number, calls: number | null, seconds: number | null] = [0, null, null];
  for (const line of lines) {
    readLine(line, format, {
      at: (iteration, calls, seconds) => {
        const counted = Number.isNaN(calls) ? batch && iteration * batch : calls;
        at = [iteration, counted, Number.isNaN(seconds) ? null : seconds];
      },
      value: ({ name }, value) => {
        points[name] ??= [];
        points[name].push([...at, value]);
      },
    });
  }
  return points;
}
