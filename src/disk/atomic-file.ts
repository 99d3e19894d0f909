// Writes files atomically: after a crash a file has its old content or its new content, never a part.

import { randomUUID } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Writes a temporary file beside the path, syncs it to disk and renames it. A failure removes the temporary file. The
 * content may come in parts, for files that do not fit into memory. */
export async function writeFileAtomically(
  path: string,
  data: Uint8Array | string | AsyncIterable<string>,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx");
    try {
      await writeFile(file, data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Whether `name` is a temporary file of `writeFileAtomically` for `file`. A killed process may leave one behind. */
export function isTemporaryOf(file: string, name: string): boolean {
  const rest = name.startsWith(`.${file}.`) ? name.slice(file.length + 2) : "";
  return /^[0-9a-f-]{36}\.tmp$/.test(rest);
}

/** Syncs the entries of a folder to disk, so that a rename survives a power failure. Not all systems support it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
