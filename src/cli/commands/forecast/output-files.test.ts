// Output files that cannot be written are rejected before a command starts.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkOutputFiles } from "./output-files.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-output-"));
mkdirSync(join(folder, "existing"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test("accepts files in an existing folder and options that were not given", async () => {
  await checkOutputFiles({ out: at("f.csv"), paths: at("p.csv"), report: undefined }, at("data.csv"));
});

test.each([
  [
    "a missing folder",
    { out: at("no/f.csv") },
    `out: must be a file in an existing folder, got ${at("no/f.csv")}`,
  ],
  ["a folder", { paths: at("existing") }, `paths: must be a file, got the folder ${at("existing")}`],
  [
    "the data file",
    { out: at("existing/../data.csv") },
    `out: must be a different file from the data, got ${at("existing/../data.csv")}`,
  ],
  [
    "the same file twice",
    { out: at("f.csv"), paths: at("f.csv") },
    `paths: must be a different file from out, got ${at("f.csv")}`,
  ],
])("rejects %s", async (_, files, message) => {
  await expect(checkOutputFiles(files, at("data.csv"))).rejects.toThrow(message);
});
