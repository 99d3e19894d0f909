// Writes the report of some folders, and returns the data inside it.

import { writeFileAtomically } from "../disk/atomic-file.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import type { ReportData, XAxis } from "../views/page-data.ts";
import { reportData } from "../views/report-data.ts";
import { entriesAt } from "../views/report-entries.ts";
import { reportTemplate } from "../views/report-file.ts";
import { closeViews, viewData } from "../views/views.ts";
import { readVersion } from "./version.ts";

/** `check` may refuse the file, after the folders were found to be readable. */
export async function writeReport(
  folders: readonly string[],
  file: string,
  x?: XAxis,
  check: (file: string) => Promise<void> = async () => {},
): Promise<ReportData> {
  const template = await reportTemplate();
  const { chosen, all } = await entriesAt(folders);
  await check(file);
  try {
    const data = await reportData(chosen, all, {
      ...{ largest: template.largestData, version: readVersion(), view: viewData, x },
    });
    await withDiskErrors("written", file, () => writeFileAtomically(file, template.html(data)));
    return data;
  } finally {
    await closeViews();
  }
}
