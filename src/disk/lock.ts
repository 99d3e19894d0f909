// The lock of a folder, so that only one process writes to it. The lock file identifies this process; the lock of a process
// that has ended is taken over.

import { randomUUID } from "node:crypto";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isTemporaryOf, writeFileAtomically } from "./atomic-file.ts";
import { isMissing, readText } from "./open-file.ts";
import { currentProcess, type ProcessIdentity, processStatus } from "./process-identity.ts";
import { diskError, RunError, RunLockedError, withDiskErrors } from "./run-error.ts";

export interface Lock {
  /** Throws if this process no longer holds the lock, for example because its file was removed. */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  /** Unique identifier of this lock. */
  readonly token: string;
}

/** The lock file of a run. */
export const RUN_LOCK_FILE = "run.lock";
/** Age from which an empty lock file or a takeover file counts as abandoned; normally both exist for milliseconds. */
const ABANDONED_MS = 10_000;
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** Throws a RunLockedError with the process number if another process holds the lock. */
export async function acquireLock(folder: string, file: string = RUN_LOCK_FILE): Promise<Lock> {
  const path = join(folder, file);
  const self: Holder = { ...(await currentProcess()), token: randomUUID() };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await createLock(path, self)) return lockOf(path, self);
    const holder = await readLock(path);
    const status = holder && (await processStatus(holder));
    if (holder && status !== "gone") throw inUse(path, holder, status === "running");
    if (holder || (await isAbandoned(path))) {
      if (await takeOver(path, self, holder?.token)) return lockOf(path, self);
    }
    // Another process is creating the lock, taking it over, or has just released it.
    await sleep(PAUSE_MS);
  }
  throw new RunError(`${folder} is being opened by another process; try again, or remove ${path}`);
}

/** Whether a process holds a lock, by default that of a run. True if this cannot be determined, as for a process on another
 * machine. */
export async function isLocked(folder: string, file: string = RUN_LOCK_FILE): Promise<boolean> {
  const holder = await readLock(join(folder, file));
  return holder !== null && (await processStatus(holder)) !== "gone";
}

/** Whether a file name belongs to a lock, by default that of a run. */
export function isLockFile(name: string, file: string = RUN_LOCK_FILE): boolean {
  return name === file || name === takeoverFile(file);
}

/** Whether a file name is a temporary lock file, which a killed process may leave behind. */
export function isLockLeftover(name: string, file: string = RUN_LOCK_FILE): boolean {
  return [file, takeoverFile(file)].some((each) => isTemporaryOf(each, name));
}

/** While this file exists, only the process that created it may replace the lock of a process that has ended. */
function takeoverFile(lockFile: string): string {
  return `.${lockFile}.takeover`;
}

function lockOf(path: string, { token }: Holder): Lock {
  return {
    async check() {
      const holder = await readLock(path);
      if (holder?.token === token) return;
      throw new RunError(
        `${dirname(path)} is no longer locked by this process: ` +
          (holder ? `process ${holder.pid} has taken it over` : `${path} was removed`),
      );
    },
    async release() {
      try {
        if ((await readLock(path))?.token === token) await rm(path, { force: true });
      } catch {
        // The file stays. Another process can take over the lock once this process has ended.
      }
    },
  };
}

/** Creates the lock file with its content in one step. False if it exists already. */
async function createLock(path: string, self: Holder): Promise<boolean> {
  const text = `${JSON.stringify(self)}\n`;
  const temporary = join(dirname(path), `.${basename(path)}.${self.token}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await link(temporary, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      // Not every file system supports links. The fallback leaves the file empty for a moment.
      await writeFile(path, text, { flag: "wx" });
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw diskError("written", path, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {}); // fails on a read-only disk
  }
}

/** Replaces the lock of a process that has ended, if the lock still has this token. */
async function takeOver(path: string, self: Holder, token: string | undefined): Promise<boolean> {
  const takeoverPath = join(dirname(path), takeoverFile(basename(path)));
  if (!(await createLock(takeoverPath, self))) {
    const other = await readLock(takeoverPath);
    const gone = other !== null && (await processStatus(other)) === "gone";
    if (gone || (await isAbandoned(takeoverPath))) await rm(takeoverPath, { force: true });
    return false;
  }
  try {
    if ((await readLock(path))?.token !== token) return false;
    await withDiskErrors("written", path, () => writeFileAtomically(path, `${JSON.stringify(self)}\n`));
    return true;
  } finally {
    await rm(takeoverPath, { force: true });
  }
}

async function readLock(path: string): Promise<Holder | null> {
  const text = await readText(path);
  try {
    const holder = JSON.parse(text ?? "") as Partial<Holder> | null;
    const isComplete = Number.isInteger(holder?.pid) && typeof holder?.token === "string";
    return isComplete ? (holder as Holder) : null;
  } catch {
    return null; // missing, or not written completely
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw diskError("read", path, error);
  });
  return info !== null && Date.now() - info.mtimeMs > ABANDONED_MS;
}

function inUse(path: string, { pid, host }: Holder, isLocal: boolean): RunLockedError {
  const holder = isLocal
    ? `process ${pid}; wait until it ends, or stop it`
    : `process ${pid} on ${host}; if that process has ended, remove ${path}`;
  return new RunLockedError(`${dirname(path)} is in use by ${holder}`, pid);
}
