// Chooses the engine of a program, and warns once per process if the native library is missing.

import { ENGINES, type EngineName } from "./engine-name.ts";
import { EngineError } from "./errors.ts";
import { webRuntime } from "./web-runtime.ts";

/**
 * Name of the engine to use. Without a name: `native` if its library loads; in a browser `web` if a runtime was provided; else
 * `jax`. Throws for unknown names. Emits a Node warning, once per process, if the result is `jax` and the native library is
 * missing.
 */
export async function chooseEngine(name?: string): Promise<EngineName> {
  if (name !== undefined && name !== "web" && !(ENGINES as readonly string[]).includes(name)) {
    throw new EngineError(`Unknown engine ${JSON.stringify(name)}; engines are: ${ENGINES.join(", ")}.`);
  }
  if (name === "web" || (name === undefined && !IN_NODE && webRuntime() !== undefined)) return "web";
  // A library that crashes the process on loading must not be loaded if jax is asked for.
  const problem = name === "jax" ? await missingNative() : await nativeProblem();
  if (name === "native" && problem !== undefined) throw new EngineError(problem);
  if (name !== "jax" && problem === undefined) return "native";
  if (problem !== undefined) warnOnce(problem);
  return "jax";
}

/** The reason why the native engine cannot run here, as one sentence. Undefined if it can. */
export async function nativeProblem(): Promise<string | undefined> {
  if (!IN_NODE) return "The native engine runs in Node only.";
  try {
    await (await onnxRuntime()).loadRuntime();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The reason why no native library is installed. Undefined if one is, or in a browser. */
async function missingNative(): Promise<string | undefined> {
  if (!IN_NODE) return undefined;
  const { hasRuntime, missingProblem } = await onnxRuntime();
  return hasRuntime() ? undefined : missingProblem();
}

const IN_NODE = typeof process === "object" && process.versions?.node !== undefined;

let warned = false;

/** For a thread: the thread that started it warns. */
export function leaveWarningToParent(): void {
  warned = true;
}

function warnOnce(problem: string): void {
  if (warned || !IN_NODE) return;
  warned = true;
  process.emitWarning(
    "The native engine is missing: everything runs on the jax engine, which is several times slower.",
    { type: "EngineWarning", code: "GFLOWNET_NO_NATIVE", detail: problem },
  );
}

/** Imported on demand: browsers never load it. */
function onnxRuntime() {
  return import("./onnx-runtime.ts");
}
