// Writes the folders that tarballs are made of: one for each platform package, one for the main package.

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "../build.ts";
import { type Manifest, publishedManifest } from "./main-package.ts";
import { withoutDeadLinks } from "./markdown-links.ts";
import { packedFiles } from "./npm.ts";
import {
  BINDING,
  binaryFolder,
  type Platform,
  platformFiles,
  platformManifest,
  platformReadme,
  type RuntimeManifest,
} from "./platforms.ts";

/** Licence and notices of ONNX Runtime, from its Python package of the same version: its npm package has none. */
const NOTICES = ["LICENSE", "ThirdPartyNotices.txt"];

/** Writes a platform package into a folder, from the onnxruntime-node that the clone has installed. */
export function stagePlatform(platform: Platform, root: string, folder: string): void {
  const source = join(root, "node_modules", "onnxruntime-node");
  const runtime: RuntimeManifest = readJson(join(source, "package.json"));
  const all = readdirSync(source, { recursive: true, encoding: "utf8" });
  const files = platformFiles(
    platform,
    all.filter((name) => statSync(join(source, name)).isFile()),
  );
  checkLinked(platform, source);
  for (const name of files) copy(join(source, name), join(folder, name));
  const notices = join(root, "scripts/release", `onnxruntime-${runtime.version}`);
  for (const name of NOTICES) copy(join(notices, name), join(folder, name));
  writeFileSync(join(folder, "README.md"), platformReadme(platform, runtime));
  writeJson(join(folder, "package.json"), platformManifest(platform, runtime));
}

/** A binding names the library that it is linked with. A new version of the runtime might name another. */
function checkLinked(platform: Platform, source: string): void {
  const binding = readFileSync(join(source, binaryFolder(platform), BINDING));
  if (!binding.includes(platform.library)) {
    throw new Error(`${BINDING} of ${platform.os}-${platform.cpu} is not linked with ${platform.library}`);
  }
}

/** Builds the main package into a folder, with the package.json that is published. */
export async function stageMain(
  platformPackages: readonly { readonly name: string; readonly version: string }[],
  root: string,
  folder: string,
): Promise<void> {
  const files = packedFiles(root).filter((name) => !name.startsWith("dist/"));
  for (const name of files) copy(join(root, name), join(folder, name));
  await build(join(folder, "dist"));
  const clone: Manifest = readJson(join(root, "package.json"));
  writeJson(join(folder, "package.json"), publishedManifest(clone, platformPackages));
  const packed = packedFiles(folder);
  for (const name of packed.filter((each) => each.endsWith(".md"))) {
    const file = join(folder, name);
    writeFileSync(file, withoutDeadLinks(name, readFileSync(file, "utf8"), packed));
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
