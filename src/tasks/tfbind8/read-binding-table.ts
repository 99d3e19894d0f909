// Reads a binding table from a file. The parser is a separate file, because it also runs in browsers.

import { fileProblem } from "../../issues.ts";
import { BindingTableError, parseBindingTable } from "./binding-table.ts";

/** Scores of all 8-mers from a protein-binding-microarray file. */
export async function readBindingTable(path: string): Promise<Float64Array> {
  // Imported only when needed, so that browsers can load this module.
  const { readFile } = await import("node:fs/promises");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new BindingTableError(
      `${path} cannot be read: ${fileProblem(error)}; give the path of a protein-binding-microarray 8-mer file.`,
      { cause: error },
    );
  }
  return parseBindingTable(text, path);
}
