// The worker of the playground: the host of src/playground, with an engine that the page has loaded.

import { type EngineName, provideWebRuntime } from "../../src/engine/index.ts";
import { Host } from "../../src/playground/host.ts";
import type { Answer } from "../../src/playground/messages.ts";
import type { EngineMessage, WorkerRequest } from "./worker-messages.ts";

const scope = self as unknown as {
  postMessage(answer: Answer): void;
  onmessage: (event: MessageEvent<WorkerRequest>) => void;
};

let receiveEngine: (message: EngineMessage) => void;
const engineMessage = new Promise<EngineMessage>((done) => {
  receiveEngine = done;
});
let engine: Promise<EngineName> | undefined;

/** Starts ONNX Runtime from the bytes of its file. Without them, programs run on jax-js. */
async function startEngine(): Promise<EngineName> {
  const { bytes } = await engineMessage;
  if (bytes === null) return "jax";
  const runtime = await import("onnxruntime-web/wasm");
  runtime.env.wasm.wasmBinary = bytes;
  provideWebRuntime(runtime);
  return "web";
}

const host = new Host({
  answer: (answer) => scope.postMessage(answer),
  engine: () => {
    engine ??= startEngine();
    return engine;
  },
});

scope.onmessage = ({ data }) => {
  if (data.kind === "engine") receiveEngine(data);
  else host.receive(data);
};
