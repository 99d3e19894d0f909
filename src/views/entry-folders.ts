// Finds the folders of runs, designs, comparisons, backtests and forecasts: the watched folder itself, the folders in it, and those in
// its default sub-folders. Symbolic links are not followed, so nothing outside of the watched folder is found.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { COMPARISON_FILES } from "../compare/comparison-folder.ts";
import { DESIGN_FILES } from "../design/design-folder.ts";
import { isMissing } from "../disk/open-file.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { FORECAST_FILES } from "../forecast/forecast-folder.ts";
import { IDENTIFYING_FILES } from "../run/list-runs.ts";
import { allAtOnce } from "./all-at-once.ts";
import type { EntryFolder } from "./found-entry.ts";

/** Where the commands write by default. */
export const DEFAULT_FOLDERS = ["runs", "designs", "comparisons", "backtests", "forecasts"] as const;

/** The id of the watched folder itself. */
const SELF = ".";

/** All entry folders, in natural order of their ids; none if the folder does not exist. `root` is a real path. */
export async function findEntryFolders(root: string): Promise<EntryFolder[]> {
  const inRoot = await foldersIn(root);
  if (inRoot === null) return [];
  const kind = kindOf(inRoot.files);
  if (kind) return [{ id: SELF, name: basename(root), kind, path: root, files: inRoot.files }];
  const found = await entriesIn(root, "", inRoot.folders);
  const known = new Set(found.map(({ id }) => id));
  for (const name of DEFAULT_FOLDERS) {
    if (!inRoot.folders.includes(name) || known.has(name)) continue;
    const path = join(root, name);
    const inside = await foldersIn(path).catch(() => null);
    if (inside) found.push(...(await entriesIn(path, `${name}/`, inside.folders)));
  }
  return found.sort((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
}

async function entriesIn(parent: string, prefix: string, folders: readonly string[]): Promise<EntryFolder[]> {
  const found = await allAtOnce(folders, async (name): Promise<EntryFolder[]> => {
    const path = join(parent, name);
    const id = `${prefix}${name}`;
    let files: readonly string[];
    try {
      files = await readdir(path);
    } catch (error) {
      if (isMissing(error)) return [];
      // It may be a run, so its problem is listed.
      return [{ id, name, kind: "run", path, files: null }];
    }
    const kind = kindOf(files);
    return kind ? [{ id, name, kind, path, files }] : [];
  });
  return found.flat();
}

/** The names in a folder, and those of its folders; null if it does not exist. */
async function foldersIn(
  path: string,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] } | null> {
  const entries: Dirent[] | null = await withDiskErrors("read", path, () =>
    readdir(path, { withFileTypes: true }),
  ).catch((error: Error) => {
    if (isMissing(error.cause)) return null;
    throw error;
  });
  if (!entries) return null;
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  return { files: entries.map(({ name }) => name), folders: folders.map(({ name }) => name) };
}

/** What a folder with these files holds; null if it is no entry. Half of the files is enough, so that damage is seen. */
function kindOf(files: readonly string[]): EntryFolder["kind"] | null {
  const has = (...names: readonly string[]) => names.some((name) => files.includes(name));
  if (has(COMPARISON_FILES.comparison, COMPARISON_FILES.experiments)) return "comparison";
  if (has(DESIGN_FILES.design)) return "design";
  if (has(DESIGN_FILES.problem) && has(DESIGN_FILES.journal, DESIGN_FILES.run)) return "design";
  if (has(...IDENTIFYING_FILES)) return "run";
  if (has(FORECAST_FILES.forecast)) return "forecast";
  if (has(FORECAST_FILES.values) && has(FORECAST_FILES.history)) return "forecast";
  return has(BACKTEST_FILES.forecasts) ? "backtest" : null;
}
