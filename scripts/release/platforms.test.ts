// Tests of the platform table, the selection of files and the package.json of platform packages.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BINDING, binaryFolder, PLATFORMS, platformFiles, platformManifest } from "./platforms.ts";

const RUNTIME = join("node_modules", "onnxruntime-node");
const MANIFEST = JSON.parse(readFileSync(join(RUNTIME, "package.json"), "utf8"));
const FILES = readdirSync(RUNTIME, { recursive: true, encoding: "utf8" }).filter((name) =>
  statSync(join(RUNTIME, name)).isFile(),
);
const LINUX = PLATFORMS.find(({ os, cpu }) => os === "linux" && cpu === "x64")!;

test("the table has every platform that onnxruntime-node has a binding for", () => {
  const folders = FILES.filter((name) => name.endsWith(BINDING)).map((name) => join(name, ".."));
  expect(PLATFORMS.map(binaryFolder).sort()).toEqual(folders.sort());
});

test.each(PLATFORMS)("the binding of $os-$cpu is linked with the library of the table", (platform) => {
  const binding = readFileSync(join(RUNTIME, binaryFolder(platform), BINDING));
  expect(binding.includes(platform.library)).toBe(true);
});

test.each(PLATFORMS)(
  "$os-$cpu gets its binding, one library and the JavaScript, and nothing for GPUs",
  (platform) => {
    const files = platformFiles(platform, FILES).map((name) => name.replaceAll("\\", "/"));
    const folder = binaryFolder(platform).replaceAll("\\", "/");
    expect(files.filter((name) => name.startsWith("bin"))).toEqual([
      `${folder}/${BINDING}`,
      `${folder}/${platform.library}`,
    ]);
    expect(files).toEqual(expect.arrayContaining(["dist/index.js", "dist/binding.js", "dist/index.d.ts"]));
    expect(files.filter((name) => /\.map$|^script|^lib|cuda|tensorrt|directml/i.test(name))).toEqual([]);
  },
);

test("a missing library is an error", () => {
  const without = FILES.filter((name) => !name.endsWith(LINUX.library));
  expect(() => platformFiles(LINUX, without)).toThrow("onnxruntime-node has no file");
});

test("a platform package is for one platform, has the runtime's version, and runs nothing on installation", () => {
  expect(platformManifest(LINUX, MANIFEST)).toEqual({
    name: "@gflownet/native-linux-x64",
    version: MANIFEST.version,
    description: expect.stringContaining("linux-x64"),
    license: "MIT",
    type: "commonjs",
    main: "dist/index.js",
    types: "dist/index.d.ts",
    os: ["linux"],
    cpu: ["x64"],
    libc: ["glibc"],
    dependencies: { "onnxruntime-common": MANIFEST.version },
  });
});

test("only Linux packages ask for glibc", () => {
  const asking = PLATFORMS.filter((platform) => "libc" in platformManifest(platform, MANIFEST));
  expect(asking.map(({ os }) => os)).toEqual(["linux", "linux"]);
});
