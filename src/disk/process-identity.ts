// Identifies a process by more than its number, because operating systems reuse process numbers.

import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Changes whenever the machine boots; null if unknown. */
  readonly bootId: string | null;
  /** Start time of the process since boot; null if unknown. */
  readonly startTime: string | null;
  /** The process namespace, for example of a container, that `pid` belongs to; null if unknown. */
  readonly pidNamespace: string | null;
}

export async function currentProcess(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    ...(await currentMachine()),
    startTime: (await processStat(process.pid))?.startTime ?? null,
  };
}

/** Whether a process still runs; "unknown" for a process on another machine or in another namespace. */
export async function processStatus(other: ProcessIdentity): Promise<"running" | "gone" | "unknown"> {
  const { host, bootId, pidNamespace } = await currentMachine();
  if (other.host !== host) return "unknown";
  if (other.bootId && bootId && other.bootId !== bootId) return "gone";
  // Two containers may have the same host name.
  if (other.pidNamespace && pidNamespace && other.pidNamespace !== pidNamespace) return "unknown";
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "gone";
  }
  const stat = await processStat(other.pid);
  if (!stat) return "running";
  const isSame = other.startTime === null || stat.startTime === other.startTime;
  return isSame && !stat.hasEnded ? "running" : "gone";
}

async function currentMachine() {
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null);
  const pidNamespace = await readlink("/proc/self/ns/pid").catch(() => null);
  return { host: hostname(), bootId: bootId?.trim() ?? null, pidNamespace };
}

/** From `/proc` on Linux; null on other systems, or if the process is hidden. */
async function processStat(
  pid: number,
): Promise<{ readonly startTime: string; readonly hasEnded: boolean } | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // The second field is a name in parentheses, which may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { startTime: fields[19], hasEnded: fields[0] === "Z" || fields[0] === "X" };
}
