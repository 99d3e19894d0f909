// The file of ONNX Runtime inside the widget: compressed and in base64, put in by the build.

import { hasSimd } from "../../src/engine/in-place/adam-kernel.ts";
import type { EngineFile } from "./engine-file.ts";

declare const __PACKED_ENGINE__: string;

export async function unpackEngine(onProgress: (share: number) => void): Promise<EngineFile> {
  if (typeof WebAssembly !== "object" || !hasSimd()) {
    return { bytes: null, problem: "This browser has no WebAssembly with SIMD", hasSimd: false };
  }
  const packed = Uint8Array.from(atob(__PACKED_ENGINE__), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = await new Response(stream).arrayBuffer();
  onProgress(1);
  return { bytes, isKept: false };
}
