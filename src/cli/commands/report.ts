// `gflownet report`: a run as one page of figures and tables.

import { access, constants, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { htmlPage, isReportPage } from "../../report/page.ts";
import { runReport } from "../../report/run-report.ts";
import { writeFileAtomically } from "../../run/atomic-file.ts";
import { viewRun } from "../../run/folder.ts";
import { RUN_FILES, readText } from "../../run/run-files.ts";
import { BUILT_IN_TABLES } from "../config/complete.ts";
import { type Config, completeConfig, parseConfigText, taskOf } from "../config.ts";
import { UsageError } from "../fail.ts";
import { printJson } from "../output.ts";
import { parseSamples } from "../samples.ts";

export async function report(
  folder: string,
  { out, json }: { readonly out?: string; readonly json?: boolean },
): Promise<void> {
  const run = await viewRun(folder);
  const file = out ?? join(run.folder, RUN_FILES.report);
  await checkTarget(file);
  const config = parseConfigText(run.configText, join(run.folder, RUN_FILES.config));
  const csv = await run.readSamples();
  const page = runReport({
    name: basename(run.folder),
    config: { ...config },
    events: await run.readMetrics(),
    samples: csv === null ? [] : parseSamples(csv, join(run.folder, RUN_FILES.samples)),
    scores: await scoresOf(config),
    dynamicsFloor: dynamicsFloorOf(config),
  });
  await writeFileAtomically(file, htmlPage(page));
  if (json) printJson({ report: resolve(file) });
  else process.stdout.write(`The report is ${file}; open it in a browser.\n`);
}

/** A file can be written there, and none is overwritten but an earlier report. */
async function checkTarget(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK);
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) throw new UsageError(`--out: ${file} is a folder; give the name of a file`);
  if (!there) return;
  const text = there.isFile() ? await readText(file) : null;
  if (text === null || !isReportPage(text)) {
    throw new UsageError(`--out: ${file} exists and is no report; remove it or choose another name`);
  }
}

/** What the scores are. A file of scores need not be there any more: the run holds all that is shown. */
async function scoresOf(config: Config): Promise<string> {
  const { table } = config;
  if (table !== undefined && !BUILT_IN_TABLES.includes(table)) return `scores from ${basename(table)}`;
  const { known: _, ...needed } = config;
  return (await taskOf(await completeConfig(needed))).label;
}

/** The entropy of stick noise where it is the same in every state: all letters can be written everywhere. */
function dynamicsFloorOf({ task, stick, word }: Config): number | undefined {
  const letters = task === "tfbind8" ? 4 : task === "bit-sequence" && word !== undefined ? 2 ** word : 0;
  if (letters < 2 || stick === undefined) return undefined;
  const other = stick / letters;
  const intended = 1 - stick + other;
  const part = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return part(intended) + (letters - 1) * part(other);
}
