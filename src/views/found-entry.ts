// An entry as it was found on disk: what the list shows, and where its files and settings are.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../disk/open-file.ts";
import type { MetricsSource } from "./metric-store.ts";
import type { Entry, EntryKind } from "./page-data.ts";
import { explainProblem } from "./problem-text.ts";

export interface FoundEntry {
  /** The group is known when all entries are. */
  readonly entry: Omit<Entry, "group" | "groupLabel">;
  /** The absolute folder of the run, design, comparison or backtest; that of its comparison for an experiment. */
  readonly folder: string;
  /** The metrics over time; null if it has none. */
  readonly metrics: MetricsSource | null;
  /** In the order of the file. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What its group is told from others by, without the seed; null if it is alone in its group. */
  readonly groupSettings: Readonly<Record<string, unknown>> | null;
  /** The label of its group; null for settings by which it differs from most others. */
  readonly groupLabel: string | null;
}

/** A folder that holds an entry. */
export interface EntryFolder {
  readonly id: string;
  readonly name: string;
  readonly kind: Exclude<EntryKind, "experiment">;
  readonly path: string;
  /** The names in the folder; null if it cannot be read. */
  readonly files: readonly string[] | null;
}

/** An entry that cannot be read, with the reason. */
export function brokenEntry({ id, name, kind, path }: EntryFolder, error: unknown, modified = 0): FoundEntry {
  return {
    entry: {
      ...{ id, kind, name, parent: null, task: null, state: "broken", problem: explainProblem(error) },
      ...{ seed: null, modified, iteration: null, iterations: null, seconds: null, last: {}, exact: null },
    },
    ...{ folder: path, metrics: null, settings: {}, groupSettings: null, groupLabel: null },
  };
}

/** Size and time of change of some files of a folder; of those that exist. */
export async function fileStamps(
  folder: string,
  names: readonly string[],
): Promise<{ readonly key: string; readonly modified: number; readonly sizes: ReadonlyMap<string, number> }> {
  const infos = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      }),
    ),
  );
  const sizes = new Map<string, number>();
  let modified = 0;
  const parts = infos.map((info, i) => {
    if (!info) return "-";
    sizes.set(names[i], info.size);
    modified = Math.max(modified, info.mtimeMs);
    return `${info.ino}:${info.size}:${info.mtimeMs}`;
  });
  return { key: parts.join(" "), modified, sizes };
}
