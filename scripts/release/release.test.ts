// Tests of the flags and the description of a release, and of reading tarballs.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeRelease } from "./describe.ts";
import { parseOut } from "./main.ts";
import { pack } from "./npm.ts";
import { readTarball } from "./tarball.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gflownet-release-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the flag --out", () => {
  test("takes a new or an empty folder", () => {
    expect(parseOut(["--out", folder])).toEqual({ out: folder });
    expect(parseOut(["--out", join(folder, "new")])).toEqual({ out: join(folder, "new") });
  });

  test("refuses a folder with files, because older tarballs could be published by mistake", () => {
    writeFileSync(join(folder, "old.tgz"), "");
    expect(parseOut(["--out", folder])).toEqual({
      problem: expect.stringMatching(/must be a new or empty folder/),
    });
  });

  test("must be given, and no other flag exists", () => {
    expect(parseOut([])).toEqual({ problem: expect.stringMatching(/must be given/) });
    expect(parseOut(["--publish"])).toEqual({ problem: expect.stringMatching(/Unknown option '--publish'/) });
  });
});

test("a tarball is read back: paths, also long ones, bytes and run bits", () => {
  const long = `${"folder/".repeat(20)}file.txt`;
  const files = { "main.js": "#!/usr/bin/env node\n", "data.txt": "x".repeat(1000), [long]: "deep\n" };
  const manifest = JSON.stringify({ name: "small", version: "1.0.0", bin: "main.js" });
  for (const [name, text] of Object.entries({ ...files, "package.json": manifest })) {
    const file = join(folder, "staged", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { filename } = pack(join(folder, "staged"), folder);
  const read = readTarball(join(folder, filename));
  expect(Object.fromEntries(read.map(({ path, bytes }) => [path, bytes.toString()]))).toEqual({
    ...files,
    "package.json": manifest,
  });
  expect(read.find(({ path }) => path === "main.js")!.mode & 0o111).toBe(0o111);
});

test("the description has names, versions, sizes and files, and publishes platform packages first", () => {
  const small = { version: "1.30.0", filename: "native.tgz", size: 18e6, unpackedSize: 46e6 };
  const many = Array.from({ length: 40 }, (_, i) => ({ path: `dist/${i}.js`, size: 1000 }));
  const text = describeRelease("out", [
    { name: "@gflownet/native-linux-x64", ...small, files: [{ path: "LICENSE", size: 1073 }] },
    {
      ...{ name: "gflownet", version: "0.1.0", filename: "gflownet.tgz", size: 5e5, unpackedSize: 2e6 },
      files: [...many, { path: "README.md", size: 6600 }],
    },
  ]);
  expect(text).toBe(`@gflownet/native-linux-x64@1.30.0
  native.tgz: 18.0 MB, unpacked 46.0 MB, 1 files
    1.1 kB  LICENSE

gflownet@0.1.0
  gflownet.tgz: 0.5 MB, unpacked 2.0 MB, 41 files
   40.0 kB  dist/ (40 files)
    6.6 kB  README.md

Nothing was published. To publish, in this order (a version that is published already is left out):
  npm publish ${join("out", "native.tgz")} --access public
  npm publish ${join("out", "gflownet.tgz")} --access public`);
});
