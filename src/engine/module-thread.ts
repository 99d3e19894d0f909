// Starts a thread that runs a module of this package and may use the native library.

import { SHARE_ENV, Worker, type WorkerOptions } from "node:worker_threads";
import { type NativeCallState, nativeCallState } from "./native-calls.ts";

export interface ModuleThread {
  readonly worker: Worker;
  /** The module passes it, its `workerData`, to `showNativeCalls`. */
  readonly nativeCalls: NativeCallState;
}

/** `file` is compiled, or TypeScript if the package runs from its sources. */
export function startModuleThread(file: URL): ModuleThread {
  const nativeCalls = nativeCallState();
  // The native library reads the environment of the process, which a copy for the thread would not change.
  const options: WorkerOptions = { env: SHARE_ENV, workerData: nativeCalls };
  if (!file.pathname.endsWith(".ts")) return { worker: new Worker(file, options), nativeCalls };
  // Node 20 loads TypeScript in a thread only if the thread itself registers tsx.
  const start = `import("tsx/esm/api").then(({ register }) => (register(), import(${JSON.stringify(file.href)})));`;
  return { worker: new Worker(start, { ...options, eval: true }), nativeCalls };
}
