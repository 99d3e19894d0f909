// Checks the path of a file that a command will write.

import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError } from "../issues.ts";

/** Throws a UserError if the file cannot be written. `onExisting` is called if the file exists, and may throw. */
export async function checkOutputFile(
  flag: string,
  file: string,
  onExisting: (isFile: boolean) => void | Promise<void>,
): Promise<void> {
  await access(dirname(file), constants.W_OK);
  const existing = await stat(file).catch(() => undefined);
  if (existing?.isDirectory()) throw new UserError(`${flag}: ${file} is a folder; give the name of a file`);
  if (existing) await onExisting(existing.isFile());
}
