// Which process is which: a number alone is given to another process sooner or later.

import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When the machine was started, when the process was, and in which space its number counts; null if unknown. */
  readonly boot: string | null;
  readonly started: string | null;
  readonly space: string | null;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, ...(await here()), started: (await statOf(process.pid))?.started ?? null };
}

/** Whether a process still runs; "unknown" if it cannot be asked from here. */
export async function statusOf(other: ProcessIdentity): Promise<"running" | "gone" | "unknown"> {
  const { host, boot, space } = await here();
  if (other.host !== host) return "unknown";
  if (other.boot && boot && other.boot !== boot) return "gone";
  // Another container may have the name of this one.
  if (other.space && space && other.space !== space) return "unknown";
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "gone";
  }
  const stat = await statOf(other.pid);
  if (!stat) return "running";
  const same = other.started === null || stat.started === other.started;
  return same && !stat.ended ? "running" : "gone";
}

async function here() {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null);
  const space = await readlink("/proc/self/ns/pid").catch(() => null);
  return { host: hostname(), boot: boot?.trim() ?? null, space };
}

/** On Linux, what the kernel says about a process; null elsewhere, or if it is hidden. */
async function statOf(pid: number): Promise<{ readonly started: string; readonly ended: boolean } | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // The second field is a name in parentheses, which may itself hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { started: fields[19], ended: fields[0] === "Z" || fields[0] === "X" };
}
