// Where results go is looked at before anything is learned: afterwards is a bad time to hear that a folder is missing.

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../fail.ts";

/** Refuses files, by their flags, that cannot be written, that are the same, or that are the data themselves. */
export async function checkPlaces(
  files: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<void> {
  const taken = new Map([[resolve(data), "the data"]]);
  for (const [flag, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const path = resolve(file);
    const other = taken.get(path);
    if (other !== undefined)
      throw new UsageError(`${flag} must name a file of its own, got that of ${other}`);
    taken.set(path, flag);
    if (await isFolder(path)) throw new UsageError(`${flag} must name a file, got the folder ${file}`);
    if (!(await isFolder(dirname(path)))) {
      throw new UsageError(`${flag} must name a file in a folder that is there, got ${file}`);
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
