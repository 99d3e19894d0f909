// Tests of the sentences about a missing native library.

import { describe, expect, test } from "vitest";
import { describeMissing, platformPackage } from "./onnx-runtime.ts";

const PUBLISHED = { "@duckdb/node-api": "1.0.0", "@gflownet/native-linux-x64": "1.30.0" };
const LINUX = { os: "linux", cpu: "x64", musl: false };

test("a platform package has the platform in its name", () => {
  expect(platformPackage("linux", "x64")).toBe("@gflownet/native-linux-x64");
});

describe("a missing library", () => {
  test("of a platform that has a package is installed in the version that this release asks for", () => {
    expect(describeMissing({ ...LINUX, optional: PUBLISHED })).toBe(
      "The package @gflownet/native-linux-x64 is not installed; " +
        "install it with: npm install @gflownet/native-linux-x64@1.30.0",
    );
  });

  test("of a clone is installed with the lock file", () => {
    expect(describeMissing({ ...LINUX, optional: { "onnxruntime-node": "1.30.0" } })).toBe(
      "The package onnxruntime-node is not installed; install it with: npm ci",
    );
  });

  test("of another platform cannot be installed, and the platforms are listed", () => {
    expect(describeMissing({ ...LINUX, cpu: "riscv64", optional: PUBLISHED })).toBe(
      "There is no native library for linux-riscv64; use one of linux-x64",
    );
  });

  test("of a system with musl needs another system", () => {
    expect(describeMissing({ ...LINUX, musl: true, optional: PUBLISHED })).toMatch(
      /needs glibc, .* has musl; use/,
    );
  });

  test("of a bundled program, which has no package.json, is installed in the latest version", () => {
    expect(describeMissing({ ...LINUX, optional: {} })).toMatch(/npm install @gflownet\/native-linux-x64$/);
  });
});
