// `gflownet design`: designs strings for a problem file: with an oracle, or round by round with a laboratory.

import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { CandidateRow } from "../../design/candidate-files.ts";
import { DESIGN_FILES } from "../../design/design-folder.ts";
import { problemEnvironment } from "../../design/design-parts.ts";
import { type DesignRun, DesignStopped, runDesign, shapingOf } from "../../design/design-run.ts";
import { executorOracle } from "../../design/executor-oracle.ts";
import {
  candidateRows,
  designPage,
  expectedScoresText,
  runPareto,
  writeCandidates,
} from "../../design/finish-design.ts";
import { type IllegalShare, illegalShare, illegalShareText } from "../../design/illegal-share.ts";
import { type ParetoFront, paretoText } from "../../design/pareto.ts";
import { problemLandscape } from "../../design/problem-oracle.ts";
import { rewardFile, writeReward } from "../../design/reward-file.ts";
import { roundsText } from "../../design/rounds/round-text.ts";
import { planRounds } from "../../design/rounds/rounds-plan.ts";
import { readRegularFile } from "../../disk/regular-file.ts";
import type { EngineName } from "../../engine/index.ts";
import { fileProblem, type Issue, shortLine, translateNames, UserError } from "../../issues.ts";
import { effectiveSampleSize } from "../../math/effective-sample-size.ts";
import type { Oracle } from "../../oracle/oracle.ts";
import { permissions } from "../../problem/permissions.ts";
import type { Problem } from "../../problem/problem.ts";
import { parseProblemText } from "../../problem/read-problem.ts";
import type { AcquisitionName } from "../../proxy/acquisition-names.ts";
import { formatCount, formatCountOf, formatNumber, textTable } from "../../report/text-format.ts";
import { commandLine } from "../command-name.ts";
import { kebab } from "../config-flags.ts";
import { callsText, DesignDisplay } from "../design-display.ts";
import { executorOf } from "../executor.ts";
import { printJson } from "../output.ts";
import { shellPath, shortPath } from "../paths.ts";
import { Stop } from "../stop.ts";
import { writeReport } from "../write-report.ts";
import { designRounds } from "./design-rounds.ts";

