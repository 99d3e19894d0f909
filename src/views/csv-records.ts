// Reads the records of a CSV file of any size one by one, so that a view of a large file takes little memory.

import { readLines } from "../disk/lines.ts";
import { openIfExists } from "../disk/open-file.ts";
import { parseCsv } from "../formats/csv.ts";
import { UserError } from "../issues.ts";

/** The cells of each record by column name. Throws a UserError if the file is missing or damaged. */
export async function* csvRecords(path: string): AsyncGenerator<Readonly<Record<string, string>>> {
  const file = await openIfExists(path);
  if (!file) throw new UserError(`${path} does not exist`);
  try {
    let heading: readonly string[] | null = null;
    let open = "";
    let number = 0;
    for await (const { text } of readLines(file)) {
      number++;
      // A quoted cell may contain line breaks: the record goes on until its quotes are closed.
      const record = open === "" ? text : `${open}\n${text}`;
      if (count(record, '"') % 2 === 1) {
        open = record;
        continue;
      }
      open = "";
      const [cells = [""]] = parseCsv(record);
      if (heading === null) heading = cells;
      else if (cells.length === heading.length) {
        yield Object.fromEntries(heading.map((name, i) => [name, cells[i]]));
      } else {
        throw new UserError(
          `${path} is damaged: line ${number} must have ${heading.length} cells, got ${cells.length}`,
        );
      }
    }
  } finally {
    await file.close();
  }
}

function count(text: string, character: string): number {
  let found = 0;
  for (const each of text) if (each === character) found++;
  return found;
}

/** The number in a cell; null if it is empty. */
export function numberIn(cell: string | undefined): number | null {
  return cell === undefined || cell.trim() === "" || !Number.isFinite(Number(cell)) ? null : Number(cell);
}
