// The entry of a backtest.

import { RunError } from "../disk/run-error.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { type EntryFolder, type FoundEntry, fileStamps } from "./found-entry.ts";

/** What a backtest consists of; the other files are made of these. */
const DATA_FILES = [BACKTEST_FILES.forecasts, BACKTEST_FILES.metrics];

export async function readBacktestEntry({ id, name, kind, path, files }: EntryFolder): Promise<FoundEntry> {
  const missing = DATA_FILES.filter((file) => !files?.includes(file));
  if (missing.length > 0) {
    throw new RunError(
      `${path} is not complete: it has no ${missing.join(" and no ")}; run the backtest again`,
    );
  }
  const { modified } = await fileStamps(path, DATA_FILES);
  return {
    entry: {
      ...{ id, kind, name, parent: null, task: null, state: "finished", problem: null, seed: null, modified },
      ...{ iteration: null, iterations: null, seconds: null, last: {}, exact: null },
    },
    ...{ folder: path, metrics: null, settings: {}, groupSettings: null, groupLabel: null },
  };
}
