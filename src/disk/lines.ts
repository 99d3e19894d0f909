// Reads files of any size line by line. Text after the last line break was cut off by a crash and does not count.

import type { FileHandle } from "node:fs/promises";

const CHUNK = 2 ** 16;
const NEWLINE = 10;

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
