// Checks output files before a command starts, so that a missing folder does not lose the results.

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { flagError } from "./run-command.ts";

/** Throws if a file, given by its option, cannot be written, equals another one, or is the data file. */
export async function checkOutputFiles(
  files: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<void> {
  const taken = new Map([[resolve(data), "the data"]]);
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const path = resolve(file);
    const other = taken.get(path);
    if (other !== undefined) throw flagError(option, `must be a different file from ${other}, got ${file}`);
    taken.set(path, option);
    if (await isFolder(path)) throw flagError(option, `must be a file, got the folder ${file}`);
    if (!(await isFolder(dirname(path)))) {
      throw flagError(option, `must be a file in an existing folder, got ${file}`);
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
