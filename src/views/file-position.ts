// Reads a growing file of lines piece by piece, from a position that also notices if the file was rewritten.
//
// A run that is resumed drops the metrics after its checkpoint and writes them again, so an offset alone may point into
// other lines than before. A position therefore has a checksum of the bytes before it.

import type { FileHandle } from "node:fs/promises";
import { RunError } from "../disk/run-error.ts";
import { crc32 } from "../formats/crc32.ts";

/** A place between two lines of a file. */
export interface Position {
  readonly offset: number;
  /** Checksum of the last bytes before the offset. */
  readonly check: number;
}

export const START: Position = { offset: 0, check: 0 };

/** Complete lines after a position, and the position after them. */
export interface Piece {
  readonly lines: readonly string[];
  readonly position: Position;
  /** Whether the file had more bytes than were read. */
  readonly hasMore: boolean;
}

/** Bytes before an offset that are checked: about two lines. */
const CHECKED_BYTES = 256;
/** Bytes of one piece, unless its first line is longer. */
export const PIECE_BYTES = 2 ** 18;
/** A longer line is not one of ours. */
const LONGEST_LINE = 2 ** 24;
const NEWLINE = 10;

/** The next lines; null if the file no longer has what stood before the position. */
export async function readPiece(
  file: FileHandle,
  { offset, check }: Position,
  bytes: number = PIECE_BYTES,
): Promise<Piece | null> {
  const before = Math.min(offset, CHECKED_BYTES);
  const { size } = await file.stat();
  for (let most = bytes; ; most *= 4) {
    const length = Math.max(0, Math.min(most, size - offset));
    const buffer = Buffer.allocUnsafe(before + length);
    const bytesRead = await readFully(file, buffer, offset - before);
    if (bytesRead < before || crc32(buffer.subarray(0, before)) !== check) return null;
    const read = buffer.subarray(before, bytesRead);
    const end = read.lastIndexOf(NEWLINE) + 1;
    const hasMore = offset + read.length < size;
    if (end === 0 && hasMore && most < LONGEST_LINE) continue;
    if (end === 0 && hasMore) {
      throw new RunError(`a line of the metrics has more than ${LONGEST_LINE} bytes; remove it`);
    }
    const last = buffer.subarray(Math.max(0, before + end - CHECKED_BYTES), before + end);
    return {
      lines: end === 0 ? [] : read.toString("utf8", 0, end - 1).split("\n"),
      position: end === 0 ? { offset, check } : { offset: offset + end, check: crc32(last) },
      hasMore,
    };
  }
}

/** The position after the last complete line. */
export async function endPosition(file: FileHandle): Promise<Position> {
  const { size } = await file.stat();
  for (let length = CHECKED_BYTES * 4; ; length *= 8) {
    const from = Math.max(0, size - length);
    const buffer = Buffer.allocUnsafe(size - from);
    const bytesRead = await readFully(file, buffer, from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
    // The checked bytes must lie in what was read.
    if (end > 0 && (from === 0 || end >= CHECKED_BYTES)) {
      const last = buffer.subarray(Math.max(0, end - CHECKED_BYTES), end);
      return { offset: from + end, check: crc32(last) };
    }
    if (from === 0 || length > LONGEST_LINE) return START;
  }
}

async function readFully(file: FileHandle, buffer: Buffer, from: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
