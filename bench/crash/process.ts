// Runs the command line in separate processes, and kills them. The command line is compiled first, since starting it
// from TypeScript sources would take most of the time.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildWeb } from "../../scripts/build-web.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Paths of compiled files. Their folder must be inside the project, so that Node finds the packages that they import.
 */
export interface Compiled {
  readonly main: string;
  readonly hook: string;
}

export async function compileCommandLine(folder: string): Promise<Compiled> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const project = join(ROOT, "bench", "crash", "tsconfig.json");
  // Type errors are ignored: other checks find them.
  const parameters = [compiler, "-p", project, "--noCheck", "--outDir", folder];
  const compiled = {
    main: join(folder, "src", "cli", "main.js"),
    hook: join(folder, "bench", "crash", "kill-hook.js"),
  };
  try {
    await promisify(execFile)(process.execPath, parameters);
  } catch (error) {
    if (!existsSync(compiled.main) || !existsSync(compiled.hook)) {
      const { stdout, message } = error as Error & { stdout?: string };
      throw new Error(`crash: compilation of the command line failed: ${stdout?.split("\n")[0] || message}`, {
        cause: error,
      });
    }
  }
  // A finished run writes a report, whose page the command line expects beside its compiled sources.
  await buildWeb(join(folder, "src"));
  return compiled;
}

/** When to kill a process: after a time, or at a disk operation (counted from 1). */
export type KillPoint =
  | { readonly mode: "moment"; readonly milliseconds: number }
  | { readonly mode: "operation"; readonly operation: number };

export interface ProcessResult {
  readonly ended: "by itself" | "killed" | "timeout";
  readonly exitCode: number | null;
  /** First line of its standard error. */
  readonly stderrLine: string;
  readonly milliseconds: number;
}

export interface ProcessOptions {
  readonly compiled: Compiled;
  readonly parameters: readonly string[];
  readonly kill?: KillPoint;
  /** Optional. File that receives the number of disk operations. */
  readonly countFile?: string;
  readonly timeoutSeconds: number;
}

/** Starts the command line and waits until the process ends. */
export function runCommandLine({
  compiled,
  parameters,
  kill,
  countFile,
  timeoutSeconds,
}: ProcessOptions): Promise<ProcessResult> {
  const hooked = kill?.mode === "operation" || countFile !== undefined;
  const hook = hooked ? ["--import", compiled.hook] : [];
  const started = performance.now();
  const child = spawn(process.execPath, [...hook, compiled.main, ...parameters], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      OMP_NUM_THREADS: "1",
      ...(kill?.mode === "operation" && { CRASH_AT: String(kill.operation) }),
      ...(countFile && { CRASH_COUNT: countFile }),
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  let timedOut = false;
  const timers = [
    setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeoutSeconds * 1000),
    ...(kill?.mode === "moment" ? [setTimeout(() => child.kill("SIGKILL"), kill.milliseconds)] : []),
  ];
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (exitCode, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({
        ended: timedOut ? "timeout" : signal === "SIGKILL" ? "killed" : "by itself",
        exitCode,
        stderrLine: stderr.trim().split("\n")[0],
        milliseconds: performance.now() - started,
      });
    });
  });
}
