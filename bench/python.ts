// Finding a Python with PyTorch, JAX or a library of ARIMA models, the rivals.

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

/** What forecasts by ARIMA models. */
export interface ArimaRival {
  /** Name of its rows. */
  readonly name: string;
  /** The library with its version. */
  readonly library: string;
  readonly command: Command;
}

const ARIMA_LIBRARIES = [
  ["statsforecast", "AutoARIMA"],
  ["statsmodels", "SARIMA"],
] as const;

/** `GFLOWNET_ARIMA_PYTHON`, `GFLOWNET_PYTHON` or `python3`: the first with statsforecast, else with statsmodels, or undefined. */
export async function findArima(environment: Environment = process.env): Promise<ArimaRival | undefined> {
  const preferred = [environment.GFLOWNET_ARIMA_PYTHON, environment.GFLOWNET_PYTHON];
  for (const [module, name] of ARIMA_LIBRARIES) {
    const found = await firstWith(module, preferred);
    if (!found) continue;
    const command = { file: found.file, parameters: [scriptPath(ARIMA_SCRIPT)], threads: 1 };
    return { name, library: `${module} ${found.version}`, command };
  }
  return undefined;
}

/** In bench/rivals. */
export const ARIMA_SCRIPT = "arima.py";

async function find(
  module: string,
  script: string,
  preferred: readonly (string | undefined)[],
): Promise<Rival | undefined> {
  const found = await firstWith(module, preferred);
  if (!found) return undefined;
  return {
    version: found.version,
    command: (workload, hidden, seconds, threads = 1) => ({
      file: found.file,
      parameters: [scriptPath(script), workload, String(hidden), String(seconds), String(threads)],
      threads,
    }),
  };
}

function scriptPath(script: string): string {
  return fileURLToPath(new URL(`rivals/${script}`, import.meta.url));
}

/** The first Python that can import the module. */
async function firstWith(module: string, preferred: readonly (string | undefined)[]) {
  const candidates = [...preferred, "python3"].filter((file): file is string => Boolean(file));
  for (const file of candidates) {
    const version = await versionOf(module, file);
    if (version !== undefined) return { file, version };
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
