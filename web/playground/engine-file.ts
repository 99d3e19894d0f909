// Loads the file of ONNX Runtime for WebAssembly: large, so it comes after the first picture, with its progress.

import engineUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { hasSimd } from "../../src/engine/in-place/adam-kernel.ts";
import { keepEngine, keptEngine } from "./offline.ts";

/** Size of the file in bytes; the build knows it. */
declare const __ENGINE_BYTES__: number;
export const ENGINE_BYTES: number = __ENGINE_BYTES__;

export type EngineFile =
  | { readonly bytes: ArrayBuffer; readonly isKept: boolean }
  /** Why it cannot be used. */
  | { readonly bytes: null; readonly problem: string; readonly hasSimd: boolean };

/** `onProgress` gets the share that has arrived, from 0 to 1. */
export async function loadEngine(onProgress: (share: number) => void): Promise<EngineFile> {
  if (typeof WebAssembly !== "object") {
    return { bytes: null, problem: "This browser has no WebAssembly, or it is switched off", hasSimd: false };
  }
  if (!hasSimd())
    return { bytes: null, problem: "This browser has no WebAssembly with SIMD", hasSimd: false };
  try {
    const kept = await keptEngine(engineUrl);
    const response = kept ?? (await fetch(engineUrl));
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    const bytes = new Uint8Array(ENGINE_BYTES);
    let loaded = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      if (loaded + value.length > ENGINE_BYTES) throw new Error("the file is longer than it should be");
      bytes.set(value, loaded);
      loaded += value.length;
      onProgress(loaded / ENGINE_BYTES);
    }
    if (loaded < ENGINE_BYTES) throw new Error(`the file ended after ${loaded} of ${ENGINE_BYTES} bytes`);
    const isKept = kept !== undefined || (await keepEngine(engineUrl, bytes));
    return { bytes: bytes.buffer, isKept };
  } catch (error) {
    return {
      bytes: null,
      problem: `The engine could not be loaded: ${(error as Error).message}`,
      hasSimd: true,
    };
  }
}
