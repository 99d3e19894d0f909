// What a page of the benchmark measures, and the commands of the processes that open it.

import { fileURLToPath } from "node:url";
import type { Command } from "../harness.ts";

/** The engine `web`, or a device of the engine `jax`. */
export type PageDevice = "web" | "wasm" | "webgpu";

export interface PageTask {
  readonly device: PageDevice;
  /** The page is cross-origin isolated if there are several. */
  readonly threads: number;
  readonly workload: "training-default" | "training-plain";
  readonly hidden: number;
  readonly seconds: number;
}

/** Asks whether the browser has a graphics processor for WebGPU. */
export const ADAPTER = "adapter";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** The command of a process that opens the page in Chromium and prints what it measures. */
export function pageCommand(task: PageTask | typeof ADAPTER): Command {
  const threads = task === ADAPTER ? 1 : task.threads;
  return { file: process.execPath, parameters: ["--import", "tsx", WORKER, JSON.stringify(task)], threads };
}
