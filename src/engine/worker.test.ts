// Tests of the native engine in worker threads.

import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { type TrainingRecord, type TrainingRequest, train } from "../../test/support/training.ts";

/** Trains in a worker. Node 20 cannot load TypeScript in a worker, even with `--import tsx`, so the worker registers tsx. */
function trainInWorker(request: TrainingRequest): Promise<TrainingRecord> {
  const file = new URL("../../test/support/native-worker.ts", import.meta.url).href;
  const start = `import("tsx/esm/api").then(({ register }) => (register(), import(${JSON.stringify(file)})));`;
  const worker = new Worker(start, { eval: true, workerData: request });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the worker exited with code ${code} and no message`)));
  });
}

const request: TrainingRequest = { engine: "native", iterations: 30 };

test("a worker trains bit-identically to the main thread and does not block it", async () => {
  let ticks = 0;
  const clock = setInterval(() => ticks++, 5);
  const inWorker = await trainInWorker(request);
  clearInterval(clock);
  expect(inWorker).toEqual(await train(request));
  expect(inWorker.losses).toHaveLength(30);
  expect(ticks).toBeGreaterThan(10);
});

test("two concurrent workers give the same results as alone", async () => {
  const requests = [1, 2].map((seed) => ({ ...request, seed }));
  const together = await Promise.all(requests.map(trainInWorker));
  for (const [k, alone] of (await Promise.all(requests.map(train))).entries()) {
    expect(together[k]).toEqual(alone);
  }
  expect(together[0].losses).not.toEqual(together[1].losses);
});
