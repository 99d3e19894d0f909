// A hash of the sources that a result depends on: a file and all project files that it imports, directly or indirectly.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

/** Reads a file by its path relative to the root of the project. Undefined if it does not exist. */
export type Read = (path: string) => string | undefined;

const ROOT = new URL("../../", import.meta.url);
/** A quoted relative path to a .ts file: in an import, an export, a dynamic import, or the URL of a worker. */
const REFERENCE = /["'](\.{1,2}\/[^"'\n]+\.ts)["']/g;

/** Type-only imports and exports, which do not affect results. */
const TYPES_ONLY = /^(import|export) type [^;]*;/gm;

/** Paths of the file and of all files that it imports, sorted. */
export function sourcesOf(entry: string, read: Read = readProject): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    const text = read(path);
    if (text === undefined) return;
    found.add(path);
    for (const [, reference] of text.replace(TYPES_ONLY, "").matchAll(REFERENCE)) {
      visit(posix.join(posix.dirname(path), reference));
    }
  };
  visit(entry);
  return [...found].sort();
}

/** A hash of the names and texts of the file and of all files that it imports. */
export function hashOfSources(entry: string, read: Read = readProject): string {
  return hashOf(sourcesOf(entry, read).map((path) => [path, read(path)]));
}

/** SHA-256 of the JSON text of a value. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function readProject(path: string): string | undefined {
  try {
    return readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
  } catch {
    return undefined;
  }
}
