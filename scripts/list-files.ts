// Prints every source file with the first sentence of its header comment, folder by folder.
//
//   npx tsx scripts/list-files.ts [FOLDER]
//
// FOLDER is src by default. Tests are left out.

import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { codePieces, splitSentences } from "./draw-sentences.ts";

export interface ListedFile {
  readonly path: string;
  /** First sentence of the comment at the start of the file; empty if the file starts with code. */
  readonly about: string;
}

/** The files of a folder and of its subfolders, in the order of their paths. */
export function listFiles(folder: string): ListedFile[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => /(?<!\.test)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort((a, b) => compare(dirname(a), dirname(b)) || compare(a, b))
    .map((path) => ({ path, about: firstSentence(readFileSync(path, "utf8")) }));
}

function firstSentence(source: string): string {
  const text = source.replace(/^#!.*\n/, "");
  if (!text.startsWith("//") && !text.startsWith("/*")) return "";
  const [header] = codePieces(text, true);
  return splitSentences(header, 1)[0]?.text ?? "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let folder = "";
  for (const { path, about } of listFiles(process.argv[2] ?? "src")) {
    if (dirname(path) !== folder) console.log(`${folder && "\n"}${dirname(path)}`);
    folder = dirname(path);
    console.log(`  ${path.slice(folder.length + 1)}: ${about}`);
  }
}
