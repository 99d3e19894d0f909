// A thread that uses the native library can be ended only outside of native calls.

import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { haltNativeCalls, nativeCall, nativeCallState } from "./native-calls.ts";

/** A thread that makes native calls of 200 ms, one after the other, and counts those that begin and those that end. */
const BODY = `
  const { workerData: { counts, state, file } } = require("node:worker_threads");
  import("tsx/esm/api").then(async ({ register }) => {
    register();
    const { nativeCall, showNativeCalls } = await import(file);
    showNativeCalls(state);
    for (;;) await nativeCall(async () => {
      Atomics.add(counts, 0, 1);
      await new Promise((resolve) => setTimeout(resolve, 200));
      Atomics.add(counts, 1, 1);
    });
  });
`;

test("halting a thread waits for the end of its native call, and lets it begin no other", async () => {
  const state = nativeCallState();
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const file = new URL("./native-calls.ts", import.meta.url).href;
  const worker = new Worker(BODY, { eval: true, workerData: { counts, state, file } });
  while (Atomics.load(counts, 0) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await haltNativeCalls(state);
  const [begun, ended] = counts;
  expect(ended).toBe(begun);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([...counts]).toEqual([begun, ended]);
  // It waits, and can be ended.
  expect(await worker.terminate()).toBe(1);
});

test("without another thread a call is just made, and its error is thrown", async () => {
  expect(await nativeCall(async () => 3)).toBe(3);
  await expect(nativeCall(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
