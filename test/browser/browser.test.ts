// Tests of the engine in a real browser: a page is bundled, served on loopback and opened in Chromium.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { expect, test } from "vitest";
import { trainBriefly } from "./train-briefly.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

test("training in Chromium gives the same losses as in Node", async () => {
  expect(existsSync(CHROMIUM), `${CHROMIUM} is missing: install chromium, or set CHROMIUM to a browser`).toBe(
    true,
  );
  const folder = mkdtempSync(join(tmpdir(), "gflownet-page-"));
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><title>test</title><link rel="icon" href="data:,"><script type="module" src="/@fs${resolve("test/browser/page.ts")}"></script>`,
  );
  try {
    const outDir = join(folder, "dist");
    await build({
      root: folder,
      logLevel: "error",
      build: { outDir, target: "esnext", rollupOptions: { input: join(folder, "index.html") } },
      resolve: { alias: { [`/@fs${resolve("test/browser/page.ts")}`]: resolve("test/browser/page.ts") } },
    });
    const server = await preview({
      root: folder,
      build: { outDir },
      logLevel: "error",
      preview: { host: "127.0.0.1", port: 0 },
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    });
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(message.text());
      });
      await page.goto(server.resolvedUrls?.local[0] ?? "");
      const losses = await page.evaluate(() => globalThis.training);
      const expected = await trainBriefly();
      expect(losses).toHaveLength(expected.length);
      expect(losses[0]).toBeCloseTo(expected[0], 5);
      expect(losses.at(-1)).toBeCloseTo(expected.at(-1)!, 3);
      expect(mean(losses.slice(-20))).toBeLessThan(mean(losses.slice(0, 20)) / 2);
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
