// The command line where the native library is missing, or comes from a platform package.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";

const PLATFORM_PACKAGE = `@gflownet/native-${process.platform}-${process.arch}`;
const SMALL = ["--side", "3", "--hidden", "8", "--batch", "8", "--samples", "10"];
const RUN = ["hypergrid", ...SMALL, "--iterations", "2", "--quiet"];
const WARNING = /EngineWarning: The native engine is missing: .* jax engine, which is several times slower/g;
const REMEDY = "The package onnxruntime-node is not installed; install it with: npm ci";

let cli: CommandLine;
/** A copy of the compiled package beside which onnxruntime-node is not installed. */
let copy: string;

beforeAll(() => {
  cli = buildCommandLine();
  copy = cli.at("package");
  const built = resolve(dirname(cli.main), "../..");
  cpSync(join(built, "dist"), join(copy, "dist"), { recursive: true });
  cpSync(join(built, "package.json"), join(copy, "package.json"));
  symlinkSync(resolve("data"), join(copy, "data"), "junction");
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync("node_modules")) {
    if (!/^(\.|onnxruntime-node$)/.test(name)) {
      symlinkSync(resolve("node_modules", name), join(copy, "node_modules", name), "junction");
    }
  }
});
afterAll(() => cli?.remove());

function gflownet(...args: readonly string[]) {
  const main = join(copy, "dist", "cli", "main.js");
  return spawnSync(process.execPath, [main, ...args], { cwd: cli.folder, encoding: "utf8" });
}

test("training and evaluating without the library say so once, with the reason and the remedy", () => {
  for (const command of [
    ["train", ...RUN, "--out", "run"],
    ["evaluate", "run"],
  ]) {
    const { status, stderr } = gflownet(...command);
    expect(status, stderr).toBe(0);
    expect(stderr.match(WARNING)).toHaveLength(1);
    expect(stderr).toContain(REMEDY);
  }
});

test("a comparison without the library says so once, though its experiments run in other processes", () => {
  const small = ["--side", "3", "--methods", "random", "--stick", "0", "--seeds", "1"];
  const { status, stderr } = gflownet("compare", "hypergrid", ...small, "--calls", "128", "--quiet");
  expect(status, stderr).toBe(0);
  expect(stderr.match(WARNING)).toHaveLength(1);
});

test("asking for the native engine without its library fails with the reason", () => {
  const { status, stderr } = gflownet("train", ...RUN, "--engine", "native");
  expect(status).not.toBe(0);
  expect(stderr).toContain(REMEDY);
});

test("the library of the platform package is used, and nothing is said", () => {
  const installed = install(
    `module.exports = require(${JSON.stringify(resolve("node_modules/onnxruntime-node"))})`,
  );
  try {
    const { status, stderr } = gflownet("train", ...RUN, "--engine", "native", "--out", "native");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  } finally {
    installed.remove();
  }
});

test("a platform package whose library does not load is named with the reason", () => {
  const installed = install("throw new Error('invalid ELF header')");
  try {
    const { status, stderr } = gflownet("train", ...RUN, "--engine", "native");
    expect(status).not.toBe(0);
    expect(stderr).toContain(
      `The native library in ${PLATFORM_PACKAGE} cannot be loaded (invalid ELF header)`,
    );
  } finally {
    installed.remove();
  }
});

/** Installs a platform package with this code. */
function install(code: string) {
  const folder = join(copy, "node_modules", PLATFORM_PACKAGE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: PLATFORM_PACKAGE, main: "index.js" }));
  writeFileSync(join(folder, "index.js"), code);
  return { remove: () => rmSync(dirname(folder), { recursive: true }) };
}
