// `gflownet report`: writes runs, comparisons, designs and backtests as one HTML file, and their figures as files.

import { join, resolve } from "node:path";
import { readText } from "../../disk/open-file.ts";
import { UserError } from "../../issues.ts";
import { FIGURE_FORMATS, type FigureFormat } from "../../report/figure-format-names.ts";
import { isReportPage } from "../../report/page.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { RUN_FILES } from "../../run/run-files.ts";
import type { XAxis } from "../../views/page-data.ts";
import { usualAxis } from "../../views/report-data.ts";
import { printJson } from "../output.ts";
import { checkOutputFile } from "../output-file.ts";
import { EXIT_CODES } from "../report-error.ts";
import { checkFigureFolder, writeFigures } from "../write-figures.ts";
import { writeReport } from "../write-report.ts";

export interface ReportCommand {
  /** Default: `report.html`, in the folder if there is one. */
  readonly out?: string;
  /** Folder for figures and tables. Default: none are written. */
  readonly figures?: string;
  readonly formats?: readonly FigureFormat[];
  /** Default: calls for comparisons and designs, else iterations. */
  readonly x?: "iterations" | "calls" | "seconds";
  readonly json?: boolean;
}

export async function report(folders: readonly string[], command: ReportCommand): Promise<void> {
  const { figures, formats, json } = command;
  if (formats !== undefined && figures === undefined) {
    throw new UserError("--formats needs --figures FOLDER, the folder for the figures");
  }
  const file = command.out ?? join(folders.length === 1 ? resolve(folders[0]) : "", RUN_FILES.report);
  if (figures !== undefined) await checkFigureFolder(figures);
  const asked: XAxis | undefined = command.x === "iterations" ? "iteration" : command.x;
  const data = await writeReport(folders, file, asked, checkOut);
  const x = asked ?? usualAxis(data.details);
  const written =
    figures === undefined
      ? null
      : await writeFigures(data, figures, { formats: formats ?? FIGURE_FORMATS, x });
  if (json) {
    printJson({
      report: resolve(file),
      ...(written && figures !== undefined && { figures: resolve(figures) }),
    });
  } else {
    process.stdout.write(`The report is ${file}; open it in a browser.\n`);
    if (written) {
      const count = `${formatCountOf(written.figures, "figure")} and ${formatCountOf(written.tables, "table")}`;
      process.stdout.write(`${count} are in ${figures}.\n`);
    }
  }
  for (const sentence of written?.missing ?? []) process.stderr.write(`gflownet: ${sentence}\n`);
  if (formats !== undefined && (written?.missing.length ?? 0) > 0) process.exitCode = EXIT_CODES.failed;
}

/** An earlier report is replaced, any other file is not. */
async function checkOut(file: string): Promise<void> {
  await checkOutputFile("--out", file, async (isFile) => {
    const text = isFile ? await readText(file) : null;
    if (text !== null && isReportPage(text)) return;
    throw new UserError(`--out: ${file} exists and is not a report; remove it or choose another name`);
  });
}
