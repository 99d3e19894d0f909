// `gflownet dashboard`: a local server that shows runs, comparisons, designs and backtests in a browser.

import { once } from "node:events";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { startDashboard } from "../../dashboard/server.ts";
import { isMissing } from "../../disk/open-file.ts";
import { UserError } from "../../issues.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { openBrowser } from "../open-browser.ts";
import { printJson } from "../output.ts";
import { Stop } from "../stop.ts";
import { readVersion } from "../version.ts";

export interface DashboardCommand {
  readonly port?: number;
  readonly open: boolean;
  readonly allowTrain?: boolean;
  readonly json?: boolean;
}

export async function dashboard(
  folder = ".",
  { port, open, allowTrain = false, json }: DashboardCommand,
): Promise<void> {
  await checkFolder(folder);
  const stop = new Stop();
  await stop.whileListening(async () => {
    const server = await startDashboard({
      ...{ folder, port, version: readVersion() },
      // Runs are trained by the same program in the same way.
      trainingCommand: allowTrain ? [process.execPath, ...process.execArgv, process.argv[1]] : null,
    });
    try {
      if (json) printJson({ url: server.url, port: server.port, folder: resolve(folder), allowTrain });
      else process.stdout.write(`The dashboard of ${folder} is at ${server.url}\n`);
      const isOpen = open && (await openBrowser(server.urlForOnce()));
      if (!json) process.stdout.write(`${isOpen ? "" : "Open it in a browser. "}Ctrl-C ends it.\n`);
      // Lost output is no reason to stop.
      if (!stop.interruption.aborted) await once(stop.interruption, "abort");
      if (server.training > 0 && !json) {
        const runs = formatCountOf(server.training, "run");
        process.stdout.write(`Stopping ${runs} that the dashboard started; they save their state.\n`);
      }
    } finally {
      await server.close();
    }
  });
}

/** A folder that does not exist yet is shown as empty. */
async function checkFolder(folder: string): Promise<void> {
  const info = await stat(folder).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (info && !info.isDirectory()) throw new UserError(`${folder} is a file; give a folder of runs`);
}
