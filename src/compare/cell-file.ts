// The file of a finished cell: who it is, its records, and a last line by which a damaged file is known.

import { crc32 } from "../gfn/checksum.ts";
import { readLine, writeLine } from "../run/metrics-lines.ts";
import type { Cell } from "./grid.ts";
import type { CellRecord } from "./record.ts";

export function cellFileText(cell: Cell, records: readonly CellRecord[]): string {
  const lines = [
    writeLine({ kind: "cell", ...cell }),
    ...records.map((record) => writeLine({ kind: "record", ...record })),
  ].join("");
  return lines + writeLine({ kind: "end", records: records.length, checksum: checksumOf(lines) });
}

/** The records of a cell; null if the file is not whole, or is not of this cell. */
export function readCell(text: string, cell: Cell): CellRecord[] | null {
  const lastLine = text.lastIndexOf("\n", text.length - 2) + 1;
  const [lines, last] = [text.slice(0, lastLine), text.slice(lastLine)];
  const end = parsed(last);
  if (!text.endsWith("\n") || end?.kind !== "end" || end.checksum !== checksumOf(lines)) return null;
  const [head, ...rest] = lines.split("\n").slice(0, -1).map(parsed);
  const own = (["method", "stick", "seed"] as const).every((name) => head?.[name] === cell[name]);
  if (!own || rest.length !== end.records) return null;
  return rest.map((line) => {
    const { kind: _, ...record } = line as Readonly<Record<string, unknown>>;
    return record as unknown as CellRecord;
  });
}

/** Numbers that are not finite are read as such again. */
function parsed(line: string): Readonly<Record<string, unknown>> | null {
  return readLine(line) as Readonly<Record<string, unknown>> | null;
}

function checksumOf(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
