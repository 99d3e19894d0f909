// A child process that runs units one after the other. It is started when it is first needed, kept alive between units, and
// replaced if it dies or exceeds a limit.

import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Json, Provenance } from "./unit.ts";
import type { UnitReply, UnitRequest } from "./unit-messages.ts";

export interface UnitProcessOptions {
  /** The module that the process runs; it calls `serveUnits`. */
  readonly module: URL;
  /** Environment of the process. Default: that of this one. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Most bytes of resident memory. Default: no limit. Checked where the system tells (Linux). */
  readonly memory?: number;
  /** Most seconds of a unit. Default: no limit. */
  readonly seconds?: number;
}

/** How a unit ended. A crash says nothing about the unit; a failure would happen again. */
export type UnitEnd =
  | { readonly kind: "finished"; readonly records: readonly Json[]; readonly provenance: Provenance }
  | { readonly kind: "paused"; readonly records: readonly Json[] }
  | { readonly kind: "failed" | "crashed"; readonly message: string };

export type UnitProgress = Extract<UnitReply, { kind: "progress" | "record" | "checkpoint" }>;

/** Number of characters that are kept of the standard error output. */
const MAX_STDERR = 4000;
const MEMORY_INTERVAL_MS = 500;

export class UnitProcess {
  readonly #options: UnitProcessOptions;
  #child: ChildProcess | null = null;
  #stderr = "";

  constructor(options: UnitProcessOptions) {
    this.#options = options;
  }

  /**
   * Runs one unit; await it before the next call. `earlier` are the records before the checkpoint of the request. Aborting
   * the signal kills the process.
   */
  async run(
    request: Extract<UnitRequest, { kind: "run" }>,
    report: (progress: UnitProgress) => void,
    { earlier = [], signal }: { readonly earlier?: readonly Json[]; readonly signal?: AbortSignal } = {},
  ): Promise<UnitEnd> {
    const child = this.#child ?? this.#start();
    this.#stderr = ""; // of earlier units
    const records = [...earlier];
    let limit: string | null = null;
    const exceed = (message: string) => {
      limit = message;
      child.kill("SIGKILL");
    };
    const stopWatching = this.#watchLimits(child, exceed);
    const abort = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise<UnitEnd>((end) => {
        const closed = (code: number | null, by: string | null) =>
          end({ kind: "crashed", message: limit ?? crashMessage(code, by, this.#stderr) });
        const answered = (reply: UnitReply) => {
          switch (reply.kind) {
            case "record":
              records.push(reply.record);
              report(reply);
              break;
            case "progress":
            case "checkpoint":
              report(reply);
              break;
            case "done":
              settle({ kind: "finished", records, provenance: reply.provenance });
              break;
            case "paused":
              settle({ kind: "paused", records });
              break;
            case "failed":
              settle(reply);
              break;
            default:
              reply satisfies never;
          }
        };
        const settle = (result: UnitEnd) => {
          child.off("message", answered).off("close", closed);
          end(result);
        };
        child.on("message", answered).once("close", closed);
        child.send(request, () => {}); // if this fails, the process has ended, and "close" reports it
      });
    } finally {
      stopWatching();
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Asks the running unit to stop soon, with a checkpoint. */
  pause(): void {
    this.#child?.send({ kind: "pause" } satisfies UnitRequest, () => {});
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    await new Promise<void>((done) => {
      child.once("close", () => done());
      child.kill("SIGKILL");
    });
  }

  #start(): ChildProcess {
    const { module, environment } = this.#options;
    const child = fork(module, [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      ...(environment && { env: environment }),
    });
    this.#child = child;
    this.#stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    child.on("error", (error) => {
      this.#stderr += `\n${error.message}`;
    });
    child.once("close", () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  /** Returns a function that ends the watch. */
  #watchLimits(child: ChildProcess, exceed: (message: string) => void): () => void {
    const { memory, seconds } = this.#options;
    const timers: NodeJS.Timeout[] = [];
    if (seconds !== undefined) {
      timers.push(
        setTimeout(() => exceed(`it took longer than ${seconds} s, the limit of a unit`), 1000 * seconds),
      );
    }
    if (memory !== undefined) {
      const check = () => {
        const used = residentBytes(child.pid);
        if (used !== null && used > memory) {
          exceed(
            `it used ${Math.ceil(used / 2 ** 20)} MiB of memory, more than the limit of ${Math.floor(memory / 2 ** 20)} MiB`,
          );
        }
      };
      timers.push(setInterval(check, MEMORY_INTERVAL_MS));
    }
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }
}

/** Resident memory of a process; null where the system does not tell. */
function residentBytes(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : 1024 * Number(kilobytes);
  } catch {
    return null;
  }
}

/** The message for a process that ended without a final message. */
function crashMessage(code: number | null, signal: string | null, stderr: string): string {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const lines = stderr.split("\n").flatMap((line) => line.trim() || []);
  // Node prints stacks and its version after the error.
  const line = lines.findLast((each) => /^(FATAL ERROR|\w*Error\b)/.test(each)) ?? lines.at(-1) ?? "";
  return `its process ended ${how}${line ? `: ${line}` : ""}`;
}
