// Tests of the engines in a real browser: a page is bundled, served on loopback and opened in Chromium.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ort from "onnxruntime-web";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { provideWebRuntime } from "../../src/engine/index.ts";
import { openPage } from "../support/chromium.ts";
import { relativeDifference } from "../support/difference.ts";
import { buildScriptPage, type ScriptPage } from "../support/script-page.ts";
import { type BriefTraining, trainBriefly } from "./train-briefly.ts";

/** Chromium with an adapter of WebGPU that computes on the processor. */
const SOFTWARE_GPU = [
  ...["--enable-unsafe-webgpu", "--enable-features=Vulkan"],
  ...["--use-webgpu-adapter=swiftshader", "--use-vulkan=swiftshader", "--use-angle=swiftshader"],
];

const folder = mkdtempSync(join(tmpdir(), "gflownet-page-"));
let bundled: ScriptPage;
beforeAll(async () => {
  bundled = await buildScriptPage("test/browser/page.ts", folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const train = (page: Page, options: BriefTraining) =>
  page.evaluate((given) => globalThis.training(given), options);

describe("the jax engine", () => {
  test("without WebGPU trains in WebAssembly, with the losses of Node", async () => {
    const { result, problems } = await openPage(bundled, async (page) => ({
      losses: await train(page, { engine: "jax" }),
      device: await page.evaluate(() => globalThis.device()),
    }));
    const { losses, device } = result;
    const expected = await trainBriefly({ engine: "jax" });
    expect(device).toBe("wasm");
    expect(losses).toHaveLength(expected.length);
    expect(losses[0]).toBeCloseTo(expected[0], 5);
    expect(losses.at(-1)).toBeCloseTo(expected.at(-1)!, 3);
    expect(mean(losses.slice(-20))).toBeLessThan(mean(losses.slice(0, 20)) / 2);
    expect(problems).toEqual([]);
  });

  test("does not use an adapter of WebGPU that computes on the processor", async () => {
    const { result, problems } = await openPage({ ...bundled, flags: SOFTWARE_GPU }, async (page) => ({
      hasAdapter: await page.evaluate(async () => {
        const { gpu } = navigator as unknown as { gpu: { requestAdapter(): Promise<object | null> } };
        return (await gpu.requestAdapter()) !== null;
      }),
      device: await page.evaluate(() => globalThis.device()),
    }));
    expect(result).toEqual({ hasAdapter: true, device: "wasm" });
    expect(problems).toEqual([]);
  });

  test("trains on WebGPU, with the losses of Node", async () => {
    const { result, problems } = await openPage({ ...bundled, flags: SOFTWARE_GPU }, async (page) => {
      // This machine may have no graphics processor, so an adapter that computes on the processor passes as one.
      await page.evaluate(() => {
        const { GPUAdapterInfo } = globalThis as unknown as { GPUAdapterInfo: { prototype: object } };
        Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { value: false });
      });
      const device = await page.evaluate(() => globalThis.device());
      return { device, losses: await train(page, { engine: "jax", iterations: 20 }) };
    });
    const expected = await trainBriefly({ engine: "jax", iterations: 20 });
    expect(result.device).toBe("webgpu");
    expect(relativeDifference(result.losses, expected)).toBeLessThan(1e-2);
    expect(problems).toEqual([]);
  });
});

describe("the web engine", () => {
  const wide = { engine: "web", hidden: 256, iterations: 60 } as const;

  test("gives the losses of Node, and has one thread on a page that is not isolated", async () => {
    const { result, problems } = await openPage(bundled, async (page) => ({
      losses: await train(page, { ...wide, threads: 2 }),
      workers: page.workers().length,
    }));
    provideWebRuntime(ort);
    expect(result.losses).toEqual(await trainBriefly(wide));
    expect(result.workers).toBe(0);
    expect(problems).toEqual([]);
  });

  test("with two threads on an isolated page gives the losses of one thread, the same in every run", async () => {
    const { result, problems } = await openPage({ ...bundled, isolated: true }, async (page) => ({
      runs: [await train(page, { ...wide, threads: 2 }), await train(page, { ...wide, threads: 2 })],
      workers: page.workers().length,
      refused: await train(page, { ...wide, threads: 1 }).catch(String),
    }));
    const { runs, workers, refused } = result;
    provideWebRuntime(ort);
    expect(relativeDifference(runs[0], await trainBriefly(wide))).toBeLessThan(1e-4);
    expect(runs[1]).toEqual(runs[0]);
    expect(workers).toBe(1);
    expect(refused).toMatch(/threads must be 2, with which ONNX Runtime has started on this page, got 1$/m);
    expect(problems).toEqual([]);
  });

  test("says what to do if the page does not serve the file of the runtime", async () => {
    const { result } = await openPage(bundled, async (page) => {
      await page.route("**/*.wasm", (route) => route.abort());
      return train(page, wide).catch(String);
    });
    expect(result).toMatch(
      /brief: ONNX Runtime for WebAssembly did not start \(.+\); serve its \.wasm file beside the script, or set env\.wasm\.wasmPaths$/m,
    );
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
