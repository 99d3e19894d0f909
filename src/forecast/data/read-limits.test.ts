// Files that unpack to more rows than fit are refused before anything is allocated, and reading reports its progress.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { panelFromTable } from "./panel.ts";
import { MAX_ROWS, rowLimit } from "./read-limits.ts";
import type { ReadProgress } from "./read-progress.ts";
import { readTable } from "./read-table.ts";
import { tableFromColumns } from "./table.ts";

const ROWS = 2_000_000;
let [folder, bomb] = ["", ""];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-limits-"));
  bomb = join(folder, "bomb.csv.gz");
  const packed = gzipSync(`ds,y\n${"5,1\n".repeat(ROWS)}`);
  expect(packed.length).toBeLessThan(50_000);
  await writeFile(bomb, packed);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const columns = { id: undefined, time: "ds", targets: ["y"], covariates: [], ignored: [] };

describe("a small file that unpacks to many rows", () => {
  test("is refused with the number of rows that would fit", async () => {
    await expect(readTable(bomb, {}, { memory: 9e6 })).rejects.toThrow(
      `${bomb} has more than 100,000 rows, the most that fit into 0.0 GB of available memory at 72 bytes each; aggregate the rows to longer steps, or split the series over several files`,
    );
  });

  test("is counted with progress, and an abort interrupts it", async () => {
    const seen: ReadProgress[] = [];
    const controller = new AbortController();
    const onProgress = (progress: ReadProgress) => {
      seen.push(progress);
      controller.abort(new Error("enough"));
    };
    await expect(readTable(bomb, {}, { signal: controller.signal, onProgress })).rejects.toThrow();
    expect(seen.length).toBeGreaterThan(0);
    expect(seen[0].seconds).toBeLessThan(60);
    expect(seen[0].rows).toBeLessThanOrEqual(ROWS);
  });
});

describe("the limit", () => {
  test("is the memory, or a fixed number of rows; a row of a wide file counts once per series", () => {
    expect(rowLimit(columns, false, 1e12).rows).toBe(MAX_ROWS);
    expect(rowLimit(columns, false, 9e9).rows).toBe(MAX_ROWS);
    expect(rowLimit(columns, false, 9e8).rows).toBe(1e7);
    expect(rowLimit({ ...columns, targets: ["a", "b", "c", "d"] }, true, 1e12).rows).toBe(MAX_ROWS / 4);
    expect(rowLimit({ ...columns, targets: ["a", "b"] }, true, 9e8).rows).toBe(5e6);
    expect(() => rowLimit(columns, false, 1e12).refuse("x.csv")).toThrow(
      "x.csv has more than 50,000,000 rows, the most that can be read; aggregate the rows to longer steps, or split",
    );
  });

  test("holds for the steps that are inserted between the rows of many series", () => {
    const count = 60_000;
    const table = tableFromColumns({
      ids: Array.from({ length: 3 * count }, (_, i) => `${Math.floor(i / 3)}`),
      times: Array.from({ length: 3 * count }, (_, i) => [1, 2, 1000][i % 3]),
      timesAreSteps: true,
      targets: { y: new Float64Array(3 * count) },
    });
    expect(() => panelFromTable(table, { frequency: { unit: "step", count: 1 } })).toThrow(
      "frequency: with steps of 1, the series have 60,000,000 steps together, and at most 50,000,000 are possible; choose longer steps, or keep the times irregular",
    );
  });
});
