// Files that cannot be written are refused before the work.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkPlaces } from "./places.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-places-"));
mkdirSync(join(folder, "taken"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test("files in a folder that is there are fine, and flags that were not typed", async () => {
  await checkPlaces({ "--out": at("f.csv"), "--paths": at("p.csv"), "--report": undefined }, at("data.csv"));
});

test.each([
  [
    "a missing folder",
    { "--out": at("no/f.csv") },
    `--out must name a file in a folder that is there, got ${at("no/f.csv")}`,
  ],
  ["a folder", { "--paths": at("taken") }, `--paths must name a file, got the folder ${at("taken")}`],
  [
    "the data",
    { "--out": at("taken/../data.csv") },
    "--out must name a file of its own, got that of the data",
  ],
  [
    "one file twice",
    { "--out": at("f.csv"), "--paths": at("f.csv") },
    "--paths must name a file of its own, got that of --out",
  ],
])("%s is refused", async (_, files, sentence) => {
  await expect(checkPlaces(files, at("data.csv"))).rejects.toThrow(sentence);
});
