// Tests with a small sample of the benchmarks `crash` and `fuzz`: killed runs resume, and invalid input is refused with
// a clear message.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { crashRows } from "../bench/crash/index.ts";
import { casesOf, fuzzRows } from "../bench/fuzz/index.ts";

// The compiled code must be inside the project to find its packages.
const inside = fileURLToPath(new URL(`../bench/output/test-${process.pid}`, import.meta.url));
const outside = mkdtempSync(join(tmpdir(), "gflownet-robustness-"));
afterAll(() => {
  for (const folder of [inside, outside]) rmSync(folder, { recursive: true, force: true });
});
const say = () => {};
/** Both tests take some ten seconds; the limit allows for a busy machine. */
const TIMEOUT = 600_000;

test("killed runs and designs resume, and end with the same files as uninterrupted ones", {
  timeout: TIMEOUT,
}, async () => {
  const rows = await crashRows({ kills: 1, iterations: 100, timeoutSeconds: 60, folder: inside, say });
  expect(rows.flatMap(({ failures }) => failures)).toEqual([]);
  expect(rows.map(({ kills }) => kills >= 1)).toEqual([true, true, true, true]);
});

test("random configs and damaged files work, or are refused with one clear sentence", {
  timeout: TIMEOUT,
}, async () => {
  const rows = await fuzzRows({ cases: casesOf(30), jobs: 1, timeoutSeconds: 60, folder: outside, say });
  expect(rows.flatMap(({ failures }) => failures)).toEqual([]);
  for (const { counts } of rows) expect(counts.worked + counts.refused).toBeGreaterThan(0);
});
