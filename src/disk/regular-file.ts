// Input files must be regular files. Reading a device such as /dev/zero would never end, and reading a pipe or a socket
// would wait for a writer.

import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { UserError } from "../issues.ts";

/** Throws a file-system error, which `fileProblem` explains, if the path is not that of a regular file. */
export function checkRegular(info: Stats, path: string): void {
  if (info.isFile()) return;
  const code = info.isDirectory()
    ? "EISDIR"
    : info.isFIFO()
      ? "IS_PIPE"
      : info.isSocket()
        ? "IS_SOCKET"
        : "IS_DEVICE";
  throw Object.assign(new Error(`${code}: ${path} is not a regular file`), { code, path });
}

/** Opens a regular file for reading. Nothing else is opened, not even for a moment. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  checkRegular(await stat(path), path);
  // Non-blocking, because the path may have become a pipe in between.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    checkRegular(await file.stat(), path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a whole regular file of at most `largest` bytes. */
export async function readRegularFile(path: string, largest: number): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    if (size > largest) {
      throw new UserError(`at most ${largest} bytes can be read, got ${size}; check the path`, {
        source: path,
      });
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}
