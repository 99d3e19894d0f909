// Opens and reads files without following symbolic links.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { checkRegular } from "./regular-file.ts";
import { diskError, withDiskErrors } from "./run-error.ts";

/** Do not follow symbolic links, and do not wait for the other end of a named pipe. Windows has neither flag. */
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file for reading and appending. Creates it if it does not exist. */
export function openToAppend(path: string): Promise<FileHandle> {
  return openSafely("written", path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
}

/** Opens a file for reading; null if it does not exist. */
export function openIfExists(path: string): Promise<FileHandle | null> {
  return openSafely("read", path, constants.O_RDONLY).catch((error: Error) => {
    if (isMissing(error.cause)) return null;
    throw error;
  });
}

/** The content of a file; null if it does not exist. */
export async function readBytes(path: string): Promise<Uint8Array | null> {
  const handle = await openIfExists(path);
  if (!handle) return null;
  try {
    const bytes = await withDiskErrors("read", path, () => handle.readFile());
    // A view at an offset may be unaligned for 4-byte numbers, so it is copied.
    return bytes.byteOffset === 0 ? new Uint8Array(bytes.buffer, 0, bytes.length) : new Uint8Array(bytes);
  } finally {
    await handle.close();
  }
}

export async function readText(path: string): Promise<string | null> {
  const bytes = await readBytes(path);
  return bytes && new TextDecoder().decode(bytes);
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

async function openSafely(verb: "read" | "written", path: string, flags: number): Promise<FileHandle> {
  const handle = await withDiskErrors(verb, path, () => open(path, flags | SAFE_FLAGS, 0o666));
  try {
    checkRegular(await handle.stat(), path);
    return handle;
  } catch (error) {
    await handle.close();
    throw diskError(verb, path, error);
  }
}
