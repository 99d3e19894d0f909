// Creates the folder of a new run: picks a free name, creates it, and checks that it is empty.

import { lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isTemporaryOf } from "../disk/atomic-file.ts";
import { isLockFile, isLockLeftover } from "../disk/lock.ts";
import { isMissing } from "../disk/open-file.ts";
import { diskError, RunNameError, withDiskErrors } from "../disk/run-error.ts";
import { RUN_FILES } from "./run-files.ts";

/** Creates the folder of a run without a name, `<base>/<task>-<n>`. Concurrent processes get different folders. */
export async function nextRunFolder(base: string, task: string): Promise<string> {
  const path = resolve(base);
  await withDiskErrors("written", path, () => mkdir(path, { recursive: true }));
  const largest = (await withDiskErrors("read", path, () => readdir(path))).reduce((most, name) => {
    const number = name.startsWith(`${task}-`) ? name.slice(task.length + 1) : "";
    return /^\d{1,9}$/.test(number) ? Math.max(most, Number(number)) : most;
  }, 0);
  for (let number = largest + 1; ; number++) {
    const folder = join(path, `${task}-${number}`);
    const exists = await withDiskErrors("written", folder, () =>
      mkdir(folder).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return true;
          throw error;
        },
      ),
    );
    if (!exists) return folder;
  }
}

/** Creates a folder and its parents. Returns whether this call created the folder. */
export async function createFolder(path: string): Promise<boolean> {
  await withDiskErrors("written", dirname(path), () => mkdir(dirname(path), { recursive: true }));
  return withDiskErrors("written", path, async () => {
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

/** Throws unless `createRun` could use the folder. `kind` names the content of the folder in errors. */
export async function checkAvailable(folder: string, kind = "run"): Promise<void> {
  const path = resolve(folder);
  const info = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw diskError("written", path, error);
  });
  if (info && !info.isDirectory()) throw isFile(path, kind);
  if (info) await checkEmpty(path, kind);
}

function isFile(path: string, kind = "run"): RunNameError {
  return new RunNameError(`${path} is a file; choose another name for the ${kind}`);
}

/** Throws unless a folder is empty. Files that a process left when it was killed while creating a run do not count. */
export async function checkEmpty(path: string, kind = "run"): Promise<void> {
  const names = await withDiskErrors("read", path, () => readdir(path));
  const content = names.filter((name) => !isLockFile(name) && !isLeftover(name));
  if (content.length === 0) return;
  if (kind === "run" && content.includes(RUN_FILES.config)) {
    throw new RunNameError(`${path} already contains a run; choose another name, or continue the run`, {
      remedy: { action: "resume", folder: path },
    });
  }
  throw new RunNameError(`${path} is not empty; choose another name for the ${kind}`);
}

/** Whether a file is temporary: a process was killed while it wrote the file. */
function isLeftover(name: string): boolean {
  const files = [RUN_FILES.task, RUN_FILES.config, RUN_FILES.checkpoint, RUN_FILES.samples];
  return isLockLeftover(name) || files.some((file) => isTemporaryOf(file, name));
}

/** Removes the temporary files of killed processes. The caller must hold the lock. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await withDiskErrors("read", folder, () => readdir(folder))).filter(isLeftover)) {
    const path = join(folder, name);
    if ((await lstat(path).catch(() => null))?.isFile()) await rm(path, { force: true });
  }
}
