// A small sample of the benchmarks `crash` and `fuzz`: killed runs go on, and strange input works or is refused.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { crashRows } from "../bench/crash/index.ts";
import { casesOf, fuzzRows } from "../bench/fuzz/index.ts";

// Compiled code finds its packages from inside the project.
const inside = fileURLToPath(new URL(`../bench/output/test-${process.pid}`, import.meta.url));
const outside = mkdtempSync(join(tmpdir(), "gflownet-robustness-"));
afterAll(() => {
  for (const folder of [inside, outside]) rmSync(folder, { recursive: true, force: true });
});
const say = () => {};
/** Kind to a machine that does other things as well; both take a few seconds. */
const LONGEST = 180_000;

test("runs that are killed go on, and end as if nothing had happened", { timeout: LONGEST }, async () => {
  const rows = await crashRows({ kills: 1, iterations: 200, longestSeconds: 60, folder: inside, say });
  expect(rows.flatMap(({ failures }) => failures)).toEqual([]);
  expect(rows.map(({ kills }) => kills >= 1)).toEqual([true, true]);
});

test("random configs and damaged files work, or are refused in one clear sentence", {
  timeout: LONGEST,
}, async () => {
  const rows = await fuzzRows({ cases: casesOf(30), jobs: 1, longestSeconds: 60, folder: outside, say });
  expect(rows.flatMap(({ failures }) => failures)).toEqual([]);
  for (const { counts } of rows) expect(counts.worked + counts.refused).toBeGreaterThan(0);
});
