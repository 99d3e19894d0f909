// Runs cases in worker processes, so that a case that hangs or crashes is reported and does not affect others.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FuzzCase, Outcome } from "./fuzzer.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface PoolOptions {
  /** Number of parallel processes. */
  readonly jobs: number;
  /** A case that takes longer counts as failed. */
  readonly timeoutSeconds: number;
  /** Folder of the inputs. Inputs of failed cases are not deleted. */
  readonly folder: string;
  /** Optional. The script of the worker processes; tests replace it. */
  readonly worker?: string;
  onOutcome?(each: FuzzCase, outcome: Outcome): void;
}

/** Runs the cases and returns their outcomes in the same order. */
export async function runCases(cases: readonly FuzzCase[], options: PoolOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (_: unknown, number: number) => {
    const folder = join(options.folder, `worker-${number}`);
    let worker: Worker | undefined;
    for (let at = next++; at < cases.length; at = next++) {
      worker ??= new Worker(options.worker ?? WORKER, folder);
      outcomes[at] = await worker.try(cases[at], options.timeoutSeconds);
      if (!worker.alive) worker = undefined;
      options.onOutcome?.(cases[at], outcomes[at]);
    }
    await worker?.end();
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return outcomes;
}

class Worker {
  readonly #child: ChildProcess;
  #stderr = "";

  constructor(file: string, folder: string) {
    this.#child = fork(file, [folder], {
      cwd: ROOT,
      execArgv: ["--import", "tsx"],
      env: { ...process.env, OMP_NUM_THREADS: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-5000);
    });
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  try(each: FuzzCase, timeoutSeconds: number): Promise<Outcome> {
    const child = this.#child;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        finish();
        child.once("exit", () =>
          resolve({ kind: "failed", problem: `no result within ${timeoutSeconds} s` }),
        );
        child.kill("SIGKILL");
      }, timeoutSeconds * 1000);
      const onMessage = (outcome: Outcome) => {
        finish();
        resolve(outcome);
      };
      const onExit = (code: number | null, signal: string | null) => {
        finish();
        const errorLine = this.#stderr.split("\n").find((line) => /error|fatal/i.test(line)) ?? "";
        resolve({ kind: "failed", problem: `the process ended with ${code ?? signal}: ${errorLine.trim()}` });
      };
      const finish = () => {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit);
      };
      child.on("message", onMessage).on("exit", onExit);
      child.send(each);
    });
  }

  async end(): Promise<void> {
    if (!this.alive) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
