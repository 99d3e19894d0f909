// Finding a Python with PyTorch or JAX, the rivals.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Command } from "./harness.ts";

export interface Rival {
  readonly version: string;
  /** Measures a workload of the rival's script. */
  command(workload: string, hidden: number, seconds: number, threads?: number): Command;
}

export type PyTorch = Rival;

type Environment = Readonly<Record<string, string | undefined>>;

/** A script of bench/rivals, run by the first of `GFLOWNET_PYTHON` and `python3` that can import torch, or undefined. */
export function findPyTorch(
  script = "pytorch_iteration.py",
  environment: Environment = process.env,
): Promise<PyTorch | undefined> {
  return find("torch", script, [environment.GFLOWNET_PYTHON]);
}

/** The same for JAX, which may have a Python of its own: `GFLOWNET_JAX_PYTHON` is asked first. */
export function findJax(
  script = "jax_training.py",
  environment: Environment = process.env,
): Promise<Rival | undefined> {
  return find("jax", script, [environment.GFLOWNET_JAX_PYTHON, environment.GFLOWNET_PYTHON]);
}

async function find(
  module: string,
  script: string,
  preferred: readonly (string | undefined)[],
): Promise<Rival | undefined> {
  const path = fileURLToPath(new URL(`rivals/${script}`, import.meta.url));
  const candidates = [...preferred, "python3"].filter((file): file is string => Boolean(file));
  for (const file of candidates) {
    const version = await versionOf(module, file);
    if (version !== undefined) {
      return {
        version,
        command: (workload, hidden, seconds, threads = 1) => ({
          file,
          parameters: [path, workload, String(hidden), String(seconds), String(threads)],
          threads,
        }),
      };
    }
  }
  return undefined;
}

async function versionOf(module: string, python: string): Promise<string | undefined> {
  try {
    const code = `import ${module}; print(${module}.__version__)`;
    const { stdout } = await promisify(execFile)(python, ["-c", code]);
    return stdout.trim();
  } catch {
    return undefined;
  }
}
