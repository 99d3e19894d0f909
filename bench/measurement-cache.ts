// A cache of finished measurements on disk, so that an interrupted benchmark can continue.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "../src/disk/atomic-file.ts";

const OUTPUT = fileURLToPath(new URL("output", import.meta.url));

/** Identifies a measurement of a benchmark. The hash covers everything that the result depends on. */
export interface MeasurementKey {
  readonly bench: string;
  /** The part of the file name that people can read. */
  readonly name: string;
  readonly hash: string;
}

/** The cached measurement of this key, or a new one. */
export async function cachedOr<T>(
  { bench, name, hash }: MeasurementKey,
  fresh: boolean,
  make: () => Promise<T>,
): Promise<{ readonly value: T; readonly cached: boolean }> {
  const readable = name.replace(/[^\w]+/g, "-").toLowerCase();
  const folder = join(OUTPUT, bench);
  const file = join(folder, `${readable}-${hash.slice(0, 16)}.json`);
  if (!fresh) {
    try {
      return { value: JSON.parse(await readFile(file, "utf8")) as T, cached: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  const value = await make();
  await mkdir(folder, { recursive: true });
  await writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
  return { value, cached: false };
}
