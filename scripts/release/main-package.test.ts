// Tests of the published package.json.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { publishedManifest } from "./main-package.ts";

const CLONE = {
  name: "gflownet",
  version: "1.2.3",
  private: true,
  exports: { ".": "./dist/index.js" },
  scripts: { prepare: "node scripts/prepare.mjs" },
  dependencies: { commander: "^14.0.0" },
  optionalDependencies: { "@duckdb/node-api": "1.0.0", "onnxruntime-node": "1.30.0" },
  devDependencies: { vitest: "4" },
  allowScripts: { esbuild: false },
  overrides: { rolldown: "1.2.15" },
};
const PLATFORM = { name: "@gflownet/native-linux-x64", version: "1.30.0" };

test("platform packages replace onnxruntime-node, and what only a clone uses is gone", () => {
  expect(publishedManifest(CLONE, [PLATFORM])).toEqual({
    name: "gflownet",
    version: "1.2.3",
    exports: { ".": "./dist/index.js" },
    dependencies: { commander: "^14.0.0" },
    optionalDependencies: { "@duckdb/node-api": "1.0.0", "@gflownet/native-linux-x64": "1.30.0" },
  });
});

test("packages of a queue are optional peers, which users install themselves", () => {
  const clone = { ...CLONE, optionalDependencies: { ...CLONE.optionalDependencies, bullmq: "6.7.0" } };
  expect(publishedManifest(clone, [PLATFORM])).toMatchObject({
    optionalDependencies: { "@duckdb/node-api": "1.0.0", "@gflownet/native-linux-x64": "1.30.0" },
    peerDependencies: { bullmq: "6.7.0" },
    peerDependenciesMeta: { bullmq: { optional: true } },
  });
});

test("a platform package of another version than the clone asks for is refused", () => {
  expect(() => publishedManifest(CLONE, [{ ...PLATFORM, version: "1.29.0" }])).toThrow(
    "@gflownet/native-linux-x64 has version 1.29.0, but package.json asks for 1.30.0; run npm ci",
  );
});

test("a package.json without onnxruntime-node is refused", () => {
  expect(() => publishedManifest({ ...CLONE, optionalDependencies: {} }, [])).toThrow(/must have/);
});

test("the clone's own package.json cannot be published by mistake, and its release can", () => {
  const clone = JSON.parse(readFileSync("package.json", "utf8"));
  expect(clone.private).toBe(true);
  const published = publishedManifest(clone, [PLATFORM]);
  expect(published).not.toHaveProperty("private");
  expect(published).not.toHaveProperty("scripts");
});
