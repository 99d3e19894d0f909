// Files that are either whole or not there.

import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Writes a file beside its place and moves it there once it is safely on disk; a failure leaves nothing behind. */
export async function writeFileAtomically(path: string, data: Uint8Array | string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(data);
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

/** Whether a name is what `writeFileAtomically` calls a file that is not whole yet. A killed process leaves such. */
export function isTemporaryOf(file: string, name: string): boolean {
  const rest = name.startsWith(`.${file}.`) ? name.slice(file.length + 2) : "";
  return /^[0-9a-f-]{36}\.tmp$/.test(rest);
}

/** Has the folder remember its new names even if the power fails, where the system can do that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
