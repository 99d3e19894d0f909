// A binding table out of a file on disk. It is apart from the parser, which also runs where there are no files.

import { BindingTableError, parseBindingTable } from "./binding-table.ts";

/** Scores of all 8-mers out of a protein-binding-microarray file. */
export async function readBindingTable(path: string): Promise<Float64Array> {
  // Loaded here, so that a browser can load the rest.
  const { readFile } = await import("node:fs/promises");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new BindingTableError(
      `${path} cannot be read: ${reason}; give the path of a protein-binding-microarray 8-mer file.`,
      { cause: error },
    );
  }
  return parseBindingTable(text, path);
}
