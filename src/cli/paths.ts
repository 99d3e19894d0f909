// Paths as the command line prints them.

import { isAbsolute, relative } from "node:path";

/** The path of a folder, relative to the working directory if the folder lies below it. */
export function shortPath(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === "" || path.startsWith("..") || isAbsolute(path) ? folder : path;
}

/** The result of `shortPath`, quoted for a shell. */
export function shellPath(folder: string): string {
  return shellWord(shortPath(folder));
}

/** A word of a command line, quoted if a shell needs it. */
export function shellWord(word: string): string {
  return /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
