// Chooses the device of jax-js, once per process, by a fixed rule: WebGPU if the browser has a processor for it, else WebAssembly.

import { type Device, defaultDevice, init } from "@jax-js/jax";
import { EngineError } from "./errors.ts";

/** The part of WebGPU that the choice uses. */
interface Gpu {
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}
interface Adapter {
  readonly info?: { readonly isFallbackAdapter?: boolean };
  /** Where browsers of 2025 and earlier have it. */
  readonly isFallbackAdapter?: boolean;
}

let device: Promise<Device> | undefined;

/** Initialises the device. A failure is forgotten, so that the next program tries again. */
export function startDevice(): Promise<Device> {
  device ??= (async () => {
    const candidates: Device[] = (await hasGpu()) ? ["webgpu", "wasm"] : ["wasm"];
    const available = await init(...candidates);
    const chosen = candidates.find((candidate) => available.includes(candidate));
    if (!chosen)
      throw new EngineError("The jax engine needs WebAssembly or WebGPU, but this platform has neither.");
    defaultDevice(chosen);
    return chosen;
  })();
  device.catch(() => {
    device = undefined;
  });
  return device;
}

/**
 * Whether WebGPU runs on a graphics processor here. A fallback adapter computes on the processor, slower than WebAssembly. A
 * browser that fails to answer has none.
 */
async function hasGpu(): Promise<boolean> {
  const { gpu } = (globalThis.navigator ?? {}) as { readonly gpu?: Gpu };
  try {
    const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" });
    return Boolean(adapter) && !(adapter?.info?.isFallbackAdapter ?? adapter?.isFallbackAdapter);
  } catch {
    return false;
  }
}
