// One writer per run: a file names the process that has it. What a killed process leaves is taken over.

import { randomUUID } from "node:crypto";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isTemporaryOf, writeFileAtomically } from "./atomic-file.ts";
import { ownIdentity, type ProcessIdentity, statusOf } from "./process-identity.ts";
import { diskError, onDisk, RunError, RunLockedError } from "./run-error.ts";
import { isMissing, RUN_FILES, readText } from "./run-files.ts";

export interface Lock {
  /** Throws if the run has been given to another process, by someone who removed the file. */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  /** Tells this lock from all others. */
  readonly token: string;
}

/** While it exists, one process replaces the lock of one that is gone, and no other does. */
const TAKEOVER_FILE = `.${RUN_FILES.lock}.takeover`;
/** What takes milliseconds is abandoned if it is older than this. */
const ABANDONED_MS = 10_000;
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** Throws a RunLockedError with the number of the process that has the run. */
export async function acquireLock(folder: string): Promise<Lock> {
  const path = join(folder, RUN_FILES.lock);
  const own: Holder = { ...(await ownIdentity()), token: randomUUID() };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await createLock(path, own)) return lockOf(path, own);
    const holder = await readLock(path);
    const status = holder && (await statusOf(holder));
    if (holder && status !== "gone") throw inUse(path, holder, status === "running");
    if (holder || (await isAbandoned(path))) {
      if (await takeOver(path, own, holder?.token)) return lockOf(path, own);
    }
    // Someone is about to write it, or takes it over, or has just released it.
    await sleep(PAUSE_MS);
  }
  throw new RunError(`${folder} is being opened by another process; try again, or remove ${path}`);
}

/** Whether a process has the run, as far as can be told from here. */
export async function isLocked(folder: string): Promise<boolean> {
  const holder = await readLock(join(folder, RUN_FILES.lock));
  return holder !== null && (await statusOf(holder)) !== "gone";
}

/** Names in a run's folder that are about locking it. */
export function isLockFile(name: string): boolean {
  return name === RUN_FILES.lock || name === TAKEOVER_FILE;
}

/** Whether a name is what a process leaves that was killed while it made a file about locking. */
export function isLockLeftover(name: string): boolean {
  return [RUN_FILES.lock, TAKEOVER_FILE].some((file) => isTemporaryOf(file, name));
}

function lockOf(path: string, { token }: Holder): Lock {
  return {
    async check() {
      const holder = await readLock(path);
      if (holder?.token === token) return;
      throw new RunError(
        `${dirname(path)} is no longer this process's: ` +
          (holder ? `process ${holder.pid} has taken it over` : `${path} was removed`),
      );
    },
    async release() {
      try {
        if ((await readLock(path))?.token === token) await rm(path, { force: true });
      } catch {
        // What stays behind is taken over once this process has ended.
      }
    },
  };
}

/** Makes the file with all that is in it at once, unless it is there. */
async function createLock(path: string, own: Holder): Promise<boolean> {
  const text = `${JSON.stringify(own)}\n`;
  const temporary = join(dirname(path), `.${basename(path)}.${own.token}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await link(temporary, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      // Not every disk has links. Then the file is empty for a moment.
      await writeFile(path, text, { flag: "wx" });
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw diskError("written", path, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {}); // on a disk that is read-only
  }
}

/** Replaces a lock whose process is gone, if it is still that lock. */
async function takeOver(path: string, own: Holder, token: string | undefined): Promise<boolean> {
  const mark = join(dirname(path), TAKEOVER_FILE);
  if (!(await createLock(mark, own))) {
    const other = await readLock(mark);
    const gone = other !== null && (await statusOf(other)) === "gone";
    if (gone || (await isAbandoned(mark))) await rm(mark, { force: true });
    return false;
  }
  try {
    if ((await readLock(path))?.token !== token) return false;
    await onDisk("written", path, () => writeFileAtomically(path, `${JSON.stringify(own)}\n`));
    return true;
  } finally {
    await rm(mark, { force: true });
  }
}

async function readLock(path: string): Promise<Holder | null> {
  const text = await readText(path);
  try {
    const holder = JSON.parse(text ?? "") as Partial<Holder> | null;
    const whole = Number.isInteger(holder?.pid) && typeof holder?.token === "string";
    return whole ? (holder as Holder) : null;
  } catch {
    return null; // missing, or not written to its end
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw diskError("read", path, error);
  });
  return info !== null && Date.now() - info.mtimeMs > ABANDONED_MS;
}

function inUse(path: string, { pid, host }: Holder, here: boolean): RunLockedError {
  const which = here
    ? `process ${pid}; wait until it ends, or stop it`
    : `process ${pid} on ${host}; if that has ended, remove ${path}`;
  return new RunLockedError(`${dirname(path)} is in use by ${which}`, pid);
}
