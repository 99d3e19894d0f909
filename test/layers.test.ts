// Tests that imports follow the layers of docs/architecture.md, and that some packages and patterns occur only where
// they are allowed.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  importersOf,
  layerViolations,
  occurrences,
  publicTestViolations,
  readPublicTests,
  readSources,
} from "./support/source-rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readSources(root);

describe("the sources", () => {
  test("are found", () => {
    expect(Object.keys(sources)).toEqual(expect.arrayContaining(["src/engine/trace.ts", "src/nn/mlp.ts"]));
    expect(sources["src/nn/mlp.ts"]).toContain("export function mlp");
  });

  test("import from their own folder or a lower layer only", () => {
    expect(layerViolations(sources)).toEqual([]);
  });

  test("are imported by package name in tests of the public API", () => {
    expect(publicTestViolations(readPublicTests(root))).toEqual([]);
  });

  test("import onnxruntime-node in one file only", () => {
    expect(importersOf("onnxruntime-node", sources, ["src/engine/onnx-runtime.ts"])).toEqual([]);
    expect(importersOf("onnxruntime-node", sources, [])).toEqual([
      "src/engine/onnx-runtime.ts imports onnxruntime-node",
    ]);
  });

  test("import augurs in one file only", () => {
    expect(importersOf("@bsull/augurs", sources, [])).toEqual([
      "src/forecast/baselines/augurs.ts imports @bsull/augurs",
    ]);
  });

  test("import linkedom in one file only, and Plot only in src/report", () => {
    expect(importersOf("linkedom", sources, [])).toEqual(["src/report/plot.ts imports linkedom"]);
    const charts = importersOf("@observablehq/plot", sources, []);
    expect(charts.length).toBeGreaterThan(0);
    expect(charts.filter((text) => !text.startsWith("src/report/"))).toEqual([]);
  });

  test("import DuckDB in one file only", () => {
    expect(importersOf("@duckdb/node-api", sources, [])).toEqual([
      "src/formats/tables/duckdb.ts imports @duckdb/node-api",
    ]);
  });

  test("draw random numbers from named streams only", () => {
    expect(occurrences(/Math\.random/, sources, ["src"])).toEqual([]);
  });

  test("of networks and GFlowNets do not manage the memory of arrays", () => {
    // Programs are disposed of in the file that compiled them. Arrays are never disposed of while a function is traced.
    expect(
      occurrences(
        /\.ref\b|(?<!rograms|program|Program|network|sampler|objects|tabulator|evaluator\??|trainer)\.dispose\(/,
        sources,
        ["src/nn", "src/gfn"],
      ),
    ).toEqual([]);
  });
});

describe("the rules report", () => {
  const imports = (...specifiers: string[]) => specifiers.map((s) => `import { a } from "${s}";`).join("\n");

  test("an import from a higher layer", () => {
    expect(
      layerViolations({ "src/nn/mlp.ts": imports("../engine/a.ts", "../gfn/policy.ts", "./linear.ts") }),
    ).toEqual(["src/nn/mlp.ts (layer 2) imports src/gfn/policy.ts (layer 4)"]);
    expect(layerViolations({ "src/engine/onnx/lower.ts": imports("../ir.ts", "../../cli/main.ts") })).toEqual(
      ["src/engine/onnx/lower.ts (layer 1) imports src/cli/main.ts (layer 14)"],
    );
  });

  test("an import from another folder of the same layer", () => {
    expect(layerViolations({ "src/tasks/a.ts": imports("../report/page.ts", "../gfn/events.ts") })).toEqual([
      "src/tasks/a.ts (layer 5) imports src/report/page.ts (layer 5)",
    ]);
  });

  test("imports of the public entry point and from outside src, and a file in no layer", () => {
    const files = { "src/nn/a.ts": imports("../index.ts", "../../test/b.ts"), "src/utils/c.ts": "" };
    expect(layerViolations(files)).toEqual([
      "src/nn/a.ts (layer 2) imports src/index.ts (no layer)",
      "src/nn/a.ts (layer 2) imports test/b.ts (no layer)",
      "src/utils/c.ts is in no layer",
    ]);
  });

  test("imports of every form, unless they are in comments", () => {
    const text = [
      'import type { A } from "../gfn/a.ts";',
      'import "../gfn/b.ts";',
      'export * from "../gfn/c.ts";',
      'const d = await import("../gfn/d.ts");',
      'import {\n  E,\n} from "../gfn/e.ts";',
      '// import { f } from "../gfn/f.ts";',
      '/* import { g } from "../gfn/g.ts"; */',
    ].join("\n");
    expect(layerViolations({ "src/engine/x.ts": text })).toHaveLength(5);
    expect(layerViolations({ "src/index.ts": text })).toEqual([]);
  });

  test("a test of the public API that imports a source file", () => {
    const files = { "test/a.test.ts": imports("gflownet/gfn", "./support/b.ts", "../src/gfn/index.ts") };
    expect(publicTestViolations(files)).toEqual([
      "test/a.test.ts imports src/gfn/index.ts; import gflownet/… or move the test beside its unit",
    ]);
  });

  test("a file that imports a package that it may not import", () => {
    const files = {
      "src/engine/jax.ts": imports("onnxruntime-node"),
      "src/engine/b.ts": imports("onnxruntime-node-not"),
    };
    expect(importersOf("onnxruntime-node", files, [])).toEqual([
      "src/engine/jax.ts imports onnxruntime-node",
    ]);
  });

  test("a line with a forbidden word, unless the word is in a comment", () => {
    const files = {
      "src/gfn/a.ts": "// x.ref\nconst y = x.ref;\nx.refine();\nx.dispose();",
      "src/cli/b.ts": "x.ref",
    };
    expect(occurrences(/\.ref\b|\.dispose\(/, files, ["src/gfn"])).toEqual([
      "src/gfn/a.ts:2 has .ref",
      "src/gfn/a.ts:4 has .dispose(",
    ]);
  });
});
