// Finished runs on disk, one file each, so that an interrupted benchmark goes on where it stopped.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "../../src/run/atomic-file.ts";
import type { Assignment } from "./settings.ts";
import type { Result } from "./work.ts";

/** A finished run. */
export interface Run {
  /** When it ended, ISO 8601. */
  readonly date: string;
  /** How many processes ran side by side. */
  readonly jobs: number;
  readonly seed: number | null;
  /** Time to train; null for a timing. */
  readonly budget: number | null;
  readonly result: Result;
}

/** What a run is found by: sources, data, machine and assignment are all in the hash. */
export interface RunKey {
  /** For people who look into the folder. */
  readonly name: string;
  readonly hash: string;
}

export interface Store {
  find(key: RunKey): Promise<Run | undefined>;
  keep(key: RunKey, assignment: Assignment, run: Run): Promise<void>;
}

export function openStore(folder: string): Store {
  return {
    async find(key) {
      try {
        const { hash, run } = JSON.parse(await readFile(pathOf(key), "utf8")) as { hash: string; run: Run };
        return hash === key.hash ? run : undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async keep(key, assignment, run) {
      await mkdir(folder, { recursive: true });
      const content = { hash: key.hash, assignment, run };
      await writeFileAtomically(pathOf(key), `${JSON.stringify(content, null, 2)}\n`);
    },
  };

  function pathOf({ name, hash }: RunKey): string {
    const readable = name
      .replace(/[^\w.=]+/g, "-")
      .replace(/^-|-$/g, "")
      .toLowerCase();
    return join(folder, `${readable}-${hash.slice(0, 16)}.json`);
  }
}
