// A trial: a training run that is killed several times; its folder is checked after each kill.

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { RandomStream } from "../../src/engine/index.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";
import { compareFinished, type Finding, inspect, type Reference, referenceOf, type Stage } from "./check.ts";
import { type Compiled, type KillPoint, type ProcessResult, runCommandLine } from "./process.ts";

export const KILL_MODES = ["moment", "operation"] as const satisfies readonly KillPoint["mode"][];
export type KillMode = (typeof KILL_MODES)[number];

const SMALL_RUN =
  "--hidden 8 --batch 8 --samples 50 --log-every 1 --checkpoint-every 50 --evaluate-every 100".split(" ");

/**
 * Arguments of the small runs that are killed. Together their checkpoints contain every optional part of a checkpoint.
 */
const RUNS: readonly (readonly string[])[] = [
  ["hypergrid", "--side", "3", ...SMALL_RUN],
  ["hypergrid", "--side", "3", "--objective", "stb", "--learn-log-z", "--epsilon", "0.3:0", ...SMALL_RUN],
  [
    ...["bit-sequence", "--bits", "6", "--word", "2", "--modes", "3", ...SMALL_RUN],
    ...["--replay-share", "0.25", "--replay-capacity", "100", "--replay-priority", "1"],
    ...["--dynamics-replay-capacity", "60", "--dynamics-replay-batch", "8"],
  ],
];

/** Duration of a process in milliseconds (`moment`), and its number of disk operations (`operation`). */
export type ProcessLength = Readonly<Record<KillMode, number>>;

/** A run that the trial kills, and the results of the same run without interruption. */
export interface TrialRun {
  readonly parameters: readonly string[];
  readonly reference: Reference;
  /** Length of a process that trains from the start to the end. */
  readonly fullRun: ProcessLength;
  /** Length of a process that resumes a finished run, without any training. */
  readonly emptyResume: ProcessLength;
}

export interface Kill {
  /** Time of the kill as a fraction of the expected length of the process, from 0 to 1. */
  readonly position: number;
  /** Stage of the run in the folder after the kill. */
  readonly stage: Stage;
  readonly iteration: number;
}

export interface Trial {
  readonly name: string;
  readonly kills: readonly Kill[];
  readonly resumed: number;
  readonly startedAgain: number;
  /** For a design: strings that an uninterrupted one would have scored, too. */
  readonly missing?: number;
  /** Empty if the trial succeeded. */
  readonly problems: readonly string[];
}

export interface TrialContext {
  readonly compiled: Compiled;
  /** Folder of the runs. Failed runs are not deleted. */
  readonly folder: string;
  readonly timeoutSeconds: number;
}

/**
 * Returns a function that gives the run of a trial; the runs alternate. Each run is measured once, when it is first
 * used.
 */
export function trialRuns(iterations: number, context: TrialContext): (trial: number) => Promise<TrialRun> {
  const measured = new Map<number, Promise<TrialRun>>();
  return (trial) => {
    const number = trial % RUNS.length;
    const run =
      measured.get(number) ??
      measureTrialRun([...RUNS[number], "--iterations", `${iterations}`], `reference-${number}`, context);
    measured.set(number, run);
    return run;
  };
}

/** Executes a run without interruption, then resumes it once more, and measures both processes. */
async function measureTrialRun(
  parameters: readonly string[],
  name: string,
  { compiled, folder, timeoutSeconds }: TrialContext,
): Promise<TrialRun> {
  const path = join(folder, name);
  await rm(path, { recursive: true, force: true });
  const countFile = `${path}.count`;
  const measured = async (...asked: string[]): Promise<ProcessLength> => {
    const result = await runCommandLine({ compiled, parameters: asked, countFile, timeoutSeconds });
    const problem = processProblem(result, timeoutSeconds);
    if (problem) throw new Error(`crash: ${asked.join(" ")}: ${problem}`);
    return { moment: result.milliseconds, operation: Number(await readFile(countFile, "utf8")) };
  };
  const whole = await measured("train", ...parameters, "--out", path, "--quiet");
  const reference = await referenceOf(path);
  const least = await measured("train", "--resume", path, "--quiet");
  return { parameters, reference, fullRun: whole, emptyResume: least };
}

