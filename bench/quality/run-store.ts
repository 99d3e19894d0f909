// Stores finished runs on disk, one file each, so that an interrupted benchmark continues where it stopped.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "../../src/disk/atomic-file.ts";
import type { Measurement } from "./cases.ts";
import type { Result } from "./measure.ts";

/** A finished run. */
export interface Run {
  /** Time of completion, ISO 8601. */
  readonly date: string;
  /** Number of processes that ran in parallel. */
  readonly jobs: number;
  readonly seed: number | null;
  /** Training time in seconds. Null for a timing. */
  readonly budget: number | null;
  readonly result: Result;
}

/** Identifies a run. The hash covers sources, data, machine and measurement. */
export interface RunKey {
  /** The part of the file name that people can read. */
  readonly name: string;
  readonly hash: string;
}

export interface RunStore {
  find(key: RunKey): Promise<Run | undefined>;
  save(key: RunKey, measurement: Measurement, run: Run): Promise<void>;
}

export function openStore(folder: string): RunStore {
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
    async save(key, measurement, run) {
      await mkdir(folder, { recursive: true });
      const content = { hash: key.hash, measurement, run };
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
