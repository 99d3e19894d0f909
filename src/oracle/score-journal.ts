// The journal of a score store: an append-only file of JSON lines, which holds every string that was sent to an oracle
// and every answer.
//
// A crash can cut off the last line only; `open` drops it. Lines are written before the call returns, so they survive
// the end of this process. `sync` waits until they survive a power failure, too; calls that overlap share one sync.

import { fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../disk/atomic-file.ts";
import { endOfLastLine, readLines } from "../disk/lines.ts";
import { openToAppend } from "../disk/open-file.ts";
import { diskError, RunError, withDiskErrors } from "../disk/run-error.ts";
import type { Answer } from "./oracle.ts";

/** A string with its answer, as the journal has it. */
export type JournalAnswer = { readonly string: string } & Answer;

/** One line of the journal. */
export type JournalLine =
  /** The first line. */
  | { readonly format: typeof FORMAT; readonly version: typeof FORMAT_VERSION }
  /** The version of the oracle that the lines after this one belong to. */
  | { readonly oracle: string; readonly label: string }
  /** Strings that are about to be sent: as many calls. */
  | { readonly sent: readonly string[] }
  /** Answers of the oracle. */
  | { readonly answers: readonly JournalAnswer[] }
  /** Scores that did not come from the oracle, such as measurements. They cost no calls. */
  | { readonly told: readonly JournalAnswer[] };

/** As long as the fastest of the last syncs took less time than this, in milliseconds, they run in this thread: handing them
 * to another one and waiting for it takes longer, above all on a busy machine. The fastest shows the speed of the disk, which
 * an average over moments of load does not. */
const SHORT_SYNC = 2;
const LAST_SYNCS = 8;

const FORMAT = "gflownet-scores";
const FORMAT_VERSION = 1;

export class ScoreJournal {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Size of the file in bytes, which contain complete lines only. */
  #size: number;
  /** The first write error. Nothing is written after it, because the file would have a gap. */
  #failure: unknown;
  /** The sync that runs now, and the one that begins after it. */
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** How long the last syncs took, in milliseconds. */
  readonly #syncTimes: number[] = [0];

  private constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or creates the file, drops an incomplete last line, and passes all lines to `read`. */
  static async open(path: string, read: (line: JournalLine) => void): Promise<ScoreJournal> {
    const handle = await openToAppend(path);
    try {
      const size = await withDiskErrors("read", path, () => endOfLastLine(handle));
      let number = 0;
      for await (const { text } of readLines(handle)) read(parseLine(text, path, ++number));
      await withDiskErrors("written", path, () => handle.truncate(size));
      const journal = new ScoreJournal(path, handle, size);
      if (size === 0) {
        journal.append({ format: FORMAT, version: FORMAT_VERSION });
        await journal.sync();
        await syncFolder(dirname(path));
      }
      return journal;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Writes a line. Synchronous, so that lines keep their order. Throws a RunError if the disk is full. */
  append(line: JournalLine): void {
    if (this.#failure) throw this.#failure;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#handle.fd, bytes, done);
      this.#size += bytes.length;
    } catch (error) {
      try {
        ftruncateSync(this.#handle.fd, this.#size); // removes a line that was written in part
      } catch {
        // The next call of `open` removes it.
      }
      this.#fail(error);
    }
  }

  /** Waits until all lines that were appended before this call are on disk. */
  sync(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#sync();
      return this.#running;
    }
    // The running sync may have begun before the last line was appended, so another one follows it.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#sync();
        return this.#running;
      });
    return this.#next;
  }

  async #sync(): Promise<void> {
    try {
      if (this.#failure) throw this.#failure;
      const start = performance.now();
      try {
        if (Math.min(...this.#syncTimes) < SHORT_SYNC) fdatasyncSync(this.#handle.fd);
        else await this.#handle.datasync();
      } catch (error) {
        this.#fail(error);
      }
      this.#syncTimes.push(performance.now() - start);
      if (this.#syncTimes.length > LAST_SYNCS) this.#syncTimes.shift();
    } finally {
      if (!this.#next) this.#running = null;
    }
  }

  /** Throws if the last sync fails, but not for an earlier error, which was already thrown. */
  async close(): Promise<void> {
    try {
      if (!this.#failure) await this.sync();
    } finally {
      await this.#handle.close();
    }
  }

  #fail(error: unknown): never {
    this.#failure = diskError("written", this.#path, error);
    throw this.#failure;
  }
}

function parseLine(text: string, path: string, number: number): JournalLine {
  let line: Record<string, unknown> | null = null;
  try {
    line = JSON.parse(text);
  } catch {
    // Not JSON: refused below.
  }
  if (number === 1 && (line?.format !== FORMAT || line?.version !== FORMAT_VERSION)) {
    throw new RunError(
      `${path} must be a journal of scores of version ${FORMAT_VERSION}, got another file; choose another folder`,
    );
  }
  if (number === 1 || isJournalLine(line)) return line as unknown as JournalLine;
  throw new RunError(`${path}, line ${number} is not a line of a journal of scores; remove that line`);
}

function isJournalLine(line: Record<string, unknown> | null): boolean {
  if (line === null || typeof line !== "object") return false;
  if (typeof line.oracle === "string") return true;
  if (Array.isArray(line.sent)) return line.sent.every((string) => typeof string === "string");
  const answers = line.answers ?? line.told;
  return Array.isArray(answers) && answers.every(isAnswer);
}

function isAnswer(value: unknown): boolean {
  const { string, score, uncertainty, values, failure } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof string !== "string") return false;
  if (typeof failure === "string") return true;
  const isListed = values === undefined || (Array.isArray(values) && values.every(Number.isFinite));
  return isListed && Number.isFinite(score) && (uncertainty === undefined || Number.isFinite(uncertainty));
}
