// The folder of a run before it is one: made, found empty, and named if nobody names it.

import { lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isTemporaryOf } from "./atomic-file.ts";
import { isLockFile, isLockLeftover } from "./lock.ts";
import { diskError, onDisk, RunNameError } from "./run-error.ts";
import { isMissing, RUN_FILES } from "./run-files.ts";

/** Makes the folder for a run without a name, `<base>/<task>-<n>`; no other process gets the same. */
export async function nextRunFolder(base: string, task: string): Promise<string> {
  const path = resolve(base);
  await onDisk("written", path, () => mkdir(path, { recursive: true }));
  const largest = (await onDisk("read", path, () => readdir(path))).reduce((most, name) => {
    const number = name.startsWith(`${task}-`) ? name.slice(task.length + 1) : "";
    return /^\d{1,9}$/.test(number) ? Math.max(most, Number(number)) : most;
  }, 0);
  for (let number = largest + 1; ; number++) {
    const folder = join(path, `${task}-${number}`);
    const taken = await onDisk("written", folder, () =>
      mkdir(folder).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return true;
          throw error;
        },
      ),
    );
    if (!taken) return folder;
  }
}

/** Makes a folder and those above it; whether it was made by this call, and not there before. */
export async function makeFolder(path: string): Promise<boolean> {
  await onDisk("written", dirname(path), () => mkdir(dirname(path), { recursive: true }));
  return onDisk("written", path, async () => {
    try {
      await mkdir(path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if ((await stat(path)).isDirectory()) return false;
    throw isFile(path);
  });
}

/** Throws what `createRun` would, for a folder that is to become a run, or something else, later. */
export async function checkNew(folder: string, what = "run"): Promise<void> {
  const path = resolve(folder);
  const info = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw diskError("written", path, error);
  });
  if (info && !info.isDirectory()) throw isFile(path, what);
  if (info) await checkEmpty(path, what);
}

function isFile(path: string, what = "run"): RunNameError {
  return new RunNameError(`${path} is a file; choose another name for the ${what}`);
}

/** Throws unless a folder is empty. What a process leaves that ended while it made the run does not count. */
export async function checkEmpty(path: string, what = "run"): Promise<void> {
  const names = await onDisk("read", path, () => readdir(path));
  const content = names.filter((name) => !isLockFile(name) && !isLeftover(name));
  if (content.length === 0) return;
  throw new RunNameError(
    what === "run" && content.includes(RUN_FILES.config)
      ? `${path} is a run already; go on with it (gflownet train --resume ${path}), or choose another name`
      : `${path} is not empty; choose another name for the ${what}`,
  );
}

/** Files that are not whole: a process was killed while it wrote them. */
function isLeftover(name: string): boolean {
  const files = [RUN_FILES.config, RUN_FILES.checkpoint, RUN_FILES.samples];
  return isLockLeftover(name) || files.some((file) => isTemporaryOf(file, name));
}

/** For whoever holds the lock. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await onDisk("read", folder, () => readdir(folder))).filter(isLeftover)) {
    const path = join(folder, name);
    if ((await lstat(path).catch(() => null))?.isFile()) await rm(path, { force: true });
  }
}
