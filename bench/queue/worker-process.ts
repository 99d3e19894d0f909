// Starts `gflownet worker` of the compiled command line, and counts the units that it starts by its events.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface WorkerProcessOptions {
  /** The compiled command line. */
  readonly main: string;
  readonly queue: string;
  readonly slots?: number;
  readonly spool: string;
  readonly lockSeconds?: number;
  /** A problem file whose oracle it may run. */
  readonly problem?: string;
  readonly data?: string;
}

/** Units that some workers started and finished. */
export class WorkerEvents {
  started = 0;
  finished = 0;
  /** Messages of failed units. */
  readonly failures: string[] = [];
  /** Number of starts of each unit by its id. */
  readonly starts = new Map<string, number>();

  add(event: { readonly kind: string; readonly id?: string; readonly message?: string }): void {
    if (event.kind === "started" && event.id !== undefined) {
      this.started++;
      this.starts.set(event.id, (this.starts.get(event.id) ?? 0) + 1);
    }
    if (event.kind === "finished") this.finished++;
    if (event.kind === "failed") this.failures.push(event.message ?? "");
  }
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  stderr = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = once(child, "close");
  }

  /** Resolves when the worker takes units. */
  static async start(
    { main, queue, slots = 1, spool, lockSeconds, problem, data }: WorkerProcessOptions,
    events = new WorkerEvents(),
  ): Promise<WorkerProcess> {
    const parameters = [
      ...["worker", "--queue", queue, "--slots", `${slots}`, "--spool", spool, "--json"],
      ...(lockSeconds === undefined ? [] : ["--lock-seconds", `${lockSeconds}`]),
      ...(problem === undefined ? [] : ["--problem", problem, "--allow-exec"]),
      ...(data === undefined ? [] : ["--data", data]),
    ];
    const child = spawn(process.execPath, [main, ...parameters], { stdio: ["ignore", "pipe", "pipe"] });
    const worker = new WorkerProcess(child);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      worker.stderr += text;
    });
    await new Promise<void>((ready, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const event = JSON.parse(line);
        if (event.kind === "ready") ready();
        else events.add(event);
      });
      child.once("close", () => fail(new Error(`a worker ended: ${worker.stderr.split("\n")[0]}`)));
    });
    return worker;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#closed;
  }
}
