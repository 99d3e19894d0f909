// The folder of a comparison: its settings, its finished experiments, and the tables, figures and page made of them.
//
// One process writes to it and holds its lock. The file of an experiment is written atomically when the experiment
// ends. If the process is killed at any time, finished experiments are kept and the others run again.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isTemporaryOf, writeFileAtomically } from "../disk/atomic-file.ts";
import { acquireLock, isLockFile, isLockLeftover } from "../disk/lock.ts";
import { readText } from "../disk/open-file.ts";
import { RunNameError, withDiskErrors } from "../disk/run-error.ts";
import { UserError } from "../issues.ts";
import { createFolder } from "../run/new-folder.ts";
import { type Comparison, comparisonText, differences, parseComparison } from "./comparison.ts";
import { experimentFileText, parseExperimentFile, stopOf } from "./experiment-file.ts";
import { type Experiment, experimentFileName, experimentsOf } from "./experiment-grid.ts";
import type { ExperimentRecord } from "./experiment-record.ts";

export const COMPARISON_FILES = {
  /** The settings. */
  comparison: "comparison.json",
  /** A folder with one file per finished experiment. */
  experiments: "experiments",
  csv: "table.csv",
  /** The seconds of the experiments, apart from the table, which does not depend on the clock. */
  times: "times.csv",
  markdown: "table.md",
  /** Tables and figures, as the report shows them. */
  page: "page.json",
  report: "report.html",
  figures: "figures",
} as const;

export interface FinishedExperiment extends Experiment {
  readonly records: readonly ExperimentRecord[];
  /** Oracle calls after which it was ended early, if it was. */
  readonly stop?: number;
}

export interface ComparisonFolder {
  readonly path: string;
  /** Finished experiments in the order of the grid, and the paths of damaged files, whose experiments must run again. */
  readExperiments(): Promise<{
    readonly finished: readonly FinishedExperiment[];
    readonly damaged: readonly string[];
  }>;
  /** `stop` are the oracle calls after which it was ended early. */
  writeExperiment(experiment: Experiment, records: readonly ExperimentRecord[], stop?: number): Promise<void>;
  /** Writes a table, figure or page; `name` is its path inside the folder. */
  writeResult(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates a comparison in a new or empty folder, or opens an existing one with the same settings. */
export async function openComparison(folder: string, comparison: Comparison): Promise<ComparisonFolder> {
  const path = resolve(folder);
  await createFolder(path);
  const lock = await acquireLock(path);
  try {
    const file = join(path, COMPARISON_FILES.comparison);
    const text = await readText(file);
    if (text === null) {
      await checkEmpty(path);
      await withDiskErrors("written", file, () => writeFileAtomically(file, comparisonText(comparison)));
    } else {
      const issues = differences(parseComparison(text, file), comparison);
      if (issues.length > 0) throw new UserError(issues, { source: path });
    }
    await removeTemporaryFiles(path);
    for (const name of [COMPARISON_FILES.experiments, COMPARISON_FILES.figures]) {
      await withDiskErrors("written", join(path, name), () => mkdir(join(path, name), { recursive: true }));
      await removeTemporaryFiles(join(path, name));
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  const write = async (name: string, content: string) => {
    await lock.check();
    await withDiskErrors("written", join(path, name), () => writeFileAtomically(join(path, name), content));
  };
  return {
    path,
    readExperiments: () => readExperiments(path, comparison),
    writeExperiment: (experiment, records, stop) =>
      write(
        join(COMPARISON_FILES.experiments, experimentFileName(experiment)),
        experimentFileText(experiment, records, stop),
      ),
    writeResult: write,
    close: () => lock.release(),
  };
}

/** The settings of the comparison in a folder. */
export async function readComparison(folder: string): Promise<Comparison> {
  const file = join(resolve(folder), COMPARISON_FILES.comparison);
  const text = await readText(file);
  if (text !== null) return parseComparison(text, file);
  throw new RunNameError(
    `${resolve(folder)} is not a comparison: it has no ${COMPARISON_FILES.comparison}; give the folder of a comparison`,
  );
}

async function readExperiments(path: string, comparison: Comparison) {
  const finished: FinishedExperiment[] = [];
  const damaged: string[] = [];
  for (const experiment of experimentsOf(comparison)) {
    const file = join(path, COMPARISON_FILES.experiments, experimentFileName(experiment));
    const text = await readText(file);
    const records = text === null ? null : parseExperimentFile(text, experiment);
    const stop = text === null ? undefined : stopOf(text);
    if (records) finished.push({ ...experiment, records, ...(stop !== undefined && { stop }) });
    else if (text !== null) damaged.push(file);
  }
  return { finished, damaged };
}

/** Throws unless the folder is empty, apart from lock files and the remains of an interrupted write. */
async function checkEmpty(path: string): Promise<void> {
  const names = await withDiskErrors("read", path, () => readdir(path));
  const isExpected = (name: string) =>
    isLockFile(name) || isLockLeftover(name) || isTemporaryOf(COMPARISON_FILES.comparison, name);
  if (names.every(isExpected)) return;
  throw new RunNameError(`${path} is neither empty nor a comparison; choose another folder`);
}

/**
 * Removes incomplete files of a process that was killed while it wrote them. Files of the lock are kept, because
 * another process may use them.
 */
async function removeTemporaryFiles(path: string): Promise<void> {
  const names = await withDiskErrors("read", path, () => readdir(path));
  const isTemporary = (name: string) => /^\..*\.[0-9a-f-]{36}\.tmp$/.test(name) && !isLockLeftover(name);
  for (const name of names.filter(isTemporary)) {
    await rm(join(path, name), { force: true });
  }
}
