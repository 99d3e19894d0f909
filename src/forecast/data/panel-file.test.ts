// Reading a file into a panel with plain options.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DEMO, describePanelFile, readPanelFile } from "./panel-file.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-panel-file-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "hours.of.load.csv");
writeFileSync(path, "ds,y\n2024-01-01T00:00,1\n2024-01-01T01:00,2\n2024-01-02T00:00,5\n");

test("options in text form become the frequency, the resampling and the name", async () => {
  const { name, panel, table } = await readPanelFile(path, { resample: "D", aggregate: "sum", season: 2 });
  expect(name).toBe("hours.of.load");
  expect(table.times).toHaveLength(3);
  expect(panel.frequency).toEqual({ unit: "day", count: 1 });
  expect(panel.season).toBe(2);
  expect([...panel.series[0].targets[0]]).toEqual([3, 5]);
  expect((await readPanelFile(path, { frequency: "irregular" })).panel.frequency).toBeNull();
});

test.each([
  [{ aggregate: "sum" }, { path: "aggregate", code: "conflict" }],
  [{ frequency: "fortnight" }, { path: "frequency", code: "frequency" }],
  [{ resample: "fortnight" }, { path: "resample", code: "frequency" }],
  [{ timeColumn: "when" }, { path: "timeColumn", code: "column" }],
  [{ season: 0 }, { path: "season", code: "range" }],
] as const)("an error names the wrong option of %j", async (options, issue) => {
  await expect(readPanelFile(path, options)).rejects.toMatchObject({ issues: [issue] });
});

test("the demo data can be read without options", async () => {
  const file = await readPanelFile(DEMO.path);
  expect(describePanelFile(file)).toMatchObject({ series: 1, frequency: "D", season: 7, missing: 0 });
  expect(file.name).toBe("us-births-1969-1988");
});
