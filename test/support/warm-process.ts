// Runs commands in a process that is kept alive, since a new process spends most of its time loading modules.

import { resolve } from "node:path";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Ended } from "./command-line.ts";

export interface WarmCommand {
  readonly main: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** Runs a command and blocks until it ends, like `spawnSync`. */
export function runWarm(command: WarmCommand): Ended {
  bridge ??= startBridge();
  const { port, answered } = bridge;
  Atomics.store(answered, 0, 0);
  port.postMessage(command);
  Atomics.wait(answered, 0, 0);
  return receiveMessageOnPort(port)?.message;
}

/** Test files in the same worker share this process. */
let bridge: ReturnType<typeof startBridge> | undefined;

function startBridge() {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(resolve("test/support/warm-bridge.mjs"), {
    workerData: { port: port2, answered, program: resolve("test/support/warm-process.mjs") },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  port.unref();
  return { port, answered };
}
