// Tests of the engine in a real browser: a page is bundled, served on loopback and opened in Chromium.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";
import { expect, test } from "vitest";
import { openPage } from "../support/chromium.ts";
import { trainBriefly } from "./train-briefly.ts";

test("training in Chromium gives the same losses as in Node", async () => {
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
    const { result: losses, problems } = await openPage({ root: folder, outDir }, (page) =>
      page.evaluate(() => globalThis.training),
    );
    const expected = await trainBriefly();
    expect(losses).toHaveLength(expected.length);
    expect(losses[0]).toBeCloseTo(expected[0], 5);
    expect(losses.at(-1)).toBeCloseTo(expected.at(-1)!, 3);
    expect(mean(losses.slice(-20))).toBeLessThan(mean(losses.slice(0, 20)) / 2);
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
