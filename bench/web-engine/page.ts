// The script of the page on which the benchmark measures an engine in a browser.

import { provideWebRuntime } from "../../src/engine/index.ts";
import { startDevice } from "../../src/engine/jax-device.ts";
import { measureRate } from "../rate.ts";
import { defaultTraining, plainTraining } from "../workloads/training-iteration.ts";
import type { PageTask } from "./task.ts";

declare global {
  var measure: (task: PageTask) => Promise<Record<string, number>>;
  /** Whether the jax engine would use WebGPU in this browser. */
  var usesWebGpu: () => Promise<boolean>;
}

/** The browser first runs WebAssembly that it compiled quickly, and replaces it in the background by fast code. On a busy machine
 * that took eight seconds. */
const WARM_UP_SECONDS = 8;

const workloads = { "training-default": defaultTraining, "training-plain": plainTraining };

globalThis.measure = async (task) => {
  const { workload, device } = task;
  // Imported on demand, so that the threads of the runtime load a file that does not have this script.
  if (device === "web") provideWebRuntime(await import("onnxruntime-web/wasm"));
  else if (device === "wasm") Object.defineProperty(navigator, "gpu", { value: undefined });
  else if ((await startDevice()) !== device) throw new Error("This browser has no adapter for WebGPU.");
  const engine = device === "web" ? "web" : "jax";
  const measured = await measureRate(workloads[workload], {
    ...task,
    engine,
    warmUpSeconds: WARM_UP_SECONDS,
  });
  return { ...measured, isolated: Number(globalThis.crossOriginIsolated) };
};

globalThis.usesWebGpu = async () => (await startDevice()) === "webgpu";
