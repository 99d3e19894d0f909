// The files of a run. Their names are fixed, and none is followed out of its folder.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { onDisk, RunError } from "./run-error.ts";

export const RUN_FILES = {
  /** Everything the run was told, complete. */
  config: "config.json",
  /** What happened, one event per line. */
  metrics: "metrics.jsonl",
  /** Where it can go on from. */
  checkpoint: "checkpoint.safetensors",
  /** Objects that were drawn. */
  samples: "samples.csv",
  /** The run as a page, made on request. */
  report: "report.html",
  /** Which process writes to it. */
  lock: "run.lock",
} as const;

/** Missing on Windows. O_NONBLOCK is for named pipes, which would wait for someone at the other end. */
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function openToRead(path: string): Promise<FileHandle> {
  return openSafely("read", path, constants.O_RDONLY);
}

/** For reading, and writing at the end; makes it if it is not there. */
export function openToAppend(path: string): Promise<FileHandle> {
  return openSafely("written", path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
}

/** All of a file, or null if there is none. */
export async function readWhole(path: string): Promise<Uint8Array | null> {
  const handle = await openToRead(path).catch((error: Error) => {
    if (isMissing(error.cause)) return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const bytes = await onDisk("read", path, () => handle.readFile());
    // A buffer that begins inside another cannot be seen as numbers of four bytes.
    return bytes.byteOffset === 0 ? new Uint8Array(bytes.buffer, 0, bytes.length) : new Uint8Array(bytes);
  } finally {
    await handle.close();
  }
}

export async function readText(path: string): Promise<string | null> {
  const bytes = await readWhole(path);
  return bytes && new TextDecoder().decode(bytes);
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

async function openSafely(verb: "read" | "written", path: string, flags: number): Promise<FileHandle> {
  const handle = await onDisk(verb, path, () => open(path, flags | SAFELY, 0o666));
  const info = await handle.stat();
  if (info.isFile()) return handle;
  await handle.close();
  throw new RunError(`${path} cannot be ${verb}: it is ${info.isDirectory() ? "a folder" : "not a file"}`);
}
