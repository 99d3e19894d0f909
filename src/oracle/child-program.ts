// One running process of a program that scores strings: its lines, its end, and the end of its whole process group.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileProblem, shorten, shortLine } from "../issues.ts";
import { LineSplitter } from "./line-splitter.ts";

/** Most bytes of one line of output. */
const MAX_LINE = 2 ** 20;
/** The end of standard error that is kept for error messages, in bytes and lines. */
const ERROR_BYTES = 4096;
const ERROR_LINES = 3;
const LONGEST_ERROR_LINE = 60;
/** A process group may hold the output open after its first process has ended; its end counts after this time. */
const CLOSE_MS = 200;
/** Time that a process gets to end by itself after its input was closed. */
const GRACE_MS = 500;

/** Who receives the lines of a process and learns of its end. */
export interface OutputListener {
  line(text: string): void;
  /** The process has ended, or printed a line that is too long. */
  ended(problem: string): void;
}

export interface ChildProgramOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** The process groups that still run. They end with this process, too. */
const running = new Set<ChildProgram>();
let hasExitHandler = false;

function killAll(): void {
  for (const program of running) program.kill();
}

export class ChildProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #splitter = new LineSplitter(MAX_LINE);
  readonly #closed: Promise<void>;
  #errors = Buffer.alloc(0);
  #problem: string | null = null;
  #cannotStart = false;
  #endedWell = false;
  #printedUnasked = false;
  /** After its first process has ended and the rest was killed, the number of the group may belong to another one. */
  #groupHasEnded = false;
  #listener: OutputListener | null = null;

  constructor({ command, environment, folder }: ChildProgramOptions) {
    // A group of its own, so that the children of the program can be ended with it.
    const isGroup = process.platform !== "win32";
    this.#child = spawn(command[0], command.slice(1), {
      ...{ env: environment, cwd: folder, detached: isGroup, stdio: "pipe", shell: false, windowsHide: true },
    });
    running.add(this);
    if (!hasExitHandler) process.on("exit", killAll);
    hasExitHandler = true;
    const { stdin, stdout, stderr } = this.#child;
    stdin.on("error", () => {}); // The process has closed its input; its end is reported below.
    stdout.on("error", () => {});
    stderr.on("error", () => {});
    stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    stderr.on("data", (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-ERROR_BYTES);
    });
    this.#closed = new Promise((resolve) => {
      const finish = (problem: string) => {
        running.delete(this);
        this.#end(problem);
        resolve();
      };
      this.#child.on("error", (error) => {
        this.#cannotStart = this.#child.pid === undefined;
        finish(`${shorten(command[0])} cannot be started: ${fileProblem(error)}`);
      });
      this.#child.on("exit", (code, signal) => {
        const problem = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
        this.#endedWell = code === 0;
        // Children of the program that are still running would keep its output open.
        this.#killGroup();
        this.#groupHasEnded = true;
        const late = setTimeout(() => {
          finish(problem);
          // A process that has left the group may hold the output open, which would keep this process alive.
          stdout.destroy();
          stderr.destroy();
        }, CLOSE_MS);
        this.#child.on("close", () => {
          clearTimeout(late);
          finish(problem);
        });
      });
    });
  }

  /** Why this process can no longer be used; null while it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether the program could not even be started, so that another attempt is pointless. */
  get cannotStart(): boolean {
    return this.#cannotStart;
  }

  /** Whether it has ended by itself with exit code 0. */
  get endedWell(): boolean {
    return this.#endedWell;
  }

  /** Whether it printed a line while nothing was asked. */
  get printedUnasked(): boolean {
    return this.#printedUnasked;
  }

  /** The last lines that the process wrote to standard error, for the end of an error message. */
  get lastErrors(): string {
    const lines = this.#errors
      .toString("utf8")
      .split("\n")
      .map((line) => shortLine(line, LONGEST_ERROR_LINE));
    const last = lines.filter((line) => line !== "").slice(-ERROR_LINES);
    return last.length === 0 ? "" : `; its last lines on standard error: ${last.join(" / ")}`;
  }

  /** Receives all lines from now on. Without a listener, a line ends the process, because nobody asked for it. */
  listen(listener: OutputListener | null): void {
    this.#listener = listener;
    if (listener && this.#problem !== null) listener.ended(this.#problem);
  }

  send(text: string): void {
    if (this.#problem === null) this.#child.stdin.write(text);
  }

  /** Ends the process group at once. */
  kill(): void {
    this.#problem ??= "it was ended";
    this.#killGroup();
  }

  /** Closes the input, and ends the group if the process does not end by itself. */
  async close(): Promise<void> {
    this.#listener = null;
    this.#problem ??= "it was closed";
    this.#child.stdin.end();
    await Promise.race([this.#closed, sleep(GRACE_MS, undefined, { ref: false })]);
    this.#killGroup();
    await this.#closed;
  }

  /** Waits until the process has ended. */
  async ended(): Promise<void> {
    await this.#closed;
  }

  #read(chunk: Buffer): void {
    if (this.#problem !== null) return;
    try {
      for (const line of this.#splitter.add(chunk)) {
        if (this.#listener) this.#listener.line(line);
        else {
          this.#printedUnasked = true;
          this.#spoil("it printed a line that nobody asked for");
        }
        if (this.#problem !== null) return;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#spoil(`it printed a line of more than ${MAX_LINE} bytes`);
    }
  }

  #spoil(problem: string): void {
    this.#end(problem);
    this.#killGroup();
  }

  #end(problem: string): void {
    const isFirst = this.#problem === null;
    this.#problem ??= problem;
    if (isFirst) this.#listener?.ended(problem);
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#groupHasEnded) return;
    try {
      if (process.platform === "win32") this.#child.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The whole group has ended already.
    }
  }
}
