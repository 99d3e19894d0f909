// The metrics of a run, while it is written: whole lines only, whatever happens.

import { ftruncateSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { TrainEvent } from "../gfn/events.ts";
import { endOfLines, iterationOf, linesOf, readLine, writeLine } from "./metrics-lines.ts";
import { diskError, onDisk, RunError } from "./run-error.ts";
import { isMissing, openToAppend, openToRead } from "./run-files.ts";

/** Lines wait until there are this many bytes of them, or for this long. */
const MOST_WAITING = 2 ** 16;
const LONGEST_WAIT_MS = 1000;

export class MetricsFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Bytes in the file, all of them whole lines. */
  #size: number;
  #waiting: string[] = [];
  #waitingSize = 0;
  #flushed = performance.now();
  /** After a failure nothing more is written: there would be a hole. */
  #failure: unknown;

  private constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or makes the file, and drops a last line that a crash has torn. */
  static async open(path: string): Promise<MetricsFile> {
    const handle = await openToAppend(path);
    try {
      const size = await endOfLines(handle);
      await handle.truncate(size);
      return new MetricsFile(path, handle, size);
    } catch (error) {
      await handle.close();
      throw diskError("written", path, error);
    }
  }

  /** Writes at once what is rare, and iterations together. */
  append(event: { readonly kind: string }): void {
    if (this.#failure) throw this.#failure;
    const line = writeLine(event);
    this.#waiting.push(line);
    this.#waitingSize += line.length;
    const late = performance.now() - this.#flushed > LONGEST_WAIT_MS;
    if (event.kind !== "iteration" || late || this.#waitingSize > MOST_WAITING) this.flush();
  }

  /** Blocks for the moment it takes, so that lines keep their order whoever does not wait. */
  flush(): void {
    if (this.#failure) throw this.#failure;
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#flushed = performance.now();
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#handle.fd, bytes, done);
      this.#size += bytes.length;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Everything appended is on disk after it. */
  async sync(): Promise<void> {
    this.flush();
    await this.#handle.sync().catch((error: unknown) => this.#fail(error));
  }

  /** Drops everything from the first event after this iteration on. One change of the file's length: all or nothing. */
  async truncate(iteration: number): Promise<void> {
    this.flush();
    await onDisk("written", this.#path, async () => {
      let end = 0;
      for await (const line of linesOf(this.#handle)) {
        const event = readLine(line.text);
        if (event && (iterationOf(event) ?? 0) > iteration) break;
        if (event) end = line.end;
      }
      await this.#handle.truncate(end);
      await this.#handle.sync();
      this.#size = end;
    });
  }

  /** Throws what a last flush throws, but not a failure that was thrown before. */
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
      ftruncateSync(this.#handle.fd, this.#size); // a part of a line may be there
    } catch {
      // Then the next one who opens it does that.
    }
    throw this.#failure;
  }
}

/** All events of a file, none if there is no file. A last line that is not whole is left out. */
export async function readEvents(path: string): Promise<TrainEvent[]> {
  const file = await openToRead(path).catch((error: Error) => {
    if (isMissing(error.cause)) return null;
    throw error;
  });
  if (!file) return [];
  try {
    const events: TrainEvent[] = [];
    let number = 0;
    for await (const { text } of linesOf(file)) {
      number++;
      const event = readLine(text);
      if (!event) throw new RunError(`${path}, line ${number} is damaged; remove that line`);
      events.push(event);
    }
    return events;
  } finally {
    await file.close();
  }
}
