// A design folder: the problem, all scores, the run that learns from them, and the candidates.

import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isTemporaryOf, writeFileAtomically } from "../disk/atomic-file.ts";
import { isLockFile, isLockLeftover } from "../disk/lock.ts";
import { readText } from "../disk/open-file.ts";
import { RunError, withDiskErrors } from "../disk/run-error.ts";
import { SCORE_FILES } from "../oracle/score-store.ts";
import { DESIGN_RUN } from "../run/run-files.ts";

/** Files of a design folder, beside the scores and the run. */
export const DESIGN_FILES = {
  /** What the folder was made from. */
  design: "design.json",
  /** A copy of the problem file. */
  problem: "problem.yaml",
  candidates: "candidates.csv",
  parquet: "candidates.parquet",
  fasta: "candidates.fasta",
  /** The Pareto front of several objectives. */
  pareto: "pareto.csv",
  /** Figures, as the report shows them. */
  page: "page.json",
  report: "report.html",
  /** The scale and the exponent that were used in the end. */
  reward: "reward.json",
  /** The rounds of active learning. */
  rounds: "rounds.json",
  run: DESIGN_RUN,
  ...SCORE_FILES,
} as const;

const FORMAT = "gflownet design";
const FORMAT_VERSION = 1;

/** What decides whether a run of the folder can continue. */
export interface DesignKey {
  /** SHA-256 of the problem file. */
  readonly problem: string;
  /** Version of the oracle; null if the scores come from the laboratory. */
  readonly oracle: string | null;
  readonly budget: number;
  readonly seed: number;
  /** Length of the training, as it was asked for. */
  readonly iterations: number | null;
  readonly seconds: number | null;
  /** Rounds of active learning, and strings of each; null without rounds. */
  readonly rounds?: number | null;
  readonly batch?: number | null;
  readonly acquisition?: string | null;
  /** Scores that were told before the run, those of the problem file included. */
  readonly told: number;
  /** Strings that were sent to the oracle before the run. */
  readonly calls: number;
  /** Strings that were known at the start of the run, in the order of its data set. */
  readonly known: readonly string[];
}

/** SHA-256 of the text of a problem file. */
export function problemHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Creates the folder if it is new. Throws a RunError if it has other content, or designs of another problem. */
export async function openDesignFolder(folder: string, problemText: string): Promise<DesignKey | null> {
  const path = resolve(folder);
  const existing = await stat(path).catch(() => null);
  if (existing && !existing.isDirectory()) {
    throw new RunError(`${path} is not a folder; give another name with --out`);
  }
  await withDiskErrors("written", path, () => mkdir(path, { recursive: true }));
  const key = await readDesignKey(path);
  if (key && key.problem !== problemHash(problemText)) {
    throw new RunError(
      `${path} has designs of another problem file, or of this one before it was changed; give another folder with --out`,
    );
  }
  if (key) return key;
  const names = await withDiskErrors("read", path, () => readdir(path));
  const foreign = names.find((name) => !isDesignFile(name));
  if (foreign !== undefined) {
    throw new RunError(
      `${path} is not empty and has no designs; it has ${foreign}; give another folder with --out`,
    );
  }
  const copy = join(path, DESIGN_FILES.problem);
  await withDiskErrors("written", copy, () => writeFileAtomically(copy, problemText));
  return null;
}

/** Whether a file name belongs to a design, also if a process was killed while it wrote the file or took over the lock. */
export function isDesignFile(name: string): boolean {
  const files: readonly string[] = Object.values(DESIGN_FILES);
  const { lock } = DESIGN_FILES;
  return (
    files.some((file) => name.startsWith(file) || isTemporaryOf(file, name)) ||
    isLockFile(name, lock) ||
    isLockLeftover(name, lock)
  );
}

/** What the folder was made from; null if no run has started in it. */
export async function readDesignKey(folder: string): Promise<DesignKey | null> {
  const file = join(folder, DESIGN_FILES.design);
  const text = await readText(file);
  if (text === null) return null;
  try {
    const { format, version, ...key } = JSON.parse(text);
    if (format === FORMAT && version === FORMAT_VERSION && Array.isArray(key.known)) return key;
  } catch {
    // Not JSON: refused below.
  }
  throw new RunError(`${file} must be a file of ${FORMAT} of version ${FORMAT_VERSION}; give another folder`);
}

/** Removes the run of the folder, and notes what the next one starts from. The scores stay. */
export async function startDesignRun(folder: string, key: DesignKey): Promise<void> {
  const file = join(folder, DESIGN_FILES.design);
  await rm(join(folder, DESIGN_FILES.run), { recursive: true, force: true });
  await rm(join(folder, DESIGN_FILES.rounds), { force: true });
  const text = `${JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, ...key }, null, 1)}\n`;
  await withDiskErrors("written", file, () => writeFileAtomically(file, text));
}

/** What is asked for when a run is started or continued. */
export type AskedDesign = Omit<DesignKey, "known" | "calls">;

/** Whether a run that was started with a key may continue: it may not if anything else is asked for, or if results were
 * told since. */
export function isSameRun(a: DesignKey, b: AskedDesign): boolean {
  const names = ["problem", "oracle", "budget", "seed", "iterations", "seconds", "told"] as const;
  const later = ["rounds", "batch", "acquisition"] as const; // older folders do not have them
  return (
    names.every((name) => a[name] === b[name]) &&
    later.every((name) => (a[name] ?? null) === (b[name] ?? null))
  );
}
