// Cases in processes of their own, so that one that hangs or crashes is found, named, and costs no other.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Case, Outcome } from "./case.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface PoolOptions {
  /** Processes side by side. */
  readonly jobs: number;
  /** A case that takes longer hangs. */
  readonly longestSeconds: number;
  /** Where cases are tried, and stay if they fail. */
  readonly folder: string;
  /** What tries them; another one in tests. */
  readonly worker?: string;
  onOutcome?(each: Case, outcome: Outcome): void;
}

/** Outcomes in the order of the cases. */
export async function tryAll(cases: readonly Case[], options: PoolOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (_: unknown, number: number) => {
    const folder = join(options.folder, `worker-${number}`);
    let worker: Worker | undefined;
    for (let at = next++; at < cases.length; at = next++) {
      worker ??= new Worker(options.worker ?? WORKER, folder);
      outcomes[at] = await worker.try(cases[at], options.longestSeconds);
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
  #complaint = "";

  constructor(file: string, folder: string) {
    this.#child = fork(file, [folder], {
      cwd: ROOT,
      execArgv: ["--import", "tsx"],
      env: { ...process.env, OMP_NUM_THREADS: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = `${this.#complaint}${text}`.slice(-5000);
    });
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  try(each: Case, longestSeconds: number): Promise<Outcome> {
    const child = this.#child;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        finish();
        child.once("exit", () =>
          resolve({ kind: "failed", problem: `no answer within ${longestSeconds} s` }),
        );
        child.kill("SIGKILL");
      }, longestSeconds * 1000);
      const onMessage = (outcome: Outcome) => {
        finish();
        resolve(outcome);
      };
      const onExit = (code: number | null, signal: string | null) => {
        finish();
        const said = this.#complaint.split("\n").find((line) => /error|fatal/i.test(line)) ?? "";
        resolve({ kind: "failed", problem: `the process ended with ${code ?? signal}: ${said.trim()}` });
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
