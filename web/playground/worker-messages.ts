// What the page tells its worker beside the requests to the host.

import type { Request } from "../../src/playground/messages.ts";

/** The bytes of ONNX Runtime; null if they cannot be had. */
export interface EngineMessage {
  readonly kind: "engine";
  readonly bytes: ArrayBuffer | null;
  /** Whether the browser runs WebAssembly with SIMD. */
  readonly hasSimd: boolean;
}

export type WorkerRequest = Request | EngineMessage;
