// Rules about source text: layers of imports, packages that only one file may import, and forbidden patterns.
//
// Files are maps from path to text, so that tests can check the rules on invented files.

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

export type Files = Readonly<Record<string, string>>;

/** Folders and files of src by layer: a file imports from its own folder or from a lower layer. */
const LAYERS: readonly (readonly string[])[] = [
  ["issues.ts", "math"],
  ["engine", "disk", "executor", "expression"],
  ["nn", "formats"],
  ["settings", "oracle", "constraints", "queue"],
  ["gfn", "landscapes", "channel", "proxy"],
  ["tasks", "baselines", "report", "search"],
  ["trained", "problem"],
  ["config"],
  ["run"],
  ["compare", "forecast", "design"],
  ["units", "sweep"],
  ["views"],
  ["dashboard"],
  ["playground"],
  ["cli"],
];

/** The sources under src, without tests. */
export function readSources(root: string): Files {
  const paths = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(`${root}/${path}`, "utf8")]));
}

/** Imports from a higher layer, or from another folder of the same layer. */
export function layerViolations(files: Files): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    // The public entry points may import anything.
    if (/^src\/(index|index\.browser|exports)\.ts$/.test(path)) return [];
    const own = layerOf(path);
    if (own === undefined) return [`${path} is in no layer`];
    return importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .flatMap((specifier) => {
        const target = posix.join(posix.dirname(path), specifier);
        const other = layerOf(target);
        if (folderOf(target) === folderOf(path) || (other !== undefined && other < own)) return [];
        const layer = other === undefined ? "no layer" : `layer ${other}`;
        return [`${path} (layer ${own}) imports ${target} (${layer})`];
      });
  });
}

/** Tests of the public API that import a source file: they must import the package by name. */
export function publicTestViolations(files: Files): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    importsOf(text)
      .map((specifier) =>
        specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier,
      )
      .filter((target) => target.startsWith("src/"))
      .map((target) => `${path} imports ${target}; import gflownet/… or move the test beside its unit`),
  );
}

/** Test files in the folder test. */
export function readPublicTests(root: string): Files {
  const paths = readdirSync(`${root}/test`).filter((path) => path.endsWith(".test.ts"));
  return Object.fromEntries(
    paths.map((path) => [`test/${path}`, readFileSync(`${root}/test/${path}`, "utf8")]),
  );
}

/** Files other than the allowed ones that import a package. */
export function importersOf(packageName: string, files: Files, allowed: readonly string[]): string[] {
  return Object.entries(files)
    .filter(([path, text]) => !allowed.includes(path) && importsOf(text).some(isPart))
    .map(([path]) => `${path} imports ${packageName}`);

  function isPart(specifier: string): boolean {
    return specifier === packageName || specifier.startsWith(`${packageName}/`);
  }
}

/** Lines outside comments that match a pattern, in files under some folders. */
export function occurrences(pattern: RegExp, files: Files, folders: readonly string[]): string[] {
  return Object.entries(files)
    .filter(([path]) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap(([path, text]) =>
      withoutComments(text)
        .split("\n")
        .flatMap((line, i) =>
          pattern.test(line) ? [`${path}:${i + 1} has ${line.match(pattern)?.[0]}`] : [],
        ),
    );
}

/** All module specifiers of a file: imports, re-exports, type imports and dynamic imports. */
function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const patterns = [
    /\bfrom\s*["']([^"']+)["']/g,
    /\bimport\s*["']([^"']+)["']/g,
    /\bimport\(\s*["']([^"']+)["']/g,
  ];
  return patterns.flatMap((pattern) => Array.from(code.matchAll(pattern), ([, specifier]) => specifier));
}

/** Removes comments but keeps line breaks, so that line numbers stay the same. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/(^|\s)\/\/.*$/gm, "$1");
}

function folderOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function layerOf(path: string): number | undefined {
  const layer = LAYERS.findIndex((entries) =>
    entries.some((entry) => path === `src/${entry}` || path.startsWith(`src/${entry}/`)),
  );
  return layer < 0 ? undefined : layer;
}
