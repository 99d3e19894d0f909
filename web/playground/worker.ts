// The worker of the playground: the host of src/playground, with an engine that the page has loaded.

import { type EngineName, provideWebRuntime } from "../../src/engine/index.ts";
import { startDevice } from "../../src/engine/jax-device.ts";
import { Host } from "../../src/playground/host.ts";
import type { Answer } from "../../src/playground/messages.ts";
import type { EngineMessage, WorkerRequest } from "./worker-messages.ts";

const scope = self as unknown as {
  postMessage(answer: Answer): void;
  onmessage: (event: MessageEvent<WorkerRequest>) => void;
};

let receiveEngine: (message: EngineMessage) => void;
const engine = new Promise<EngineMessage>((done) => {
  receiveEngine = done;
}).then(startEngine);
// Whoever trains without an engine gets the reason.
engine.catch(() => {});

/** ONNX Runtime from the bytes of its file. Without them, programs run on jax-js, which needs SIMD or a graphics processor. */
async function startEngine({ bytes, hasSimd }: EngineMessage): Promise<EngineName> {
  if (bytes !== null) {
    const runtime = await import("onnxruntime-web/wasm");
    runtime.env.wasm.wasmBinary = bytes;
    provideWebRuntime(runtime);
    return "web";
  }
  const device = await startDevice().catch(() => null);
  if (device === "webgpu" || (device !== null && hasSimd)) return "jax";
  throw new Error(
    "Training needs WebAssembly with SIMD, or WebGPU with a graphics processor, and this browser has neither; use a newer one. Everything else works.",
  );
}

const host = new Host({
  answer: (answer) => scope.postMessage(answer),
  engine: () => engine,
});

scope.onmessage = ({ data }) => {
  if (data.kind === "engine") receiveEngine(data);
  else host.receive(data);
};
