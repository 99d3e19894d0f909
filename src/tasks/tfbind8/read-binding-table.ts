// Reads a binding table from a file. The parser is a separate file, because it also runs in browsers.

import { fileProblem } from "../../issues.ts";
import { BindingTableError, parseBindingTable } from "./binding-table.ts";

/** Bytes of a table; one of all 8-mers has about a thousandth. */
const LARGEST = 2 ** 28;

/** Scores of all 8-mers from a protein-binding-microarray file. */
export async function readBindingTable(path: string): Promise<Float64Array> {
  // Imported here, so that browsers can load this module.
  const { readRegularFile } = await import("../../formats/regular-file.ts");
  let text: string;
  try {
    text = String(await readRegularFile(path, LARGEST));
  } catch (error) {
    throw new BindingTableError(
      `${path} cannot be read: ${fileProblem(error)}; give the path of a protein-binding-microarray 8-mer file.`,
      { cause: error },
    );
  }
  return parseBindingTable(text, path);
}
