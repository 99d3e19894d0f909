// Finding a Python with PyTorch, the rival.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Command } from "./harness.ts";

const SCRIPT = fileURLToPath(new URL("rivals/pytorch_iteration.py", import.meta.url));

export interface PyTorch {
  readonly version: string;
  /** Measures a workload of rivals/pytorch_iteration.py. */
  command(workload: string, hidden: number, seconds: number, threads?: number): Command;
}

/** The first of `GFLOWNET_PYTHON` and `python3` that can import torch, or undefined. */
export async function findPyTorch(environment = process.env): Promise<PyTorch | undefined> {
  const candidates = [environment.GFLOWNET_PYTHON, "python3"].filter((file): file is string => Boolean(file));
  for (const file of candidates) {
    const version = await torchVersion(file);
    if (version !== undefined) {
      return {
        version,
        command: (workload, hidden, seconds, threads = 1) => ({
          file,
          parameters: [SCRIPT, workload, String(hidden), String(seconds), String(threads)],
          threads,
        }),
      };
    }
  }
  return undefined;
}

async function torchVersion(python: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(python, ["-c", "import torch; print(torch.__version__)"]);
    return stdout.trim();
  } catch {
    return undefined;
  }
}
