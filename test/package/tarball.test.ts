// The tarballs of a release: what they contain, and what publint and arethetypeswrong say about them.

import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, test } from "vitest";
import { deadLinks } from "../../scripts/release/markdown-links.ts";
import { PLATFORMS } from "../../scripts/release/platforms.ts";
import { readTarball } from "../../scripts/release/tarball.ts";
import { MAIN_TARBALL, PLATFORM_TARBALL, TARBALLS } from "./user-project.ts";

const files = readTarball(MAIN_TARBALL);
const paths = files.map(({ path }) => path);
const textOf = (path: string) => files.find((file) => file.path === path)!.bytes.toString();

test("the release is the main package and one package per platform, and says that it publishes nothing", () => {
  const output = process.env.GFLOWNET_RELEASE_OUTPUT!;
  expect(TARBALLS).toHaveLength(1 + PLATFORMS.length);
  for (const { os, cpu } of PLATFORMS) expect(output).toContain(`@gflownet/native-${os}-${cpu}@`);
  expect(output).toContain("Nothing was published.");
});

describe("the main package", () => {
  test("has the command with its run bit, examples, documents and licence", () => {
    expect(files.find(({ path }) => path === "dist/cli/main.js")!.mode & 0o111).toBe(0o111);
    expect(paths).toEqual(
      expect.arrayContaining([
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "docs/README.md",
        "examples/own-oracle.ts",
      ]),
    );
  });

  test("has no source map, no test and nothing that only a clone uses", () => {
    expect(
      paths.filter((path) => /\.map$|\.test\.|^(src|test|bench|scripts)\/|docs\/history/.test(path)),
    ).toEqual([]);
    expect(JSON.parse(textOf("package.json"))).not.toHaveProperty("scripts");
  });

  test("has Markdown files whose links lead to files of the package", () => {
    const documents = paths.filter((path) => path.endsWith(".md"));
    expect(documents.length).toBeGreaterThan(10);
    expect(documents.flatMap((path) => deadLinks(path, textOf(path), paths))).toEqual([]);
  });
});

test("a platform package has the licence and the notices of ONNX Runtime", () => {
  const packed = readTarball(PLATFORM_TARBALL);
  const text = (name: string) => packed.find(({ path }) => path === name)!.bytes.toString();
  expect(text("LICENSE")).toMatch(/MIT License[\s\S]*Microsoft Corporation/);
  expect(text("ThirdPartyNotices.txt")).toContain("THIRD PARTY SOFTWARE NOTICES");
});

describe.each([
  ["main", MAIN_TARBALL],
  ["platform", PLATFORM_TARBALL],
])("the %s package", (_, tarball) => {
  test("has no warning of publint", async () => {
    const bytes = Uint8Array.from(readFileSync(tarball));
    const { messages, pkg } = await publint({
      pack: { tarball: bytes.buffer },
      level: "warning",
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("has no problem of arethetypeswrong, other than being for ESM and for resolution by exports", async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    const problems = result.types === false ? ["no types"] : result.problems;
    const isExpected = (problem: object) =>
      "resolutionKind" in problem &&
      // Node 20.19 can require an ES module.
      ((problem.resolutionKind === "node10" && "kind" in problem && problem.kind === "NoResolution") ||
        ("kind" in problem && problem.kind === "CJSResolvesToESM"));
    expect(problems.filter((problem) => typeof problem === "string" || !isExpected(problem))).toEqual([]);
  });
});
