// The files of an entry that a page may download, by fixed names: the name of a request is compared, never joined to a path.

import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { COMPARISON_FILES } from "../compare/comparison-folder.ts";
import { DESIGN_FILES } from "../design/design-folder.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { FORECAST_FILES } from "../forecast/forecast-folder.ts";
import { SHARD_FILES } from "../forecast/shards/shard-files.ts";
import { RUN_FILES } from "../run/run-files.ts";
import type { IndexedEntry } from "./entry-index.ts";

const OF_RUN = [
  ...[RUN_FILES.config, RUN_FILES.metrics, RUN_FILES.samples],
  ...[RUN_FILES.report, RUN_FILES.checkpoint],
];

/** Paths inside the folder of an entry, by the name that a page asks for. */
function pathsOf({ entry, metrics }: IndexedEntry): Readonly<Record<string, string>> {
  const same = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));
  switch (entry.kind) {
    case "run":
      return same(OF_RUN);
    case "design": {
      const { candidates, parquet, fasta, pareto, report, problem, design, rounds, run } = DESIGN_FILES;
      const ofRun = [RUN_FILES.config, RUN_FILES.metrics, RUN_FILES.checkpoint];
      const inside = ofRun.map((name) => [name, join(run, name)]);
      return {
        ...same([candidates, parquet, fasta, pareto, report, problem, design, rounds]),
        ...Object.fromEntries(inside),
      };
    }
    case "comparison": {
      const { comparison, csv, times, markdown, report } = COMPARISON_FILES;
      return same([comparison, csv, times, markdown, report]);
    }
    case "experiment": {
      const file = metrics ? basename(metrics.file) : "";
      return metrics ? { [file]: join(COMPARISON_FILES.experiments, file) } : {};
    }
    case "backtest":
      return same([...Object.values(BACKTEST_FILES), ...Object.values(SHARD_FILES)]);
    case "forecast":
      return same(Object.values(FORECAST_FILES));
    default:
      return entry.kind satisfies never;
  }
}

/** The names of the files that the entry has now. */
export async function filesOf(indexed: IndexedEntry): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(pathsOf(indexed)).map(async ([name, path]) => {
      const info = await lstat(join(indexed.folder, path)).catch(() => null);
      return info?.isFile() ? [name] : [];
    }),
  );
  return found.flat();
}

/** The absolute path of a file of an entry; null if it is not one that may be asked for. */
export function fileOf(indexed: IndexedEntry, name: string): string | null {
  const paths = pathsOf(indexed);
  return Object.hasOwn(paths, name) ? join(indexed.folder, paths[name]) : null;
}
