// Runs the compiled command line in a temporary folder, in a reused process (which is fast) or in a new process.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { decodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import type { Snapshot } from "../../src/gfn/training/snapshot.ts";
import { runWarm } from "./warm-process.ts";

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>;
  /** Resolves when stdout matches the pattern; rejects if the process ends first. */
  printed(pattern: RegExp): Promise<void>;
}

export interface CommandLine {
  /** The working directory of all commands. */
  readonly folder: string;
  /** The compiled entry point. */
  readonly main: string;
  /** The command in hints, because the tests start the entry point with Node. */
  readonly command: string;
  /** Runs a command in a process that earlier commands have used, which is many times faster than a new process. */
  gflownet(...args: readonly string[]): Ended;
  /** The stdout of a command that must succeed with an empty stderr. */
  output(...args: readonly string[]): string;
  /** Runs a command in a new process, and waits until it ends. */
  alone(...args: readonly string[]): Ended;
  /** Starts a command in a new process, without waiting. */
  start(...args: readonly string[]): Started;
  /** Starts a command in a new process after a module, which changes its surroundings. */
  startAfter(module: string, ...args: readonly string[]): Started;
  /** Runs a command line in a shell, for pipes and redirections. */
  shell(command: string): Ended;
  /** An absolute path in the folder. */
  at(...names: readonly string[]): string;
  /** Deletes the folder. */
  remove(): void;
}

/** Creates a temporary folder to run commands in, and compiles the command line if necessary. */
export function buildCommandLine(): CommandLine {
  const main = builtMain();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet-cli-")));
  const options = { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const gflownet = (...args: readonly string[]) => runWarm({ main, args, folder });
  return {
    folder,
    main,
    command: `node ${main}`,
    gflownet,
    output: (...args) => {
      const { status, stdout, stderr } = gflownet(...args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    alone: (...args) => spawnSync(process.execPath, [main, ...args], options),
    start: (...args) => started(spawn(process.execPath, [main, ...args], { cwd: folder })),
    startAfter: (module, ...args) =>
      started(spawn(process.execPath, ["--import", resolve(module), main, ...args], { cwd: folder })),
    shell: (command) => spawnSync(`"${process.execPath}" "${main}" ${command}`, { ...options, shell: true }),
    at: (...names) => join(folder, ...names),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Compiles the package once, because new processes would have to transpile the sources each time. */
function builtMain(): string {
  const finished = join(process.env.GFLOWNET_TEST_FOLDER!, "package");
  const main = join(finished, "dist", "cli", "main.js");
  if (existsSync(main)) return main;
  // Several workers may compile at the same time, each in its own folder. The first folder that is complete gets the
  // final name.
  const build = `${finished}-${process.pid}`;
  mkdirSync(build);
  copyFileSync("package.json", join(build, "package.json"));
  symlinkSync(resolve("node_modules"), join(build, "node_modules"), "junction");
  symlinkSync(resolve("data"), join(build, "data"), "junction");
  const compiler = resolve("node_modules/typescript/bin/tsc");
  // Only JavaScript is emitted, and types are not checked here.
  const withoutTypes = ["--noCheck", "--declaration", "false"];
  spawnSync(process.execPath, [
    ...[compiler, "-p", "tsconfig.build.json", "--outDir", join(build, "dist")],
    ...withoutTypes,
  ]);
  // The pages that `npm ci` has built.
  symlinkSync(resolve("dist/web"), join(build, "dist", "web"), "junction");
  try {
    renameSync(build, finished);
  } catch {
    if (!existsSync(main)) throw new Error(`the command line could not be compiled into ${finished}`);
  }
  return main;
}

function started(child: ChildProcess): Started {
  const texts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ended & { signal: NodeJS.Signals | null }>((done, fail) => {
    child.on("error", fail).on("close", (status, signal) => done({ status, signal, ...texts }));
  });
  const printed = (pattern: RegExp) =>
    new Promise<void>((done, fail) => {
      const look = () => {
        if (!pattern.test(texts.stdout)) return;
        listeners.delete(look);
        done();
      };
      listeners.add(look);
      ended.then(() => fail(new Error(`ended without printing ${pattern}: ${JSON.stringify(texts)}`)), fail);
      look();
    });
  return { child, ended, printed };
}

type Json = Readonly<Record<string, unknown>>;

export function jsonLines(text: string): Json[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Json]));
}

export function metricsOf(run: string): Json[] {
  return jsonLines(readFileSync(join(run, "metrics.jsonl"), "utf8"));
}

export function checkpointOf(run: string): Snapshot {
  return decodeCheckpoint(readFileSync(join(run, "checkpoint.safetensors")), run);
}

/** The checkpoint, metrics and samples of a run, without times and without start events, for comparisons of runs. */
export function contentOf(run: string) {
  const { seconds, ...checkpoint } = checkpointOf(run);
  const text = readFileSync(join(run, "metrics.jsonl"), "utf8");
  const lines = text
    .replaceAll(/"seconds":[^,}]+/g, '"seconds":0')
    .split("\n")
    .filter((line) => !line.startsWith('{"kind":"start"'));
  const samples = readFileSync(join(run, "samples.csv"), "utf8");
  return { checkpoint, lines, samples };
}
