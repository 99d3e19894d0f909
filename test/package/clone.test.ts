// A fresh clone: it installs with npm 10 as with npm 11, and its command runs after a clean build.

import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { npmWarnings, run } from "./run.ts";

const NOT_CLONED = new Set(["node_modules", "dist", ".git", "runs", "comparisons", "models", "backtests"]);

let clone: string;
beforeAll(() => {
  clone = join(realpathSync(mkdtempSync(join(tmpdir(), "gflownet-clone-"))), "gflownet");
  cpSync(".", clone, { recursive: true, filter: (from) => !NOT_CLONED.has(basename(resolve(from))) });
});
afterAll(() => rmSync(resolve(clone, ".."), { recursive: true, force: true }));

test("npm 10 installs the native library without a download, and warns about nothing of the project", async () => {
  const installed = await run("npx", ["--yes", "npm@10", "ci"], clone);
  expect(installed.status, installed.stderr).toBe(0);
  // Warnings that a package is deprecated are those of its author.
  expect(npmWarnings(installed).filter((line) => !line.includes("deprecated"))).toEqual([]);
  const load = ["-e", "require('onnxruntime-node').InferenceSession.create"];
  expect(await run(process.execPath, load, clone)).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("the command runs after dist has been removed and built again", async () => {
  rmSync(join(clone, "dist"), { recursive: true });
  const built = await run("npm", ["run", "build"], clone);
  expect(built.status, built.stderr).toBe(0);
  expect(npmWarnings(built)).toEqual([]);
  const { status, stdout } = await run("npx", ["gflownet", "--version"], clone);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
