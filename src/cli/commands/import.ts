// `gflownet import`: makes a run folder of a playground file.

import { formatCount } from "../../report/text-format.ts";
import { describeRun } from "../../run/describe-run.ts";
import { importRun } from "../../run/import-run.ts";
import { commandLine } from "../command-name.ts";
import { printJson } from "../output.ts";
import { shellPath, shortPath } from "../paths.ts";

export interface ImportCommand {
  /** Folder of the run. Default: a new folder in `runs`. */
  readonly out?: string;
  readonly json?: boolean;
}

export async function importFile(file: string, { out, json }: ImportCommand): Promise<void> {
  const { run, config, task, snapshot } = await importRun(file, out);
  const { folder } = run;
  const { iteration } = snapshot;
  if (json) {
    printJson({ run: folder, task: task.name, iterations: iteration });
    return;
  }
  const path = shellPath(folder);
  process.stdout.write(
    [
      describeRun({ config, task }),
      `Imported after ${formatCount(iteration)} iterations; the run is in ${shortPath(folder)}.`,
      `Continue its training, or finish it, with: ${commandLine("train", "--resume", path)}`,
      `Compute its metrics with: ${commandLine("evaluate", path)}`,
      `See it with: ${commandLine("report", path)}`,
      "",
    ].join("\n"),
  );
}
