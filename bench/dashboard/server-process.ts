// The dashboard's server in a process of its own, as a user starts it, and what it uses.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface ServerProcess {
  /** The address with the token. */
  readonly url: string;
  readonly process: ChildProcess;
}

/** Runs an action while `gflownet dashboard` shows a folder. `main` is the compiled command line. */
export async function withServer<T>(
  main: string,
  parameters: readonly string[],
  action: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const all = [main, "dashboard", ...parameters, "--json", "--no-open", "--port", "0"];
  const server = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(server, "exit");
  try {
    const line = await Promise.race([
      once(server.stdout!.setEncoding("utf8"), "data").then(([text]) => text as string),
      exited.then(([code]) => {
        throw new Error(`gflownet dashboard ended with code ${code} before it had an address`);
      }),
    ]);
    return await action({ url: JSON.parse(line).url, process: server });
  } finally {
    server.kill("SIGINT");
    await exited;
  }
}

/** The most memory that a process has had, from `/proc`. */
export function peakMiB({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Time that a process has used processors, from `/proc`, which counts hundredths of a second. */
export function processorSeconds({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is a name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
