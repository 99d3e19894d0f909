// Writes the folder of a forecast with its report, and says where it is.

import { join, resolve } from "node:path";
import { writeFileAtomically } from "../../../disk/atomic-file.ts";
import {
  FORECAST_FILES,
  type ForecastFolderContents,
  forecastFiles,
} from "../../../forecast/forecast-folder.ts";
import { forecastRows } from "../../../forecast/report/forecast-table.ts";
import { eventTable } from "../../../forecast/report/scenario-tables.ts";
import { createFolder } from "../../../run/new-folder.ts";
import { commandLine } from "../../command-name.ts";
import { printJson } from "../../output.ts";
import { shortPath } from "../../paths.ts";
import { writeReport } from "../../write-report.ts";
import { type PrintOptions, print } from "./run-command.ts";

/** Series whose probabilities are printed; the folder has all of them. */
const MOST_PRINTED = 10;

export async function writeForecastFolder(
  out: string,
  contents: ForecastFolderContents,
  command: PrintOptions,
): Promise<void> {
  const folder = resolve(out);
  await createFolder(folder);
  for (const [name, text] of forecastFiles(contents)) await writeFileAtomically(join(folder, name), text);
  await writeReport([folder], join(folder, FORECAST_FILES.report));
  const { record, models, panel, columns } = contents;
  const { event } = record.scenario;
  if (command.json) {
    const rows =
      event === undefined ? forecastRows(models, panel, columns) : eventTable(event, record.events).rows;
    for (const row of rows) printJson(row);
  }
  for (const { id, probability, standardError } of record.events.slice(0, MOST_PRINTED)) {
    const [value, error] = [probability, standardError].map((each) => each.toPrecision(3));
    print(command, `Series ${JSON.stringify(id)}: ${event} has probability ${value} ± ${error}.`);
  }
  print(command, `The forecast is in ${out}; show it with: ${commandLine("dashboard", out)}`);
  print(command, `Report, to open in a browser: ${shortPath(join(folder, FORECAST_FILES.report))}`);
}
