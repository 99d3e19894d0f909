// The entries at some paths, for a report: the folder of a run, a design, a comparison or a backtest, or a folder of these.

import { realpath, stat } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { isMissing } from "../disk/open-file.ts";
import { RunError, RunNameError, withDiskErrors } from "../disk/run-error.ts";
import { findEntryFolders } from "./entry-folders.ts";
import { type IndexedEntry, readEntries } from "./entry-index.ts";
import type { EntryFolder } from "./found-entry.ts";

export interface ReportEntries {
  /** In the order of the paths. */
  readonly chosen: readonly IndexedEntry[];
  /** With the experiments of comparisons, by id. */
  readonly all: ReadonlyMap<string, IndexedEntry>;
}

/** Throws a RunError if a path has no entry, or one that cannot be read. */
export async function entriesAt(paths: readonly string[]): Promise<ReportEntries> {
  const roots: string[] = [];
  const found: EntryFolder[] = [];
  for (const path of [...new Set(paths.map((each) => resolve(each)))]) {
    const root = await folderAt(path);
    const folders = await findEntryFolders(root);
    if (folders.length === 0) {
      throw new RunNameError(
        `${path} is not a run, a design, a comparison, a backtest or a forecast, and has none inside; give the folder of one`,
      );
    }
    for (const folder of folders) {
      if (roots.includes(folder.path)) continue;
      roots.push(folder.path);
      found.push(folder);
    }
  }
  const ids = idsOf(roots);
  const folders = found.map((folder, i) => ({ ...folder, id: ids[i] }));
  const all = await readEntries(folders);
  const chosen = folders.flatMap(({ id }) => all.get(id) ?? []);
  const broken = chosen.find(({ entry }) => entry.state === "broken");
  if (broken) throw brokenError(broken);
  return { chosen, all };
}

/** The problem of an entry, with its folder. */
function brokenError({ entry, folder }: IndexedEntry): RunError {
  const problem = entry.problem ?? "it cannot be read";
  return new RunError(problem.includes(folder) ? problem : `${folder}: ${problem}`);
}

async function folderAt(path: string): Promise<string> {
  const info = await withDiskErrors("read", path, () => stat(path)).catch((error: Error) => {
    if (!isMissing(error.cause)) throw error;
    throw new RunNameError(`there is no run at ${path}; check the name, or start a run`, {
      remedy: { action: "train" },
    });
  });
  if (!info.isDirectory()) throw new RunNameError(`${path} is a file; give the folder of a run`);
  return realpath(path);
}

/** The names of the folders if they are unique, else their paths below the folder that they share. No id tells more about
 * the machine. */
function idsOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => basename(path));
  if (new Set(names).size === names.length) return names;
  let shared = dirname(paths[0]);
  while (!paths.every((path) => path.startsWith(shared.endsWith(sep) ? shared : shared + sep))) {
    shared = dirname(shared);
  }
  return paths.map((path) => relative(shared, path).replaceAll("\\", "/"));
}
