// `gflownet report`: writes the HTML report of a run.

import { join, resolve } from "node:path";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { readText } from "../../disk/open-file.ts";
import { UserError } from "../../issues.ts";
import { isReportPage } from "../../report/page.ts";
import { RUN_FILES } from "../../run/run-files.ts";
import { viewRun } from "../../run/run-folder.ts";
import { runPage } from "../../run/run-page.ts";
import { printJson } from "../output.ts";
import { checkOutputFile } from "../output-file.ts";

export async function report(
  folder: string,
  { out, json }: { readonly out?: string; readonly json?: boolean },
): Promise<void> {
  const run = await viewRun(folder);
  const file = out ?? join(run.folder, RUN_FILES.report);
  await checkOutputFile("--out", file, async (isFile) => {
    const text = isFile ? await readText(file) : null;
    if (text !== null && isReportPage(text)) return; // an earlier report is replaced
    throw new UserError(`--out: ${file} exists and is not a report; remove it or choose another name`);
  });
  await writeFileAtomically(file, await runPage(run));
  if (json) printJson({ report: resolve(file) });
  else process.stdout.write(`The report is ${file}; open it in a browser.\n`);
}
