// Finds Python interpreters that can run the rivals: PyTorch, JAX, other GFlowNet libraries and libraries of ARIMA models.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Command } from "./harness.ts";

export interface Rival {
  readonly version: string;
  /** The command that measures a workload with the script of the rival. */
  command(workload: string, hidden: number, seconds: number, options?: RivalOptions): Command;
}

export interface RivalOptions {
  /** Default: 1. */
  readonly threads?: number;
  /** Number of iterations that a call of a compiled function runs. Only scripts of JAX have it. Default: 1. */
  readonly iterationsPerCall?: number;
}

export type PyTorch = Rival;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The command that runs a script of bench/rivals with the first of `GFLOWNET_PYTHON` and `python3` that can import
 * torch. Undefined if neither can.
 */
export function findPyTorch(
  script = "pytorch_iteration.py",
  environment: Environment = process.env,
): Promise<PyTorch | undefined> {
  return findRival("torch", script, [environment.GFLOWNET_PYTHON]);
}

/**
 * Like `findPyTorch` for JAX, with `GFLOWNET_JAX_PYTHON` as the first candidate, since JAX is often installed
 * separately.
 */
export function findJax(
  script = "jax_training.py",
  environment: Environment = process.env,
): Promise<Rival | undefined> {
  return findRival("jax", script, [environment.GFLOWNET_JAX_PYTHON, environment.GFLOWNET_PYTHON]);
}

/** The Python of `findJax`, for a script with other parameters than those of a workload. */
export function findJaxPython(environment: Environment = process.env) {
  return firstPythonWith("jax", [environment.GFLOWNET_JAX_PYTHON, environment.GFLOWNET_PYTHON]);
}

/** Like `findJax` for gfnx, a GFlowNet library in JAX. */
export function findGfnx(environment: Environment = process.env): Promise<Rival | undefined> {
  const preferred = [environment.GFLOWNET_JAX_PYTHON, environment.GFLOWNET_PYTHON];
  return findRival("gfnx", "gfnx_training.py", preferred, installedVersions("gfnx", "jax"));
}

/** Like `findPyTorch` for torchgfn, a GFlowNet library in PyTorch. */
export function findTorchgfn(environment: Environment = process.env): Promise<Rival | undefined> {
  const preferred = [environment.GFLOWNET_PYTHON];
  return findRival("gfn", "torchgfn_training.py", preferred, installedVersions("torchgfn", "torch"));
}

/** Python code for the version of a package and of the array library that it uses, such as "2.4.1 (torch 2.15.0)". */
function installedVersions(name: string, arrays: string): string {
  return `(lambda of: of("${name}") + " (${arrays} " + of("${arrays}") + ")")(__import__("importlib.metadata").metadata.version)`;
}

/** A Python process that forecasts with ARIMA models. */
export interface ArimaRival {
  /** Name of the model in the results table. */
  readonly name: string;
  /** Name and version of the library. */
  readonly library: string;
  readonly command: Command;
}

const ARIMA_LIBRARIES = [
  ["statsforecast", "AutoARIMA"],
  ["statsmodels", "SARIMA"],
] as const;

/**
 * The first of `GFLOWNET_ARIMA_PYTHON`, `GFLOWNET_PYTHON` and `python3` that can import statsforecast, else the first that
 * can import statsmodels. Undefined if none can.
 */
export async function findArima(environment: Environment = process.env): Promise<ArimaRival | undefined> {
  const preferred = [environment.GFLOWNET_ARIMA_PYTHON, environment.GFLOWNET_PYTHON];
  for (const [module, name] of ARIMA_LIBRARIES) {
    const found = await firstPythonWith(module, preferred);
    if (!found) continue;
    const command = { file: found.file, parameters: [scriptPath(ARIMA_SCRIPT)], threads: 1 };
    return { name, library: `${module} ${found.version}`, command };
  }
  return undefined;
}

/** Name of the ARIMA script in bench/rivals. */
export const ARIMA_SCRIPT = "arima.py";

async function findRival(
  module: string,
  script: string,
  preferred: readonly (string | undefined)[],
  version?: string,
): Promise<Rival | undefined> {
  const found = await firstPythonWith(module, preferred, version);
  if (!found) return undefined;
  return {
    version: found.version,
    command: (workload, hidden, seconds, { threads = 1, iterationsPerCall } = {}) => {
      const values = [workload, hidden, seconds, threads, ...(iterationsPerCall ? [iterationsPerCall] : [])];
      return { file: found.file, parameters: [scriptPath(script), ...values.map(String)], threads };
    },
  };
}

/** Path of a script of bench/rivals. */
export function scriptPath(script: string): string {
  return fileURLToPath(new URL(`rivals/${script}`, import.meta.url));
}

/** The first Python that can import the module, and the version of the module: the value of this Python expression. */
async function firstPythonWith(
  module: string,
  preferred: readonly (string | undefined)[],
  expression = `${module}.__version__`,
) {
  const candidates = [...preferred, "python3"].filter((file): file is string => Boolean(file));
  for (const file of candidates) {
    const version = await versionOf(module, file, expression);
    if (version !== undefined) return { file, version };
  }
  return undefined;
}

async function versionOf(module: string, python: string, expression: string): Promise<string | undefined> {
  try {
    const code = `import ${module}; print(${expression})`;
    const { stdout } = await promisify(execFile)(python, ["-c", code]);
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** The first of `GFLOWNET_PYTHON` and `python3` that can import ViennaRNA, and its version. Undefined if neither can. */
export function findViennaRna(
  environment: Environment = process.env,
): Promise<{ readonly file: string; readonly version: string } | undefined> {
  return firstPythonWith("RNA", [environment.GFLOWNET_PYTHON]);
}
