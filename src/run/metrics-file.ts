// The metrics file of a run: appends events as lines, so that after a crash the file contains complete lines only.

import { ftruncateSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { endOfLastLine, readLines } from "../disk/lines.ts";
import { openIfExists, openToAppend } from "../disk/open-file.ts";
import { diskError, RunError, withDiskErrors } from "../disk/run-error.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { formatEvent, iterationOf, parseEvent } from "./event-lines.ts";

/** Iteration events are buffered up to this many characters. */
const MAX_BUFFERED = 2 ** 16;
/** Iteration events are buffered for at most this long. */
const MAX_BUFFERED_MS = 1000;

export class MetricsFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Size of the file in bytes, which contain complete lines only. */
  #size: number;
  #buffered: string[] = [];
  #bufferedSize = 0;
  #flushed = performance.now();
  /** The first write error. No further event is written after it, because the file would have a gap. */
  #failure: unknown;

  private constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or creates the file, and removes an incomplete last line, which a crash may have left. */
  static async open(path: string): Promise<MetricsFile> {
    const handle = await openToAppend(path);
    try {
      const size = await endOfLastLine(handle);
      await handle.truncate(size);
      return new MetricsFile(path, handle, size);
    } catch (error) {
      await handle.close();
      throw diskError("written", path, error);
    }
  }

  /** Buffers iteration events; writes all other events immediately. */
  append(event: { readonly kind: string }): void {
    if (this.#failure) throw this.#failure;
    const line = formatEvent(event);
    this.#buffered.push(line);
    this.#bufferedSize += line.length;
    const late = performance.now() - this.#flushed > MAX_BUFFERED_MS;
    if (event.kind !== "iteration" || late || this.#bufferedSize > MAX_BUFFERED) this.flush();
  }

  /** Writes the buffer. Synchronous, so that lines keep their order even if callers do not await. */
  flush(): void {
    if (this.#failure) throw this.#failure;
    const bytes = Buffer.from(this.#buffered.join(""));
    this.#buffered = [];
    this.#bufferedSize = 0;
    this.#flushed = performance.now();
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#handle.fd, bytes, done);
      this.#size += bytes.length;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Writes the buffer and waits until the file is on disk. */
  async sync(): Promise<void> {
    this.flush();
    await this.#handle.sync().catch((error: unknown) => this.#fail(error));
  }

  /** Removes the first event after this iteration and everything behind it, in one truncation, so that a crash leaves
   * either all of it or nothing. */
  async truncate(iteration: number): Promise<void> {
    this.flush();
    await withDiskErrors("written", this.#path, async () => {
      let end = 0;
      for await (const line of readLines(this.#handle)) {
        const event = parseEvent(line.text);
        if (event && (iterationOf(event) ?? 0) > iteration) break;
        if (event) end = line.end;
      }
      await this.#handle.truncate(end);
      await this.#handle.sync();
      this.#size = end;
    });
  }

  /** Throws if the last write fails, but not for an earlier error, which was already thrown. */
  async close(): Promise<void> {
    try {
      if (!this.#failure) await this.sync();
    } finally {
      await this.#handle.close();
    }
  }

  #fail(error: unknown): never {
    this.#failure = diskError("written", this.#path, error);
    try {
      ftruncateSync(this.#handle.fd, this.#size); // removes a line that was written in part
    } catch {
      // The next call of `open` removes it.
    }
    throw this.#failure;
  }
}

/** All events of a file, without an incomplete last line; none if the file does not exist. */
export async function readEvents(path: string): Promise<TrainEvent[]> {
  const file = await openIfExists(path);
  if (!file) return [];
  try {
    const events: TrainEvent[] = [];
    let lineNumber = 0;
    for await (const { text } of readLines(file)) {
      lineNumber++;
      const event = parseEvent(text);
      if (!event) throw new RunError(`${path}, line ${lineNumber} is not an event; remove that line`);
      events.push(event);
    }
    return events;
  } finally {
    await file.close();
  }
}
