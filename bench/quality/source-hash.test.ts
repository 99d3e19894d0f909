import { expect, test } from "vitest";
import { hashOfSources, type Read, sourcesOf } from "./source-hash.ts";

const FILES: Record<string, string> = {
  "bench/worker.ts": 'import { work } from "./work.ts";\nimport type { Named } from "./names.ts";\n',
  "bench/work.ts":
    'import {\n  a,\n} from "../src/a.ts";\nexport const later = () => import("../src/b.ts");\n',
  "bench/names.ts": "export type Named = string;\n",
  "src/a.ts": 'export { c } from "./deep/c.ts";\nimport { gone } from "./gone.ts";\n',
  "src/b.ts": "export const b = 1;\n",
  "src/deep/c.ts": 'import "../a.ts";\nimport "node:fs";\nexport const c = 1;\n',
  "src/apart.ts": "export const apart = 1;\n",
};
const read =
  (changes: Record<string, string> = {}): Read =>
  (path) =>
    ({ ...FILES, ...changes })[path];
const hash = (changes?: Record<string, string>) => hashOfSources("bench/worker.ts", read(changes));

test("sources include indirect and dynamic imports, but not type-only imports", () => {
  expect(sourcesOf("bench/worker.ts", read())).toEqual([
    "bench/work.ts",
    "bench/worker.ts",
    "src/a.ts",
    "src/b.ts",
    "src/deep/c.ts",
  ]);
});

test("the hash depends on every source and on no other file", () => {
  const before = hash();
  for (const path of sourcesOf("bench/worker.ts", read())) {
    expect(hash({ [path]: `${FILES[path]}// changed` }), path).not.toBe(before);
  }
  expect(hash({ "src/apart.ts": "changed" })).toBe(before);
  expect(hash({ "bench/names.ts": "changed" })).toBe(before);
  expect(hash()).toBe(before);
});

test("the sources of the worker include training, tasks and engine, but neither tests nor table code", () => {
  const sources = sourcesOf("bench/quality/worker.ts");
  expect(sources).toEqual(
    expect.arrayContaining([
      "bench/quality/measure.ts",
      "src/engine/native.ts",
      "src/gfn/training/train.ts",
      "src/gfn/training/defaults.ts",
      "src/gfn/objectives/loss.ts",
      "src/nn/state-table.ts",
      "src/tasks/tfbind8/index.ts",
    ]),
  );
  expect(sources.filter((path) => /\.test\.|quality\/rows|quality\/cases|src\/cli/.test(path))).toEqual([]);
});
