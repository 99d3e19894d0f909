// Watches a folder for all connected pages together: when its list of entries has changed, and when a file has. It asks the
// file system at a modest rate, because notifications of changes are lost on many file systems.

import { stat } from "node:fs/promises";
import type { EntryIndex, IndexedEntry } from "../views/entry-index.ts";

/** Milliseconds between two looks at the followed files. */
const POLL_MS = 500;
/** Looks at files between two looks at the list, and between two reports of the progress of running entries, whose points
 * are streamed. */
const LIST_POLLS = 4;
const PROGRESS_POLLS = 10;
/** A look at the list may take at most this share of the time. */
const LARGEST_SHARE = 1 / 20;
const MOST_FILES = 4096;

export interface ListState {
  readonly entries: ReadonlyMap<string, IndexedEntry>;
  /** Increases when the list has changed. */
  readonly version: number;
}

export class FolderWatch {
  readonly pollMs: number;
  readonly #index: EntryIndex;
  #state: ListState = { entries: new Map(), version: 0 };
  #next = Number.NEGATIVE_INFINITY;
  #looking: Promise<ListState> | null = null;
  #known = "";
  #progress = "";
  #told = Number.NEGATIVE_INFINITY;
  readonly #stamps = new Map<string, { readonly time: number; readonly stamp: Promise<string> }>();

  constructor(index: EntryIndex, pollMs: number = POLL_MS) {
    this.#index = index;
    this.pollMs = pollMs;
  }

  /** The list as it is now, or was a short time ago. */
  async list(): Promise<ListState> {
    if (performance.now() < this.#next) return this.#state;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<ListState> {
    const start = performance.now();
    const entries = await this.#index.entries();
    const all = [...entries.values()].map(({ entry }) => entry);
    const known = all
      .map(({ id, state, problem, groupLabel }) => JSON.stringify([id, state, problem, groupLabel]))
      .join();
    const progress = all.map(({ iteration, modified }) => `${iteration}:${modified}`).join();
    const now = performance.now();
    const isNew = known !== this.#known;
    const hasMoved = progress !== this.#progress && now - this.#told >= PROGRESS_POLLS * this.pollMs;
    if (isNew || hasMoved) {
      this.#known = known;
      this.#progress = progress;
      this.#told = now;
    }
    const version = this.#state.version + (isNew || hasMoved ? 1 : 0);
    this.#state = { entries, version };
    this.#next = now + Math.max(LIST_POLLS * this.pollMs, (now - start) / LARGEST_SHARE);
    return this.#state;
  }

  /** A text that changes when the file does; the same for a file that does not exist. */
  stampOf(file: string): Promise<string> {
    const now = performance.now();
    const known = this.#stamps.get(file);
    // Once for all pages that follow the file.
    if (known && now - known.time < 0.8 * this.pollMs) return known.stamp;
    if (this.#stamps.size >= MOST_FILES) this.#stamps.clear();
    const stamp = stat(file).then(
      ({ ino, size, mtimeMs }) => `${ino}:${size}:${mtimeMs}`,
      () => "missing",
    );
    this.#stamps.set(file, { time: now, stamp });
    return stamp;
  }
}
