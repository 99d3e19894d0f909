// The index of a watched folder: its entries, read again when their files have changed. Ids lead only to entries that were
// found in the folder, so no id leads outside of it.

import { realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isMissing } from "../disk/open-file.ts";
import { allAtOnce } from "./all-at-once.ts";
import { readBacktestEntry } from "./backtest-entry.ts";
import { type ComparisonMemory, readComparisonEntries } from "./comparison-entries.ts";
import { findEntryFolders } from "./entry-folders.ts";
import { withGroups } from "./entry-groups.ts";
import { readForecastEntry } from "./forecast-entry.ts";
import { brokenEntry, type EntryFolder, type FoundEntry } from "./found-entry.ts";
import type { Entry } from "./page-data.ts";
import { type RunMemory, readRunEntry } from "./run-entry.ts";

/** An entry with its group and its files. */
export interface IndexedEntry extends Omit<FoundEntry, "entry"> {
  readonly entry: Entry;
}

export class EntryIndex {
  /** The watched folder. It may not exist yet. */
  readonly folder: string;
  #entries: ReadonlyMap<string, IndexedEntry> = new Map();
  #runs: Runs = new Map();
  #comparisons: Comparisons = new Map();
  #refreshing: Promise<ReadonlyMap<string, IndexedEntry>> | null = null;
  #refreshed = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    this.folder = resolve(folder);
  }

  /** All entries by id, as they are on disk now or were at most `age` milliseconds ago. */
  async entries(age = 0): Promise<ReadonlyMap<string, IndexedEntry>> {
    if (performance.now() - this.#refreshed <= age) return this.#entries;
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** The entry of an id; null if there is none now. */
  async find(id: string): Promise<IndexedEntry | null> {
    const found = this.#entries.get(id) ?? (await this.entries(FRESH_MS)).get(id) ?? null;
    // A folder may have been replaced by a link since it was found.
    const folders = new Set(
      found ? [found.folder, ...(found.metrics ? [dirname(found.metrics.file)] : [])] : [],
    );
    return (await Promise.all([...folders].map(isReal))).every(Boolean) ? found : null;
  }

  async #read(): Promise<ReadonlyMap<string, IndexedEntry>> {
    const root = await realpath(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    const folders = root === null ? [] : await findEntryFolders(root);
    const { entries, runs, comparisons } = await readFolders(folders, this.#runs, this.#comparisons);
    // What is no longer there is forgotten.
    this.#runs = runs;
    this.#comparisons = comparisons;
    this.#entries = entries;
    this.#refreshed = performance.now();
    return this.#entries;
  }
}

/** The entries of some folders by id, read once. */
export async function readEntries(
  folders: readonly EntryFolder[],
): Promise<ReadonlyMap<string, IndexedEntry>> {
  return (await readFolders(folders, new Map(), new Map())).entries;
}

type Runs = Map<string, RunMemory>;
type Comparisons = Map<string, ComparisonMemory>;

/** Reads folders with what is known of them. */
async function readFolders(folders: readonly EntryFolder[], knownRuns: Runs, knownComparisons: Comparisons) {
  const runs: Runs = new Map();
  const comparisons: Comparisons = new Map();
  const read = async (folder: EntryFolder): Promise<readonly FoundEntry[]> => {
    const { path, kind } = folder;
    if (kind === "backtest") return [await readBacktestEntry(folder)];
    if (kind === "forecast") return [await readForecastEntry(folder)];
    if (kind === "comparison") {
      const { found, memory } = await readComparisonEntries(folder, knownComparisons.get(path));
      comparisons.set(path, memory);
      return found;
    }
    const { found, memory } = await readRunEntry(folder, knownRuns.get(path));
    runs.set(path, memory);
    return [found];
  };
  const found = await allAtOnce(folders, (folder) =>
    read(folder).catch((error: unknown) => [brokenEntry(folder, error)]),
  );
  const all = found.flat();
  const entries = new Map(withGroups(all).map((entry, i) => [entry.id, { ...all[i], entry }]));
  return { entries, runs, comparisons };
}

/** An id that is not known is looked for again if the index is older than this. */
const FRESH_MS = 250;

/** Whether no part of a path is a link. A folder that does not exist is none. */
async function isReal(path: string): Promise<boolean> {
  const real = await realpath(path).catch((error: unknown) => (isMissing(error) ? path : null));
  return real === path;
}
