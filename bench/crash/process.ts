// The command line in processes of its own, compiled first: starting it from sources would take most of the time.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Compiled files; the folder must be inside the project, whose packages they use. */
export interface Compiled {
  readonly main: string;
  readonly hook: string;
}

export async function compileCommandLine(folder: string): Promise<Compiled> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const project = join(ROOT, "bench", "crash", "tsconfig.json");
  // What is wrong with types is for others to find.
  const parameters = [compiler, "-p", project, "--noCheck", "--outDir", folder];
  const compiled = {
    main: join(folder, "src", "cli", "main.js"),
    hook: join(folder, "bench", "crash", "hook.js"),
  };
  try {
    await promisify(execFile)(process.execPath, parameters);
  } catch (error) {
    if (!existsSync(compiled.main) || !existsSync(compiled.hook)) {
      const { stdout, message } = error as Error & { stdout?: string };
      throw new Error(`crash: the command line cannot be compiled: ${stdout?.split("\n")[0] || message}`, {
        cause: error,
      });
    }
  }
  return compiled;
}

/** When a process is to end, at the latest. */
export type Death =
  | { readonly way: "moment"; readonly milliseconds: number }
  | { readonly way: "operation"; readonly change: number };

export interface Life {
  readonly ended: "by itself" | "killed" | "too late";
  readonly exitCode: number | null;
  /** What it said was wrong. */
  readonly complaint: string;
  readonly milliseconds: number;
}

export interface LifeOptions {
  readonly compiled: Compiled;
  readonly parameters: readonly string[];
  readonly death?: Death;
  /** Where to write how many changes it made to the disk. */
  readonly countInto?: string;
  readonly longestSeconds: number;
}

/** Starts the command line and waits for its end. */
export function live({ compiled, parameters, death, countInto, longestSeconds }: LifeOptions): Promise<Life> {
  const hooked = death?.way === "operation" || countInto !== undefined;
  const hook = hooked ? ["--import", compiled.hook] : [];
  const started = performance.now();
  const child = spawn(process.execPath, [...hook, compiled.main, ...parameters], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      OMP_NUM_THREADS: "1",
      ...(death?.way === "operation" && { CRASH_AT: String(death.change) }),
      ...(countInto && { CRASH_COUNT: countInto }),
    },
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  let late = false;
  const timers = [
    setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, longestSeconds * 1000),
    ...(death?.way === "moment" ? [setTimeout(() => child.kill("SIGKILL"), death.milliseconds)] : []),
  ];
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (exitCode, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({
        ended: late ? "too late" : signal === "SIGKILL" ? "killed" : "by itself",
        exitCode,
        complaint: complaint.trim().split("\n")[0],
        milliseconds: performance.now() - started,
      });
    });
  });
}
