// Files that a problem file names. It may be a stranger's, so only files in its own folder are read, and those that the
// user gave on the command line.

import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileProblem } from "../issues.ts";

/** Where named files may lie. */
export interface FilePlace {
  /** The folder of the problem file. */
  readonly folder: string;
  /** Files elsewhere that the user allows. */
  readonly allowed: readonly string[];
}

/** The path of a named file with all symbolic links resolved, or what is wrong with it. A file elsewhere is not touched. */
export async function namedFile(
  name: string,
  { folder, allowed }: FilePlace,
): Promise<{ readonly file: string } | { readonly problem: string }> {
  const path = resolve(folder, name);
  const elsewhere = {
    problem: `must be a file in the folder of the problem file, or one that is given on the command line, got ${name}`,
  };
  const given = await Promise.all(allowed.map((file) => realpath(file).catch(() => resolve(file))));
  if (!isInside(folder, path) && !given.includes(path) && !allowed.some((file) => resolve(file) === path)) {
    return elsewhere;
  }
  try {
    const file = await realpath(path);
    return isInside(await realpath(folder), file) || given.includes(file) ? { file } : elsewhere;
  } catch (error) {
    return { problem: `must be a file that can be read, got ${path}: ${fileProblem(error)}` };
  }
}

/** Whether a path lies below a folder, by its words alone: symbolic links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
