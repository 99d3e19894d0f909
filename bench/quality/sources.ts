// A hash of the sources that a result depends on: a file and everything of ours that it imports, at any distance.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

/** Text of a file by its path from the root of the project; undefined if there is none. */
export type Read = (path: string) => string | undefined;

const ROOT = new URL("../../", import.meta.url);
/** A file of ours in quotes: of an import, an export, an import on demand, or a worker's address. */
const REFERENCE = /["'](\.{1,2}\/[^"'\n]+\.ts)["']/g;

/** Imports of types alone, which change no result. */
const TYPES_ONLY = /^(import|export) type [^;]*;/gm;

/** Paths of the file and of what it imports, in alphabetical order. Tests are no part of it: nothing imports them. */
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

/** Changes with the name or the text of any of these sources. */
export function hashOfSources(entry: string, read: Read = readProject): string {
  return hashOf(sourcesOf(entry, read).map((path) => [path, read(path)]));
}

/** Of anything that JSON can write. */
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
