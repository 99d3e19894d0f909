// The platforms that onnxruntime-node has a library for, and the packages that are made of it: one per platform.

import { join } from "node:path";
import { platformPackage } from "../../src/engine/onnx-runtime.ts";

export interface Platform {
  /** Names of Node and npm: `linux`, `x64`. */
  readonly os: string;
  readonly cpu: string;
  /** The shared library that the binding is linked with. Others in the folder are for GPUs, or copies. */
  readonly library: string;
}

export const PLATFORMS: readonly Platform[] = [
  { os: "darwin", cpu: "arm64", library: "libonnxruntime.1.dylib" },
  { os: "linux", cpu: "arm64", library: "libonnxruntime.so.1" },
  { os: "linux", cpu: "x64", library: "libonnxruntime.so.1" },
  { os: "win32", cpu: "arm64", library: "onnxruntime.dll" },
  { os: "win32", cpu: "x64", library: "onnxruntime.dll" },
];

export const BINDING = "onnxruntime_binding.node";

export function nameOf({ os, cpu }: Platform): string {
  return platformPackage(os, cpu);
}

/** The folder of a platform's binaries in onnxruntime-node, which its JavaScript expects. */
export function binaryFolder({ os, cpu }: Platform): string {
  return join("bin", "napi-v6", os, cpu);
}

/** The files of onnxruntime-node that a platform needs, among all its files. */
export function platformFiles(platform: Platform, files: readonly string[]): string[] {
  const binaries = [BINDING, platform.library].map((name) => join(binaryFolder(platform), name));
  const missing = binaries.filter((name) => !files.includes(name));
  if (missing.length > 0) throw new Error(`onnxruntime-node has no file ${missing.join(" and ")}`);
  return [...binaries, ...files.filter((name) => /^dist[/\\][^/\\]*(\.js|\.d\.ts)$/.test(name))];
}

/** What the package.json of onnxruntime-node must have. */
export interface RuntimeManifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The package.json of a platform package: without install script, and without the packages that only that uses. */
export function platformManifest(platform: Platform, runtime: RuntimeManifest) {
  const { os, cpu } = platform;
  return {
    name: nameOf(platform),
    version: runtime.version,
    description: `The native library of gflownet for ${os}-${cpu}: ONNX Runtime for the CPU`,
    license: runtime.license,
    type: "commonjs",
    main: "dist/index.js",
    types: "dist/index.d.ts",
    os: [os],
    cpu: [cpu],
    ...(os === "linux" ? { libc: ["glibc"] } : {}),
    dependencies: { "onnxruntime-common": runtime.dependencies["onnxruntime-common"] },
  };
}

export function platformReadme(platform: Platform, { version }: RuntimeManifest): string {
  return `# ${nameOf(platform)}

[ONNX Runtime](https://onnxruntime.ai) ${version} for ${platform.os}-${platform.cpu}, which gflownet runs its programs with.
gflownet installs it; nothing else needs it.

The files come unchanged from the npm package onnxruntime-node ${version}: its JavaScript, and the libraries of this
platform that run on the CPU. Its install script, which downloads GPU libraries, is left out.

Licence: MIT (\`LICENSE\`); parts of other projects are listed in \`ThirdPartyNotices.txt\`.
`;
}
