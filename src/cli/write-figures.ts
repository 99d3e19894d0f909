// Writes the figures and tables of a report into a folder, with a list of them.

import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "../disk/atomic-file.ts";
import { isMissing } from "../disk/open-file.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import { UserError } from "../issues.ts";
import { type FigureWriter, figureWriter, MissingPackage } from "../report/figure-files.ts";
import type { FigureFormat } from "../report/figure-format-names.ts";
import { TABLE_FORMATS } from "../report/table-files.ts";
import type { ReportData, XAxis } from "../views/page-data.ts";
import { reportFigures } from "../views/report-figures.ts";
import { reportTables } from "../views/report-tables.ts";

/** The list of what was written. A folder that has it may be written to again. */
const LIST = "figures.json";

export interface WrittenFigures {
  readonly figures: number;
  readonly tables: number;
  /** One sentence for each format that cannot be written. */
  readonly missing: readonly string[];
}

/** Throws a UserError if the folder has other content. */
export async function checkFigureFolder(folder: string): Promise<void> {
  const names = await withDiskErrors("read", folder, () => readdir(folder)).catch((error: Error) => {
    if (isMissing(error.cause)) return [] as string[];
    throw error;
  });
  if (names.length === 0 || names.includes(LIST)) return;
  throw new UserError(
    `--figures: ${folder} is not empty and has no figures of a report; choose another folder`,
  );
}

export async function writeFigures(
  report: ReportData,
  folder: string,
  { formats, x }: { readonly formats: readonly FigureFormat[]; readonly x: XAxis },
): Promise<WrittenFigures> {
  const { writers, missing } = await figureWriters(formats);
  const write = async (path: string, content: string | Uint8Array) => {
    const file = join(folder, path);
    await withDiskErrors("written", file, async () => {
      await mkdir(dirname(file), { recursive: true });
      await writeFileAtomically(file, content);
    });
    return path;
  };
  const figures = [];
  for (const { path, svg } of reportFigures(report, x)) {
    const files = [];
    for (const [format, convert] of writers) files.push(await write(`${path}.${format}`, await convert(svg)));
    figures.push({ figure: path, files });
  }
  const tables = [];
  for (const { path, table } of reportTables(report)) {
    const files = [];
    for (const [format, convert] of Object.entries(TABLE_FORMATS)) {
      files.push(await write(`${path}.${format}`, convert(table)));
    }
    tables.push({ table: path, files });
  }
  const list = { title: report.title, x, figures, tables };
  await write(LIST, `${JSON.stringify(list, null, 1)}\n`);
  return { figures: figures.length, tables: tables.length, missing };
}

async function figureWriters(formats: readonly FigureFormat[]) {
  const writers: [FigureFormat, FigureWriter][] = [];
  const missing: string[] = [];
  for (const format of formats) {
    try {
      writers.push([format, await figureWriter(format)]);
    } catch (error) {
      if (!(error instanceof MissingPackage)) throw error;
      missing.push(error.message);
    }
  }
  return { writers, missing };
}
