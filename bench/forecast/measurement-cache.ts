// A cache of finished measurements on disk, so that an interrupted benchmark can continue.

import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "../../src/disk/atomic-file.ts";

const FOLDER = new URL("../output/forecast/", import.meta.url);

/** The cached measurement of this name and hash, or a new one. */
export async function cachedOr<T>(
  name: string,
  hash: string,
  fresh: boolean,
  make: () => Promise<T>,
): Promise<{ readonly value: T; readonly cached: boolean }> {
  const readable = name.replace(/[^\w]+/g, "-").toLowerCase();
  const file = fileURLToPath(new URL(`${readable}-${hash.slice(0, 16)}.json`, FOLDER));
  if (!fresh) {
    try {
      return { value: JSON.parse(await readFile(file, "utf8")) as T, cached: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  const value = await make();
  await mkdir(FOLDER, { recursive: true });
  await writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
  return { value, cached: false };
}
