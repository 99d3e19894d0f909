// The file of results that the coordinator of a kill storm writes.

import { existsSync, readFileSync } from "node:fs";

/** A line of the file. */
export interface ResultLine {
  readonly index: number;
  /** The name in the result, which must be that of the unit. */
  readonly name?: string;
  readonly failure?: string;
}

export function unitName(index: number): string {
  return `storm ${index}`;
}

/** Complete lines of the file. */
export function readResults(file: string): ResultLine[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ResultLine);
}
