// The folder of a comparison: what a killed process leaves behind does no harm, and finished cells come back.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunLockedError } from "../run/run-error.ts";
import type { Comparison } from "./comparison.ts";
import { openComparison, readComparison } from "./folder.ts";
import type { CellRecord } from "./record.ts";

const comparison: Comparison = {
  ...{ methods: ["kl", "random"], sticks: [0.25], seeds: [0], calls: 100, seconds: null },
  ...{ evaluations: 2, onPolicy: false, settings: { task: "hypergrid" } },
};
const records = [{ calls: 0, tv: 0.5 }] as CellRecord[];
const [first] = [{ method: "kl", stick: 0.25, seed: 0 }];
const TEMPORARY = "0b5c2f0e-5b0e-4c59-9f1c-1c2f0e5b0e4c.tmp";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "comparison-"));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test("cells that were finished come back, also after files that were not whole were left", async () => {
  const begun = await openComparison(path, comparison);
  await begun.writeCell(first, records);
  await begun.close();
  for (const name of [`.table.csv.${TEMPORARY}`, join("cells", `.kl_stick=0.25_seed=0.jsonl.${TEMPORARY}`)]) {
    writeFileSync(join(path, name), "half");
  }
  const again = await openComparison(path, comparison);
  expect(await again.readCells()).toEqual({ finished: [{ ...first, records }], damaged: [] });
  await again.close();
  expect(
    [...readdirSync(path), ...readdirSync(join(path, "cells"))].filter((name) => name.startsWith(".")),
  ).toEqual([]);
  expect(await readComparison(path)).toEqual(comparison);
});

test("two processes do not write to it, and a folder of something else is left alone", async () => {
  const one = await openComparison(path, comparison);
  await expect(openComparison(path, comparison)).rejects.toThrow(RunLockedError);
  await one.close();
  const other = join(path, "other");
  mkdirSync(other);
  writeFileSync(join(other, "letter.txt"), "dear");
  await expect(openComparison(other, comparison)).rejects.toThrow("is not empty and no comparison");
  expect(readdirSync(other)).toEqual(["letter.txt"]);
});
