// Tests of input files: found by their content, inside the folder only.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { InputFiles } from "./input-files.ts";

const root = mkdtempSync(join(tmpdir(), "gflownet-inputs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const data = join(root, "data");
mkdirSync(join(data, "deep"), { recursive: true });
mkdirSync(join(root, "outside"));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a file is found by its content, also in a folder of the folder", async () => {
  writeFileSync(join(data, "deep", "a.csv"), "a");
  const files = new InputFiles(data);
  expect(await files.find(sha256("a"))).toBe(join(data, "deep", "a.csv"));
  expect(await files.find(sha256("b"))).toBeNull();
  expect(await files.find("../outside/secret")).toBeNull();
});

test("links to files and to folders are not followed, also if they lead in a circle", async () => {
  writeFileSync(join(root, "outside", "secret"), "secret");
  symlinkSync(join(root, "outside", "secret"), join(data, "link"));
  symlinkSync(join(root, "outside"), join(data, "folder"));
  symlinkSync(data, join(data, "deep", "circle"));
  expect(await new InputFiles(data).find(sha256("secret"))).toBeNull();
});

test("a file that changes is read again, and one that is gone is not found", async () => {
  const [files, path] = [new InputFiles(data), join(data, "changing")];
  writeFileSync(path, "one");
  expect(await files.find(sha256("one"))).toBe(path);
  writeFileSync(path, "two");
  utimesSync(path, 1, 1);
  expect(await files.find(sha256("one"))).toBeNull();
  expect(await files.find(sha256("two"))).toBe(path);
  rmSync(path);
  expect(await files.find(sha256("two"))).toBeNull();
});

test("without a folder there are no files", async () => {
  expect(await new InputFiles(null).find(sha256("a"))).toBeNull();
});
