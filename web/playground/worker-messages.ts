// What the page tells its worker beside the requests to the host.

import type { Request } from "../../src/playground/messages.ts";

/** The bytes of ONNX Runtime; null if it cannot be had, or cannot run here. */
export interface EngineMessage {
  readonly kind: "engine";
  readonly bytes: ArrayBuffer | null;
}

export type WorkerRequest = Request | EngineMessage;
