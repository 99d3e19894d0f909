// Rules about source text: which file may import which, and words that do not belong.
//
// Files are given as path -> text, so that the rules can be tried on made-up files too.

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

export type Files = Readonly<Record<string, string>>;

/** Folders of src by layer: a file imports from its own folder or from a lower layer. */
const LAYERS: readonly (readonly string[])[] = [
  ["engine"],
  ["nn"],
  ["gfn"],
  ["tasks", "baselines", "run", "report"],
  ["compare", "forecast"],
  ["cli", "server", "web"],
];

/** Sources under src of the project in this folder, tests left out. */
export function readSources(root: string): Files {
  const paths = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(`${root}/${path}`, "utf8")]));
}

/** Imports that go up, or sideways into another folder of the same layer. */
export function layerViolations(files: Files): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    // The public surface may import anything.
    if (path === "src/index.ts") return [];
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

/** Files other than the allowed ones that import a package. */
export function importersOf(packageName: string, files: Files, allowed: readonly string[]): string[] {
  return Object.entries(files)
    .filter(([path, text]) => !allowed.includes(path) && importsOf(text).some(isPart))
    .map(([path]) => `${path} imports ${packageName}`);

  function isPart(specifier: string): boolean {
    return specifier === packageName || specifier.startsWith(`${packageName}/`);
  }
}

/** Places, comments aside, where a pattern occurs in files under some folders. */
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

/** Everything a file imports or exports from, type imports and dynamic ones too. */
function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const patterns = [
    /\bfrom\s*["']([^"']+)["']/g,
    /\bimport\s*["']([^"']+)["']/g,
    /\bimport\(\s*["']([^"']+)["']/g,
  ];
  return patterns.flatMap((pattern) => Array.from(code.matchAll(pattern), ([, specifier]) => specifier));
}

/** Line breaks stay, so that lines keep their numbers. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/(^|\s)\/\/.*$/gm, "$1");
}

function folderOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function layerOf(path: string): number | undefined {
  const layer = LAYERS.findIndex((folders) => folders.some((folder) => path.startsWith(`src/${folder}/`)));
  return layer < 0 ? undefined : layer;
}
