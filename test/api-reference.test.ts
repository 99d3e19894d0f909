// The API reference: every exported name has a sentence, the pages are up to date, and every example runs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportedNames } from "../scripts/api/exported-names.ts";
import {
  apiModules,
  membersWithoutSentence,
  referencePages,
  undocumented,
} from "../scripts/api/reference.ts";
import { signatureOf } from "../scripts/api/signature.ts";
import { outdatedPages } from "../scripts/api-reference.ts";
import { announcedOutputs, runProgram } from "./support/document-program.ts";

const modules = apiModules();
const [root] = modules;

test("every exported name has a doc sentence", () => {
  expect(modules.flatMap(({ names }) => names).length).toBeGreaterThan(600);
  expect(undocumented(modules)).toEqual([]);
});

test("the root has about forty names, and every member of its types has a sentence", () => {
  expect(root.specifier).toBe("gflownet");
  expect(root.names.length).toBeGreaterThan(30);
  expect(root.names.length).toBeLessThan(50);
  expect(membersWithoutSentence(root)).toEqual([]);
});

test("every function and class of the root has an example", () => {
  const callable = root.names.filter((name) =>
    /^(async )?(function|class)|^const \w+: \(/.test(signatureOf(name)),
  );
  expect(callable.length).toBeGreaterThan(10);
  expect(callable.filter(({ doc }) => !doc?.examples.length).map(({ name }) => name)).toEqual([]);
});

test("the root has the same names in a browser", () => {
  const names = (path: string) =>
    exportedNames(path)
      .map(({ name }) => name)
      .sort();
  expect(names("src/index.browser.ts")).toEqual(names("src/index.ts"));
});

test("the pages are up to date; otherwise run npm run reference", () => {
  expect(outdatedPages(referencePages(modules))).toEqual([]);
});

describe("the example of", () => {
  const examples = new Map(
    modules.flatMap(({ names }) =>
      names.flatMap(({ name, doc }) => (doc?.examples ?? []).map((code) => [code, name] as const)),
    ),
  );
  test.each([...examples].map(([code, name]) => [name, code]))("%s runs", async (_, code) => {
    const lines = await runProgram(code);
    const announced = announcedOutputs(code);
    expect(lines.filter((line) => announced.includes(line))).toEqual(announced);
    if (code.includes("console.log")) expect(lines.length).toBeGreaterThan(0);
  });
});

describe("in a folder of sources", () => {
  /** The result of a function of a source file, which is deleted afterwards. */
  function withSource<R>(text: string, use: (path: string) => R): R {
    const folder = mkdtempSync(join(tmpdir(), "gflownet-api-"));
    try {
      writeFileSync(join(folder, "a.ts"), text);
      return use(join(folder, "a.ts"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const moduleOf = (path: string) => ({
    specifier: "pkg",
    namespace: null,
    page: "pkg.md",
    about: "",
    names: exportedNames(path),
  });

  test("names without a sentence, with an empty comment, or with a comment elsewhere are found", () => {
    const text = [
      "export const a = 1;",
      "/** */",
      "export interface B {}",
      "/** About something else. */",
      "const c = 2;",
      "export function d() { return c; }",
      "/** A sentence. */",
      "export type E = 1;",
      "/** @example nothing else */",
      "export { c as f };",
    ].join("\n");
    expect(withSource(text, (path) => undocumented([moduleOf(path)]))).toEqual([
      "pkg: a",
      "pkg: B",
      "pkg: d",
    ]);
  });

  test("a member without a sentence is found", () => {
    const text = "/** An interface. */\nexport interface A {\n  /** The first. */\n  a: 1;\n  b: 2;\n}";
    expect(withSource(text, (path) => membersWithoutSentence(moduleOf(path)))).toEqual(["A.b"]);
  });

  test("signatures have no bodies, no private members, and names for destructured parameters", () => {
    const text = [
      "export async function a({ x: y = 1 }: AOptions = {}): Promise<number> { return y; }",
      "export function b(x: string): string;",
      "export function b(x: number): number;",
      "export function b(x: never) { return x; }",
      "export class C {",
      "  readonly #hidden = 1;",
      "  /** Doubles. */",
      "  double({ value }: Amount): number { return 2 * value; }",
      "  private other() {}",
      "}",
      "export const d = [1, 2] as const;",
      `export const e = [${"\n  1,".repeat(20)}\n];`,
      "export const f: number = 3;",
    ].join("\n");
    expect(withSource(text, (path) => exportedNames(path).map(signatureOf))).toEqual([
      "function a(options?: AOptions): Promise<number>;",
      "function b(x: string): string;\nfunction b(x: number): number;",
      "class C {\n  /** Doubles. */\n  double(amount: Amount): number;\n}",
      "const d = [1, 2] as const;",
      "const e = …;",
      "const f: number;",
    ]);
  });

  test("outdated, missing and additional pages are found", () => {
    const folder = mkdtempSync(join(tmpdir(), "gflownet-pages-"));
    try {
      for (const name of ["same.md", "other.md", "old.md"]) writeFileSync(join(folder, name), "text");
      const pages = { same: "text", other: "new text", missing: "text" };
      const expected = Object.entries(pages).map(([name, text]) => [`${folder}/${name}.md`, text] as const);
      expect(outdatedPages(new Map(expected), folder)).toEqual(
        ["other.md", "missing.md", "old.md"].map((name) => `${folder}/${name}`),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
