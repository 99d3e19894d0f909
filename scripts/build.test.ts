// Tests of the steps after the compiler.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finishBuild, withGlobals } from "./build.ts";

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), "gflownet-build-"));
});
afterEach(() => rmSync(dist, { recursive: true }));

/** Writes a file as the compiler does, without run bit. */
function write(name: string, text: string): void {
  mkdirSync(dirname(join(dist, name)), { recursive: true });
  writeFileSync(join(dist, name), text, { mode: 0o644 });
}

const read = (name: string) => readFileSync(join(dist, name), "utf8");

test.skipIf(process.platform === "win32")("the command can be run", () => {
  write("cli/main.js", "#!/usr/bin/env node\n");
  finishBuild(dist, { gflownet: "dist/cli/main.js" });
  expect(statSync(join(dist, "cli/main.js")).mode & 0o777).toBe(0o755);
});

test("declarations that import jax-js refer to its global types, others stay", () => {
  const jax = 'import { numpy } from "@jax-js/jax";\n';
  write("nn/optim/adam.d.ts", jax);
  write("nn/names.d.ts", "export {};\n");
  finishBuild(dist, {});
  expect(read("nn/optim/adam.d.ts")).toBe(`/// <reference path="../../engine/jax-globals.d.ts" />\n${jax}`);
  expect(read("nn/names.d.ts")).toBe("export {};\n");
  expect(read("engine/jax-globals.d.ts")).toContain("interface GPUDevice {}");
});

test("a declaration that uses the types of jax-js inline refers to its global types", () => {
  const text = 'export declare const x: import("@jax-js/jax").Array;\n';
  expect(withGlobals("index.d.ts", text)).toBe(`/// <reference path="engine/jax-globals.d.ts" />\n${text}`);
});
