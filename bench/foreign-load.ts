// How much of the processors the processes of others use while this process and its children measure.
//
// Linux counts the busy time of all processors in /proc/stat, and the time of this process with that of its ended children
// in /proc/self/stat. Other systems have no such files; their load is unknown.

import { existsSync, readFileSync } from "node:fs";

const MACHINE = "/proc/stat";
const OWN = "/proc/self/stat";
/** The unit of both files, a fixed part of the interface of Linux. */
const TICKS_PER_SECOND = 100;

/** Ends a measurement: the mean number of processors that other processes used; undefined where it cannot be known. */
export type ForeignLoad = () => number | undefined;

/** Starts a measurement. Children count as this process once they have ended. */
export function watchForeignLoad(): ForeignLoad {
  if (!existsSync(MACHINE) || !existsSync(OWN)) return () => undefined;
  const before = foreignTicks();
  const started = performance.now();
  return () => {
    const seconds = (performance.now() - started) / 1000;
    return Math.max(0, (foreignTicks() - before) / TICKS_PER_SECOND / seconds);
  };
}

function foreignTicks(): number {
  return busyTicks(readFileSync(MACHINE, "utf8")) - ownTicks(readFileSync(OWN, "utf8"));
}

/** Ticks during which a processor was busy, from the first line of /proc/stat: user, nice, system, interrupts, and the time
 * that the host of a virtual machine took for others. The time of guests is a part of user. */
export function busyTicks(stat: string): number {
  const [user, nice, system, , , interrupts, softInterrupts, stolen] = stat
    .split("\n", 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return user + nice + system + interrupts + softInterrupts + stolen;
}

/** Ticks of a process and of its ended children in user and system mode, from /proc/PID/stat. */
export function ownTicks(stat: string): number {
  // The name of the program, in parentheses, may contain spaces and parentheses. The third field follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
