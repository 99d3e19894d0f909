// Describes the machine and its load; both are stored with every result.

import { readFileSync } from "node:fs";
import os from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly platform: string;
  readonly node: string;
}

/** Load averages over 1, 5 and 15 minutes. */
export type Load = readonly number[];

export function thisMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? "unknown",
    cores: os.availableParallelism(),
    memoryGigabytes: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.release()} ${os.arch()}`,
    node: process.version,
  };
}

/** The current load averages. */
export function currentLoad(): Load {
  return os.loadavg();
}

/** A warning if other processes are likely to disturb the measurement, else undefined. */
export function loadWarning([lastMinute]: Load, cores: number): string | undefined {
  if (lastMinute <= cores / 4) return undefined;
  return `The load average is ${lastMinute.toFixed(2)} on ${cores} cores: other processes are running, so expect noisy results.`;
}

/** Version of an installed package. Null if it is not installed. */
export function packageVersion(name: string): string | null {
  try {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return null;
  }
}
