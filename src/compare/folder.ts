// A comparison on disk: what it was told, its finished cells, and what was made of them.
//
// One process writes to it and holds its lock. A cell's file is written as a whole when the cell ends, so whatever moment
// a process ends at, finished cells stay and the others are run again.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isTemporaryOf, writeFileAtomically } from "../run/atomic-file.ts";
import { acquireLock, isLockFile, isLockLeftover } from "../run/lock.ts";
import { makeFolder } from "../run/new-folder.ts";
import { onDisk, RunNameError } from "../run/run-error.ts";
import { readText } from "../run/run-files.ts";
import { cellFileText, readCell } from "./cell-file.ts";
import { type Comparison, comparisonText, difference, parseComparison } from "./comparison.ts";
import { type Cell, cellFile, cellsOf } from "./grid.ts";
import type { CellRecord } from "./record.ts";

export const COMPARISON_FILES = {
  /** Everything it was told. */
  comparison: "comparison.json",
  /** One file per finished cell. */
  cells: "cells",
  csv: "table.csv",
  markdown: "table.md",
  report: "report.html",
  figures: "figures",
} as const;

/** A cell that has ended. */
export interface FinishedCell extends Cell {
  readonly records: readonly CellRecord[];
}

export interface ComparisonFolder {
  readonly path: string;
  /** Finished cells in the order of the grid, and files that are damaged and count for nothing. */
  readCells(): Promise<{ readonly finished: readonly FinishedCell[]; readonly damaged: readonly string[] }>;
  writeCell(cell: Cell, records: readonly CellRecord[]): Promise<void>;
  /** A file made of the cells: its path inside the folder, and its text. */
  writeResult(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes a comparison in a folder that is new or empty, or goes on with one that was told the same. */
export async function openComparison(folder: string, comparison: Comparison): Promise<ComparisonFolder> {
  const path = resolve(folder);
  await makeFolder(path);
  const lock = await acquireLock(path);
  try {
    const file = join(path, COMPARISON_FILES.comparison);
    const text = await readText(file);
    if (text === null) {
      await checkEmpty(path);
      await onDisk("written", file, () => writeFileAtomically(file, comparisonText(comparison)));
    } else {
      const different = difference(parseComparison(text, file), comparison);
      if (different) {
        throw new RunNameError(
          `${path} is another comparison: ${different}; give the same settings, or another folder with --out`,
        );
      }
    }
    await removeLeftovers(path);
    for (const name of [COMPARISON_FILES.cells, COMPARISON_FILES.figures]) {
      await onDisk("written", join(path, name), () => mkdir(join(path, name), { recursive: true }));
      await removeLeftovers(join(path, name));
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  const write = async (name: string, content: string) => {
    await lock.check();
    await onDisk("written", join(path, name), () => writeFileAtomically(join(path, name), content));
  };
  return {
    path,
    readCells: () => readCells(path, comparison),
    writeCell: (cell, records) =>
      write(join(COMPARISON_FILES.cells, cellFile(cell)), cellFileText(cell, records)),
    writeResult: write,
    close: () => lock.release(),
  };
}

/** What the comparison in a folder was told. */
export async function readComparison(folder: string): Promise<Comparison> {
  const file = join(resolve(folder), COMPARISON_FILES.comparison);
  const text = await readText(file);
  if (text !== null) return parseComparison(text, file);
  throw new RunNameError(
    `${resolve(folder)} is no comparison, for it has no ${COMPARISON_FILES.comparison}; give a folder that gflownet compare made`,
  );
}

async function readCells(path: string, comparison: Comparison) {
  const finished: FinishedCell[] = [];
  const damaged: string[] = [];
  for (const cell of cellsOf(comparison)) {
    const file = join(path, COMPARISON_FILES.cells, cellFile(cell));
    const text = await readText(file);
    const records = text === null ? null : readCell(text, cell);
    if (records) finished.push({ ...cell, records });
    else if (text !== null) damaged.push(file);
  }
  return { finished, damaged };
}

async function checkEmpty(path: string): Promise<void> {
  const names = await onDisk("read", path, () => readdir(path));
  const isOwn = (name: string) =>
    isLockFile(name) || isLockLeftover(name) || isTemporaryOf(COMPARISON_FILES.comparison, name);
  if (names.every(isOwn)) return;
  throw new RunNameError(`${path} is not empty and no comparison; choose another folder with --out`);
}

/** Files that are not whole: a process was killed while it wrote them. Those about locking may be in use. */
async function removeLeftovers(path: string): Promise<void> {
  const names = await onDisk("read", path, () => readdir(path));
  const isLeftover = (name: string) => /^\..*\.[0-9a-f-]{36}\.tmp$/.test(name) && !isLockLeftover(name);
  for (const name of names.filter(isLeftover)) {
    await rm(join(path, name), { force: true });
  }
}
