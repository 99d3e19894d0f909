// Finished measurements on disk, so that an interrupted benchmark goes on where it stopped.

import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "../../src/run/atomic-file.ts";

const FOLDER = new URL("../output/forecast/", import.meta.url);

/** What was measured under this name and hash, or else what is measured now. */
export async function keptOr<T>(
  name: string,
  hash: string,
  fresh: boolean,
  make: () => Promise<T>,
): Promise<{ readonly value: T; readonly kept: boolean }> {
  const readable = name.replace(/[^\w]+/g, "-").toLowerCase();
  const file = fileURLToPath(new URL(`${readable}-${hash.slice(0, 16)}.json`, FOLDER));
  if (!fresh) {
    try {
      return { value: JSON.parse(await readFile(file, "utf8")) as T, kept: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  const value = await make();
  await mkdir(FOLDER, { recursive: true });
  await writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
  return { value, kept: false };
}
