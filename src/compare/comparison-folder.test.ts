// Tests of the folder of a comparison: finished experiments are kept, and the incomplete files of a killed process are
// removed.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunLockedError } from "../disk/run-error.ts";
import type { Comparison } from "./comparison.ts";
import { openComparison, readComparison } from "./comparison-folder.ts";
import type { ExperimentRecord } from "./experiment-record.ts";

const comparison: Comparison = {
  ...{ methods: ["kl", "random"], sticks: [0.25], seeds: [0], calls: 100, seconds: null },
  ...{ evaluations: 2, onPolicy: false, settings: { task: "hypergrid" } },
};
const records = [{ calls: 0, tv: 0.5 }] as ExperimentRecord[];
const [first] = [{ method: "kl", stick: 0.25, seed: 0 }];
const TEMPORARY = "0b5c2f0e-5b0e-4c59-9f1c-1c2f0e5b0e4c.tmp";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "comparison-"));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test("finished experiments are read when the folder is opened again, and incomplete files are removed", async () => {
  const created = await openComparison(path, comparison);
  await created.writeExperiment(first, records);
  await created.close();
  for (const name of [
    `.table.csv.${TEMPORARY}`,
    join("experiments", `.kl_stick=0.25_seed=0.jsonl.${TEMPORARY}`),
  ]) {
    writeFileSync(join(path, name), "half");
  }
  const reopened = await openComparison(path, comparison);
  expect(await reopened.readExperiments()).toEqual({ finished: [{ ...first, records }], damaged: [] });
  await reopened.close();
  expect(
    [...readdirSync(path), ...readdirSync(join(path, "experiments"))].filter((name) => name.startsWith(".")),
  ).toEqual([]);
  expect(await readComparison(path)).toEqual(comparison);
});

test("two processes cannot open the same folder, and a folder with other content is not changed", async () => {
  const open = await openComparison(path, comparison);
  await expect(openComparison(path, comparison)).rejects.toThrow(RunLockedError);
  await open.close();
  const other = join(path, "other");
  mkdirSync(other);
  writeFileSync(join(other, "letter.txt"), "dear");
  await expect(openComparison(other, comparison)).rejects.toThrow("is neither empty nor a comparison");
  expect(readdirSync(other)).toEqual(["letter.txt"]);
});
