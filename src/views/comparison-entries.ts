// The entries of a comparison: the comparison itself, and each of its finished experiments.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Comparison, comparisonTitle } from "../compare/comparison.ts";
import { COMPARISON_FILES, readComparison } from "../compare/comparison-folder.ts";
import { parseExperimentFile } from "../compare/experiment-file.ts";
import {
  type Experiment,
  experimentFileName,
  experimentsOf,
  experimentTitle,
  methodTitle,
} from "../compare/experiment-grid.ts";
import type { ExperimentRecord } from "../compare/experiment-record.ts";
import { isLocked } from "../disk/lock.ts";
import { readText } from "../disk/open-file.ts";
import { RunError } from "../disk/run-error.ts";
import { allAtOnce } from "./all-at-once.ts";
import { withoutSeed } from "./entry-groups.ts";
import { readEvent } from "./event-values.ts";
import { brokenEntry, type EntryFolder, type FoundEntry, fileStamps } from "./found-entry.ts";

/** What was read of the experiments of a comparison, by file name. */
export type ComparisonMemory = ReadonlyMap<string, { readonly key: string; readonly found: FoundEntry }>;

/** Reads a comparison. `known` is what was read before, and saves reading files that have not changed. */
export async function readComparisonEntries(
  folder: EntryFolder,
  known: ComparisonMemory = new Map(),
): Promise<{ readonly found: readonly FoundEntry[]; readonly memory: ComparisonMemory }> {
  const { id, name, path, files } = folder;
  const experiments = join(path, COMPARISON_FILES.experiments);
  const hasExperiments = files?.includes(COMPARISON_FILES.experiments);
  if (hasExperiments && !(await lstat(experiments)).isDirectory()) {
    throw new RunError(`${experiments} is not a folder, but a link or a file; remove it`);
  }
  const comparison = await readComparison(path);
  const grid = experimentsOf(comparison);
  const memory = new Map<string, { readonly key: string; readonly found: FoundEntry }>();
  await allAtOnce(grid, async (experiment) => {
    const file = experimentFileName(experiment);
    const { key, modified, sizes } = await fileStamps(experiments, [file]);
    if (sizes.size === 0) return;
    const before = known.get(file);
    const found =
      before?.key === key ? before.found : await readExperiment(folder, comparison, experiment, modified);
    memory.set(file, { key, found });
  });
  const found = grid.flatMap((experiment) => memory.get(experimentFileName(experiment))?.found ?? []);
  const finished = found.filter(({ entry }) => entry.state === "finished").length;
  const { modified } = await fileStamps(path, [COMPARISON_FILES.comparison]);
  const { settings, ...rest } = comparison;
  const locked = await isLocked(path);
  const parent: FoundEntry = {
    entry: {
      ...{ id, kind: "comparison", name, parent: null },
      task: taskOf(comparison),
      state: locked ? "running" : finished === grid.length ? "finished" : "interrupted",
      problem: null,
      seed: null,
      modified: Math.max(modified, ...found.map(({ entry }) => entry.modified)),
      ...{ iteration: null, iterations: null, seconds: null, last: {} },
      exact: null,
    },
    folder: path,
    metrics: null,
    settings: { title: comparisonTitle(comparison), finished, ...rest, ...settings },
    groupSettings: null,
    groupLabel: null,
  };
  return { found: [parent, ...found], memory };
}

/** The id of an experiment: that of its comparison and its file. */
export function experimentId(comparison: string, experiment: Experiment): string {
  return `${comparison}#${experimentFileName(experiment)}`;
}

async function readExperiment(
  folder: EntryFolder,
  comparison: Comparison,
  experiment: Experiment,
  modified: number,
): Promise<FoundEntry> {
  const { path } = folder;
  const id = experimentId(folder.id, experiment);
  const name = experimentTitle(experiment);
  const file = join(path, COMPARISON_FILES.experiments, experimentFileName(experiment));
  const { method, stick, seed } = experiment;
  const { settings, methods: _, sticks: __, seeds: ___, ...rest } = comparison;
  const groupSettings = withoutSeed({ ...settings, ...rest, method, stick });
  const text = await readText(file).catch((error: unknown) => error as Error);
  const records = typeof text === "string" ? parseExperimentFile(text, experiment) : null;
  const common = {
    folder: path,
    settings: { method, stick, seed, ...rest, ...settings },
    groupSettings,
    groupLabel: methodTitle(method, stick),
  };
  if (!records) {
    const problem =
      text instanceof Error
        ? text
        : new RunError(`${file} is damaged; run the comparison again to replace it`);
    const { entry } = brokenEntry({ ...folder, id, name }, problem, modified);
    const own = { kind: "experiment", parent: folder.id, seed, task: taskOf(comparison) } as const;
    return { ...common, entry: { ...entry, ...own }, metrics: null };
  }
  const last = records.at(-1);
  return {
    ...common,
    entry: {
      ...{ id, kind: "experiment", name, parent: folder.id, task: taskOf(comparison) },
      ...{ state: "finished", problem: null, seed, modified },
      iteration: last?.iteration ?? null,
      iterations: last?.iteration ?? null,
      seconds: last?.seconds ?? null,
      last: lastValues(records),
      exact: last ? last.tv !== null : null,
    },
    metrics: { file, format: "records" },
  };
}

function lastValues(records: readonly ExperimentRecord[]): Record<string, number> {
  const last: Record<string, number> = {};
  for (const record of records) {
    readEvent({ kind: "record", ...record }, "records", {
      at: () => {},
      value: ({ name }, value) => {
        last[name] = value;
      },
    });
  }
  return last;
}

function taskOf({ settings }: Comparison): string | null {
  return typeof settings.task === "string" ? settings.task : null;
}
