// Loads ONNX Runtime: from the platform package of a published release, or from onnxruntime-node, as in a clone.
//
// A platform package holds onnxruntime-node for one platform without its install script; scripts/release makes it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { EngineError } from "./errors.ts";
import { nativeCall } from "./native-calls.ts";

export type { InferenceSession, Tensor } from "onnxruntime-node";
export type Runtime = typeof import("onnxruntime-node");

const CLONE_PACKAGE = "onnxruntime-node";

/** The package with the native library of a platform. Names of platforms are those of Node: `linux`, `x64`. */
export function platformPackage(os: string, cpu: string): string {
  return `@gflownet/native-${os}-${cpu}`;
}

/** Packages that may bring the library, in the order in which they are tried. */
const PACKAGES: readonly string[] = [platformPackage(process.platform, process.arch), CLONE_PACKAGE];

/** Rejects with an EngineError if no package is installed or the library does not load. */
export async function loadRuntime(): Promise<Runtime> {
  // With telemetry on, ONNX Runtime writes a device id and events to the home folder. If the user has set this
  // variable, its value is kept.
  process.env.ORT_DISABLE_TELEMETRY ??= "1";
  let failure: { name: string; error: unknown } | undefined;
  for (const name of PACKAGES.filter(isInstalled)) {
    try {
      const loaded = (await nativeCall(
        () => import(/* @vite-ignore */ /* webpackIgnore: true */ name),
      )) as Runtime & { default?: Runtime };
      return loaded.default ?? loaded;
    } catch (error) {
      failure ??= { name, error };
    }
  }
  if (failure === undefined) throw new EngineError(missingProblem());
  const { name, error } = failure;
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  throw new EngineError(
    `The native library in ${name} cannot be loaded (${reason}); reinstall it with: ${installCommand(name, optionalDependencies())}`,
    { cause: error },
  );
}

/** True if a package with the library is installed. It may still fail to load. */
export function hasRuntime(): boolean {
  return PACKAGES.some(isInstalled);
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Why no package is installed, and the remedy, as one sentence. */
export function missingProblem(): string {
  return describeMissing({
    ...{ os: process.platform, cpu: process.arch, musl: usesMusl() },
    optional: optionalDependencies(),
  });
}

export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** True for Linux with musl, such as Alpine, on which the library does not run. */
  readonly musl: boolean;
}

/** `optional`: the optional dependencies of this package, which list every platform that has a library. */
export function describeMissing({
  os,
  cpu,
  musl,
  optional,
}: Platform & { readonly optional: Readonly<Record<string, string>> }): string {
  if (musl) {
    return "The native library needs glibc, and this system has musl; use a system with glibc, such as the image node:22-slim";
  }
  const name = platformPackage(os, cpu);
  const prefix = name.slice(0, -`${os}-${cpu}`.length);
  const listed = Object.keys(optional).filter((each) => each.startsWith(prefix));
  if (listed.length > 0 && !listed.includes(name)) {
    const platforms = listed.map((each) => each.slice(prefix.length));
    return `There is no native library for ${os}-${cpu}; use one of ${platforms.join(", ")}`;
  }
  const wanted = CLONE_PACKAGE in optional ? CLONE_PACKAGE : name;
  return `The package ${wanted} is not installed; install it with: ${installCommand(wanted, optional)}`;
}

/** A clone lists onnxruntime-node, and its lock file has the version. */
function installCommand(name: string, optional: Readonly<Record<string, string>>): string {
  if (name === CLONE_PACKAGE && name in optional) return "npm ci";
  return `npm install ${name}${name in optional ? `@${optional[name]}` : ""}`;
}

/** `package.json` lies two folders up from both src/engine and dist/engine. A bundled program has none. */
function optionalDependencies(): Readonly<Record<string, string>> {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    return JSON.parse(text).optionalDependencies ?? {};
  } catch {
    return {};
  }
}

function usesMusl(): boolean {
  if (process.platform !== "linux") return false;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
