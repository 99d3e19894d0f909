// Starts, stops and resumes runs as processes of the command line, for a dashboard that allows it.
//
// A process has a group of its own, so that Ctrl-C in the terminal of the dashboard does not reach it twice: when the
// dashboard stops, it interrupts each run once, and the run saves its state and ends by itself.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, rmdir, stat, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIG_KEYS, DEFAULT_TASK } from "../config/config.ts";
import { parseConfig } from "../config/parse.ts";
import { isLocked } from "../disk/lock.ts";
import type { Issue } from "../issues.ts";
import { nextRunFolder } from "../run/new-folder.ts";
import { RUN_FILES } from "../run/run-files.ts";
import type { IndexedEntry } from "../views/entry-index.ts";
import { RequestError } from "./request-error.ts";

/** A run that has not begun after this time is left alone; its entry will say what became of it. */
const BEGIN_MS = 20_000;
/** A run that was interrupted is waited for this long. */
const STOP_MS = 10_000;
const POLL_MS = 50;
/** Characters of a process's errors that are kept. */
const MOST_STDERR = 4000;

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  stderr: string;
}

export interface TrainingControlOptions {
  /** The watched folder. */
  readonly folder: string;
  /** The command line: the program and its first arguments. */
  readonly command: readonly string[];
  /** Runs at a time. Default: the number of processors. */
  readonly most?: number;
}

export class TrainingControl {
  readonly #folder: string;
  readonly #command: readonly string[];
  readonly #most: number;
  /** By the absolute folder of the run. */
  readonly #running = new Map<string, Running>();

  constructor({ folder, command, most = availableParallelism() }: TrainingControlOptions) {
    this.#folder = resolve(folder);
    this.#command = command;
    this.#most = most;
  }

  /** Number of runs that this server has started and that still run. */
  get count(): number {
    return this.#running.size;
  }

  /** Starts a run, and returns its id. Throws a UserError with all issues of the settings. */
  async train(settings: Readonly<Record<string, unknown>>): Promise<string> {
    const config = await parseConfig(settings, { issues: await this.#pathIssues(settings) });
    this.#checkCount();
    // A watched folder of runs gets the run itself, any other one gets it in its folder of runs.
    const isFolderOfRuns = basename(this.#folder) === "runs";
    const base = isFolderOfRuns ? this.#folder : join(this.#folder, "runs");
    const folder = await realpath(await nextRunFolder(base, config.task ?? DEFAULT_TASK.name));
    const temporary = await mkdtemp(join(tmpdir(), "gflownet-dashboard-"));
    try {
      const file = join(temporary, "config.json");
      await writeFile(file, JSON.stringify(config), { mode: 0o600 });
      await this.#begin(folder, ["train", "--config", file, "--out", folder, "--quiet"]);
    } catch (error) {
      await rmdir(folder).catch(() => {}); // fails if the run has begun
      throw error;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
    return `${isFolderOfRuns ? "" : "runs/"}${basename(folder)}`;
  }

  /** Interrupts a run that this server has started, and waits until its state is saved. */
  async stop({ entry, folder }: IndexedEntry): Promise<void> {
    const running = this.#running.get(folder);
    if (!running) {
      const remedy = entry.state === "running" ? "; stop it where it was started" : "";
      throw new RequestError(409, `${entry.name} was not started by this dashboard${remedy}`);
    }
    running.child.kill("SIGINT");
    await Promise.race([running.ended, sleep(STOP_MS, undefined, { ref: false })]);
  }

  async resume({ entry, folder }: IndexedEntry): Promise<void> {
    if (entry.kind !== "run")
      throw new RequestError(409, `${entry.name} is not a run, so it cannot be resumed`);
    if (entry.state !== "interrupted") {
      throw new RequestError(409, `${entry.name} is ${entry.state}; only interrupted runs can be resumed`);
    }
    this.#checkCount();
    await this.#begin(folder, ["train", "--resume", folder, "--quiet"]);
  }

  /** Interrupts all runs that this server has started. They save their state and end by themselves. */
  close(): void {
    for (const { child } of this.#running.values()) {
      child.kill("SIGINT");
      // This process ends without waiting for them.
      child.unref();
      (child.stderr as Socket | null)?.unref();
    }
  }

  #checkCount(): void {
    if (this.#running.size < this.#most) return;
    throw new RequestError(429, `${this.#running.size} runs of this dashboard are training; stop one first`);
  }

  /** A page may name files of the watched folder only. */
  async #pathIssues(settings: Readonly<Record<string, unknown>>): Promise<Issue[]> {
    const root = await realpath(this.#folder).catch(() => this.#folder);
    const issues = Object.entries(settings).map(async ([path, value]): Promise<Issue[]> => {
      const file = Object.hasOwn(CONFIG_KEYS, path) ? CONFIG_KEYS[path].file : undefined;
      if (!file || typeof value !== "string" || file.builtIn.includes(value)) return [];
      const real = await realpath(resolve(root, value)).catch(() => null);
      const inside = real === null ? ".." : relative(root, real);
      if (inside !== ".." && !inside.startsWith(`..${sep}`) && resolve(root, inside) === real) return [];
      return [{ path, code: "range", message: "must be a file in the folder that the dashboard shows" }];
    });
    return (await Promise.all(issues)).flat();
  }

  /** Starts a process, and waits until it holds the lock of its run. */
  async #begin(folder: string, args: readonly string[]): Promise<void> {
    const [program, ...first] = this.#command;
    const child = spawn(program, [...first, ...args], {
      cwd: await realpath(this.#folder).catch(() => undefined),
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const running: Running = {
      child,
      stderr: "",
      ended: once(child, "close").then(
        () => {
          this.#running.delete(folder);
        },
        (error: Error) => {
          running.stderr = error.message;
          this.#running.delete(folder);
        },
      ),
    };
    this.#running.set(folder, running);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      running.stderr = (running.stderr + text).slice(-MOST_STDERR);
    });
    const until = performance.now() + BEGIN_MS;
    while (performance.now() < until) {
      if (await hasBegun(folder)) return;
      await Promise.race([running.ended, sleep(POLL_MS, undefined, { ref: false })]);
      if (this.#running.get(folder) === running) continue;
      if (child.exitCode === 0) return; // a run that was complete already
      const reason = running.stderr.trim().replace(/^gflownet: /, "");
      throw new RequestError(422, reason || `the process of the run ended with code ${child.exitCode}`);
    }
  }
}

/** Whether a run has begun: it has its config, and a process writes to it. */
async function hasBegun(folder: string): Promise<boolean> {
  const config = await stat(join(folder, RUN_FILES.config)).catch(() => null);
  return config !== null && (await isLocked(folder));
}