const MAX_KILLS = 5;

/**
 * For each process that is killed, the fraction of its expected length at which it is killed. One more process follows,
 * which is not killed.
 */
export function killPositions(name: string, number: number): number[] {
  const stream = RandomStream.fromSeed(number).split(name);
  return Array.from({ length: 1 + stream.integer(MAX_KILLS) }, () => stream.uniform());
}

/** Executes a run that is killed and resumed until it is finished. */
export async function runTrial(
  mode: KillMode,
  number: number,
  run: TrialRun,
  { compiled, folder, timeoutSeconds }: TrialContext,
): Promise<Trial> {
  const path = join(folder, `${mode}-${number}`);
  await rm(path, { recursive: true, force: true });
  const kills: Kill[] = [];
  const begun = { resumed: 0, startedAgain: 0 };
  let finding: Finding | undefined;
  const trial = (problems: readonly string[] = []): Trial => ({
    name: `${mode} ${number}`,
    kills,
    ...begun,
    problems: problems.map((problem) => `after kill ${kills.length}: ${problem}`),
  });

  for (const position of [...killPositions(mode, number), undefined]) {
    const resumes = existsSync(join(path, RUN_FILES.config));
    if (finding) begun[resumes ? "resumed" : "startedAgain"]++;
    const result = await runCommandLine({
      compiled,
      parameters: resumes
        ? ["train", "--resume", path, "--quiet"]
        : ["train", ...run.parameters, "--out", path, "--quiet"],
      kill:
        position === undefined
          ? undefined
          : killPoint(
              mode,
              position,
              { ...run, iterations: run.reference.iterations },
              finding?.iteration ?? null,
            ),
      timeoutSeconds,
    });
    finding = await inspect(path, run.reference, finding);
    const { stage, iteration, problems } = finding;
    const killed = result.ended === "killed";
    if (killed) kills.push({ position: position as number, stage, iteration });
    if (problems.length > 0) return trial(problems);
    if (killed) continue;
    const problem = processProblem(result, timeoutSeconds);
    if (problem) return trial([problem]);
    break;
  }
  const problems = await compareFinished(path, run.reference);
  if (problems.length === 0) await rm(path, { recursive: true, force: true });
  return trial(problems);
}

/**
 * The point of a kill at a fraction of the expected length of a process that starts at this iteration (null for a new
 * run).
 */
export function killPoint(
  mode: KillMode,
  position: number,
  run: Pick<TrialRun, "fullRun" | "emptyResume"> & { readonly iterations: number },
  iteration: number | null,
): KillPoint {
  const { fullRun, emptyResume, iterations } = run;
  const left = 1 - (iteration ?? 0) / iterations;
  const length = emptyResume[mode] + left * (fullRun[mode] - emptyResume[mode]);
  return mode === "moment"
    ? { mode, milliseconds: position * length }
    : { mode, operation: operationAt(position, Math.round(length)) };
}

/**
 * Number of disk operations at the start and at the end of a process, which create and close a run. The operations
 * between them write checkpoints.
 */
const EDGE_OPERATIONS = 24;

/**
 * Number of a disk operation, from 1 to `count`. A quarter of the kills is among the first `EDGE_OPERATIONS`, and
 * another quarter among the last.
 */
export function operationAt(position: number, count: number): number {
  const edge = Math.min(EDGE_OPERATIONS, count >> 1);
  if (position < 0.25) return 1 + Math.floor(4 * position * edge);
  if (position >= 0.75) return 1 + count - edge + Math.floor(4 * (position - 0.75) * edge);
  return 1 + edge + Math.floor(2 * (position - 0.25) * (count - 2 * edge));
}

/** What is wrong with the end of a process that was not killed; undefined if nothing is. */
export function processProblem(
  { ended, exitCode, stderrLine }: ProcessResult,
  timeoutSeconds: number,
): string | undefined {
  if (ended === "timeout") return `the process did not end within ${timeoutSeconds} s`;
  if (exitCode !== 0) return `the process ended with exit code ${exitCode}: ${stderrLine}`;
  return stderrLine === "" ? undefined : `the process wrote to standard error: ${stderrLine}`;
}
