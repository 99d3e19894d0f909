// Runs the experiments of a sweep: all to the end of their budget, or by successive halving, rung by rung.
//
// A setting that is promoted runs again from the start, with the same seed and so with the same records, and further. The
// decisions are written after each rung, so that a sweep that was stopped goes on with the same settings.

import { join } from "node:path";
import type { Comparison } from "../compare/comparison.ts";
import type { ComparisonFolder } from "../compare/comparison-folder.ts";
import { type Experiment, experimentsOf } from "../compare/experiment-grid.ts";
import { type ComparisonEvent, type FailedExperiment, runExperiments } from "../compare/run-comparison.ts";
import { readText } from "../disk/open-file.ts";
import { isObject } from "../executor/json-text.ts";
import type { Executor } from "../executor/unit.ts";
import type { SweepPoint } from "./points.ts";
import { ranked, scoresOf } from "./scores.ts";
import type { Sweep } from "./sweep.ts";

export const SWEEP_FILES = {
  sweep: "sweep.json",
  /** The settings that each rung of successive halving promoted. */
  rungs: "rungs.json",
} as const;

/** The settings that a rung promoted. */
interface Rung {
  readonly calls: number;
  readonly promoted: readonly string[];
}

export interface SweepRun {
  readonly folder: ComparisonFolder;
  readonly comparison: Comparison;
  readonly sweep: Sweep;
  readonly points: readonly SweepPoint[];
  /** Oracle calls of each rung; empty without successive halving. */
  readonly rungs: readonly number[];
  readonly executor: Executor;
  readonly signal: AbortSignal;
}

export interface SweepHandlers {
  /** Experiments that start now, of one rung or of all. */
  readonly onRung: (experiments: readonly Experiment[], calls: number | null) => void;
  readonly onEvent: (event: ComparisonEvent) => void;
}

/** Returns the experiments that failed. */
export async function runSweep(
  run: SweepRun,
  { onRung, onEvent }: SweepHandlers,
): Promise<FailedExperiment[]> {
  const { folder, comparison, sweep, points, rungs, executor, signal } = run;
  const failures: FailedExperiment[] = [];
  const runUntil = async (methods: readonly string[], stop: number | undefined) => {
    const { finished } = await folder.readExperiments();
    const done = new Set(finished.filter((each) => reached(each.stop, stop)).map(nameOf));
    const failed = new Set(failures.map(nameOf));
    const experiments = experimentsOf({ ...comparison, methods }).filter(
      (each) => !done.has(nameOf(each)) && !failed.has(nameOf(each)),
    );
    if (experiments.length === 0) return;
    onRung(experiments, stop ?? null);
    failures.push(
      ...(await runExperiments(folder, comparison, { experiments, executor, signal, stop }, onEvent)),
    );
  };
  let methods = points.map(({ method }) => method);
  const decided = await readRungs(folder, rungs);
  for (const [i, calls] of rungs.slice(0, -1).entries()) {
    if (decided[i] === undefined) {
      await runUntil(methods, calls);
      if (signal.aborted) return failures;
      const { finished } = await folder.readExperiments();
      const own = points.filter(({ method }) => methods.includes(method));
      const best = ranked(scoresOf(own, finished, sweep.metric), sweep.metric);
      const count = Math.ceil(methods.length / sweep.eta);
      const promoted = best.slice(0, count).filter(({ mean }) => mean !== null);
      decided[i] = { calls, promoted: promoted.map(({ method }) => method) };
      await folder.writeResult(SWEEP_FILES.rungs, `${JSON.stringify(decided, null, 2)}\n`);
    }
    methods = methods.filter((method) => decided[i].promoted.includes(method));
  }
  if (methods.length > 0) await runUntil(methods, undefined);
  return failures;
}

/** Whether an experiment that ended at `stop` has done what a rung asks for. */
function reached(stop: number | undefined, rung: number | undefined): boolean {
  return stop === undefined || (rung !== undefined && stop >= rung);
}

function nameOf({ method, stick, seed }: Experiment): string {
  return JSON.stringify([method, stick, seed]);
}

/** The decisions so far. A file that does not fit the rungs is ignored, and its rungs are decided again. */
async function readRungs(folder: ComparisonFolder, rungs: readonly number[]): Promise<Rung[]> {
  const text = await readText(join(folder.path, SWEEP_FILES.rungs));
  let value: unknown;
  try {
    value = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  const isRung = (rung: unknown, i: number) =>
    isObject(rung) && rung.calls === rungs[i] && Array.isArray(rung.promoted);
  return Array.isArray(value) && value.every(isRung) ? (value as Rung[]) : [];
}