export interface DesignCommand {
  readonly budget?: number;
  /** Folder of the design or, with `propose`, the file of the plate. */
  readonly out?: string;
  /** Folder of the design for rounds with a laboratory. */
  readonly folder?: string;
  readonly allowExec?: boolean;
  readonly allowNet?: readonly string[];
  /** Files outside the folder of the problem file that it may name. */
  readonly allowFile?: readonly string[];
  /** Whether strings that failed before are sent again. */
  readonly retryFailed?: boolean;
  readonly candidates: number;
  readonly radius: number;
  readonly iterations?: number;
  readonly seconds?: number;
  readonly seed?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
  /** The queue whose workers score the strings. */
  readonly queue?: string;
  /** Batches on the queue at a time. */
  readonly jobs?: number;
  /** Rounds of active learning, and strings of each. */
  readonly rounds?: number;
  readonly batch?: number;
  readonly acquisition: AcquisitionName;
  readonly propose?: number;
  readonly tell?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Calls of an oracle if neither the flag nor the problem says how many. */
const DEFAULT_BUDGET = 10_000;
/** Batches on a queue at a time. */
const DEFAULT_JOBS = 8;
/** Bytes of a problem file. */
const LARGEST = 2 ** 20;
/** Candidates that the last table shows. */
const SHOWN = 10;

/** A problem file. */
export interface ProblemInput {
  readonly problem: Problem;
  readonly text: string;
  /** Name of the problem: that of its file. */
  readonly name: string;
}

export async function design(file: string, command: DesignCommand): Promise<void> {
  const input = await readInput(file, command);
  if (command.propose !== undefined || command.tell !== undefined) return designRounds(file, input, command);
  if (input.problem.oracle === null) {
    throw new UserError(
      "the problem has no oracle; propose strings to measure with --propose N, and tell the results with --tell FILE",
    );
  }
  const { budget, rounds } = planRounds(command, input.problem.budget ?? DEFAULT_BUDGET);
  const folder = resolve(command.out ?? (await nextFolder(input.name)));
  // Before signals are handled: constraints may take many seconds to compile, and Ctrl-C ends the process meanwhile.
  const environment = problemEnvironment(input.problem, await problemLandscape(input.problem));
  const stop = new Stop();
  const remote =
    command.queue === undefined ? null : await queueOracle(file, input, command.queue, command.jobs);
  await stop.whileListening(async () => {
    const display = new DesignDisplay(command, input.problem, budget);
    const options = { ...command, folder, budget, input, file };
    const calls = (count: number) => {
      if (!command.json && !command.quiet) process.stdout.write(`${callsText(count, budget)}\n`);
    };
    let made: number | null = null;
    const run = await runDesign({
      problem: input.problem,
      problemText: input.text,
      ...{ folder, environment, budget },
      ...{ retryFailed: command.retryFailed, iterations: command.iterations, seconds: command.seconds },
      ...(rounds && { rounds: { ...rounds, acquisition: command.acquisition } }),
      ...{ engine: command.engine, threads: command.threads, signal: stop.signal },
      ...(remote && { oracle: remote.oracle }),
      onEvent: (event) => display.handle(event),
    })
      .catch((error: unknown) => {
        if (!(error instanceof DesignStopped)) throw error;
        made = error.calls;
        return null;
      })
      .finally(async () => {
        display.clear();
        await remote?.close();
      });
    if (run) {
      await finish(run, options);
      made = run.calls;
    }
    if (!run || run.stopped) {
      process.stderr.write(
        `gflownet: stopped; all scores are kept; continue with: ${sameCommand(options)}\n`,
      );
      process.exitCode = stop.reason?.exitCode;
    }
    // The last line in every case.
    if (made !== null) calls(made);
  });
}

async function readInput(file: string, command: DesignCommand): Promise<ProblemInput> {
  const text = String(
    await readRegularFile(file, LARGEST).catch((error: unknown) => {
      if (error instanceof UserError) throw error;
      throw new UserError(`${file} cannot be read: ${fileProblem(error)}`, { cause: error });
    }),
  );
  const { problem, notes } = await parseProblemText(text, {
    source: file,
    folder: dirname(resolve(file)),
    files: command.allowFile,
  });
  // With a queue, workers run the oracle, and their own command lines allow it.
  const { issues, lines } =
    command.queue === undefined ? permissions(problem, command) : { issues: [], lines: [] };
  if (issues.length > 0) throw new UserError(issues.map(withFlags), { source: file });
  if (!command.quiet) {
    for (const line of [...notes, ...lines]) process.stderr.write(`gflownet: ${line}\n`);
  }
  const seed = command.seed ?? problem.seed;
  return { problem: { ...problem, seed }, text, name: basename(file, extname(file)) };
}

/** The oracle of a problem file, run by the workers of a queue that allow this file. */
async function queueOracle(
  file: string,
  { problem, text }: ProblemInput,
  queue: string,
  jobs = DEFAULT_JOBS,
): Promise<{ readonly oracle: Oracle; close(): Promise<void> }> {
  const hash = createHash("sha256").update(text).digest("hex");
  const executor = await executorOf({ queue, jobs });
  const oracle = executorOracle({
    executor,
    problem: hash,
    label: `the oracle of ${basename(file)} on a queue`,
    version: problem.oracle?.version ?? `problem ${hash}`,
    concurrency: jobs,
  });
  return { oracle, close: () => executor.close() };
}

/** The issue of a permission, which names the flag that gives it. */
function withFlags({ message, ...issue }: Issue): Issue {
  return { ...issue, message: translateNames(message, (name) => `--${kebab(name)}`) };
}

/** The first free folder in `designs`. */
async function nextFolder(name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = join("designs", `${name}-${number}`);
    if (!(await exists(folder))) return folder;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

interface Finish extends DesignCommand {
  readonly folder: string;
  readonly file: string;
  readonly budget: number;
  readonly input: ProblemInput;
}

/** The command that continues a design. */
function sameCommand({ file, folder, budget, ...command }: Finish): string {
  const { iterations, seconds, seed, candidates, radius, engine, threads, allowNet, allowFile } = command;
  const { queue, jobs } = command;
  const { rounds, batch } = command;
  const acquisition = rounds === undefined && batch === undefined ? undefined : command.acquisition;
  const numbers = {
    ...{ budget, rounds, batch, acquisition, iterations, seconds, seed, candidates, radius },
    ...{ engine, threads, queue, jobs },
  };
  return commandLine(
    ...["design", shellPath(file), "--out", shellPath(shortPath(folder))],
    ...Object.entries(numbers).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    ),
    ...(command.allowExec ? ["--allow-exec"] : []),
    ...(allowNet ? ["--allow-net", allowNet.join(",")] : []),
    ...(allowFile ? ["--allow-file", shellPath(allowFile.join(","))] : []),
  );
}

async function finish(run: DesignRun, options: Finish): Promise<void> {
  const { folder, budget, input, candidates, radius } = options;
  const { problem, name } = input;
  try {
    const rows = await candidateRows(run, { problem, candidates, radius });
    const pareto = runPareto(run, problem);
    const page = designPage(name, run, rows, { problem, candidates, radius, budget, pareto });
    const written = await writeCandidates(folder, rows, page, { objectives: problem.objectives, pareto });
    await writeReward(folder, rewardFile(run.reward, shapingOf(problem), problem));
    const illegal = await illegalShare(run.trained, run.environment, run.rewards);
    // A design that is stopped ends soon; `gflownet report` makes its report.
    if (!run.stopped) await writeReport([folder], join(folder, DESIGN_FILES.report));
    const files = run.stopped ? written : [...written, DESIGN_FILES.report];
    if (options.json) {
      const { exponent, scale } = run.reward;
      const counts = { calls: run.calls, budget, scored: run.scored.length, failed: run.failed.length };
      const result = { folder, ...counts, exponent, scale };
      const counted = { stopped: run.stopped, candidates: rows.length, files };
      const front = pareto && { ...pareto, front: pareto.front.length };
      printJson({
        ...{ kind: "design", ...result, ...counted },
        ...(illegal && { illegal }),
        ...(front && { pareto: front }),
      });
    } else if (!options.quiet) print(run, rows, { illegal, pareto }, options);
  } finally {
    await run.trained.dispose();
  }
}

/** If most scored strings are about equally good to the reward, the policy has little reason to prefer the best. */
function flatRewardHint({ reward, scored, expected }: DesignRun): string {
  if (reward.chosen || expected || scored.length < SHOWN) return "";
  const effective = effectiveSampleSize(Float64Array.from(scored, ({ score }) => reward.logReward(score)));
  if (effective <= scored.length / 2) return "";
  return ` The target spreads over ${formatCount(Math.round(effective))} of ${formatCount(scored.length)} scored strings; \`reward: { exponent: auto }\` in the problem file prefers the best.`;
}

/** Equal weights that sum to 1, as an example of a preference. */
function equalWeights(count: number): string {
  const weight = Math.floor(100 / count) / 100;
  const first = Math.round(100 * (1 - weight * (count - 1))) / 100;
  return [first, ...new Array<number>(count - 1).fill(weight)].join(",");
}

function print(
  run: DesignRun,
  rows: readonly CandidateRow[],
  { illegal, pareto }: { readonly illegal: IllegalShare | null; readonly pareto: ParetoFront | null },
  { folder, input: { problem } }: Finish,
): void {
  const { objectives = [] } = problem;
  const shown = rows.slice(0, SHOWN);
  const expected = expectedScoresText(rows);
  const table = textTable([
    [
      ...["rank", "string", "score"],
      ...(expected ? ["expected score"] : []),
      ...objectives.map(({ name }) => name),
      ...["log P", "circle", "distance to known"],
    ],
    ...shown.map((row) => [
      String(row.rank),
      row.string,
      formatNumber(row.score),
      ...(expected ? [row.expectedScore === null ? "" : formatNumber(row.expectedScore)] : []),
      ...objectives.map((_, i) => formatNumber(row.values?.[i] ?? Number.NaN)),
      row.logProbability === null ? "" : row.logProbability.toFixed(2),
      String(row.circle),
      row.distanceToKnown === null ? "" : String(row.distanceToKnown),
    ]),
  ]);
  const { exponent, scale, chosen } = run.reward;
  const circles = new Set(rows.map(({ circle }) => circle)).size;
  process.stdout.write(
    `\n${table}\n\n${formatCount(rows.length)} candidates in ${formatCount(circles)} circles are in ${shortPath(folder)}/candidates.csv${run.stopped ? "" : ", figures in report.html"}.\n`,
  );
  const how = chosen ? ` (chosen for ${formatCount(Math.round(chosen.effective))} effective strings)` : "";
  process.stdout.write(
    `Reward: score^${formatNumber(exponent)}${how}, scale ${scale}.${flatRewardHint(run)}\n`,
  );
  if (pareto) process.stdout.write(`${paretoText(pareto, objectives)}\n`);
  if (expected) process.stdout.write(`${expected}\n`);
  if (illegal) process.stdout.write(`${illegalShareText(illegal)}\n`);
  const preference = problem.preferences ? ["--preference", equalWeights(objectives.length)] : [];
  process.stdout.write(
    `Sample more with: ${commandLine("sample", shellPath(shortPath(folder)), "-n", "100", ...preference)}\n`,
  );
  if (run.failed.length > 0) {
    const [{ string, failure }] = run.failed;
    const count = formatCountOf(run.failed.length, "string");
    process.stdout.write(
      `${count} got no score (--retry-failed sends them again); for ${string}: ${shortLine(failure)}\n`,
    );
  }
  const rounds = roundsText(run.rounds, run.scored);
  if (rounds) process.stdout.write(`${rounds}\n`);
}
