// Measures contenders in fresh processes, in interleaved order.
//
// Within a round the contenders of a contest run one after the other, in reversed order in every second round, so that
// drift of the machine favours no contender. Rounds are the outer loop: a disturbance affects one round of a few
// contests instead of all rounds of one contest. A round of a contest during which other processes were busy is measured
// again (quiet-rounds.ts).

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { watchForeignLoad } from "./foreign-load.ts";
import { type Disturbance, quietRounds } from "./quiet-rounds.ts";

/** Command of a process that prints one JSON object as its last line. */
export interface Command {
  readonly file: string;
  readonly parameters: readonly string[];
  /** Number of threads for the numeric libraries of the process. */
  readonly threads: number;
  /** Optional. The folder in which it starts. Default: this repository. */
  readonly folder?: string;
  /** Optional. Default: 900. */
  readonly timeoutSeconds?: number;
}

export interface Contender {
  readonly name: string;
  readonly command: Command;
}

/** Contenders that do the same work and are compared with each other. */
export interface Contest {
  readonly name: string;
  readonly contenders: readonly Contender[];
  /** Optional. Maximum number of rounds, for slow contests. */
  readonly maxRounds?: number;
  /** A short description of a sample for progress messages. */
  describe(sample: Sample): string;
}

/** The numbers that a process printed. */
export type Sample = Readonly<Record<string, number>>;

/** One round of a contest: each contender runs once. */
export interface ContestRound {
  /** Counted from 0. */
  readonly round: number;
  readonly contest: Contest;
  /** All contenders of the contest in their order of execution. */
  readonly contenders: readonly Contender[];
}

/** Looks up the samples of a contender, ordered by round. */
export type Results = (contest: string, contender: string) => readonly Sample[];

/** The samples of all rounds, and how quiet the machine was. */
export interface Measured {
  readonly results: Results;
  disturbance(contest: string): Disturbance;
}

/** What `measure` uses of the system. Tests replace it. */
export interface MeasureOptions {
  readonly run?: (command: Command) => Promise<Sample>;
  readonly watch?: typeof watchForeignLoad;
}

/** The rounds of all contests in their order of execution. */
export function interleavedRounds(contests: readonly Contest[], rounds: number): ContestRound[] {
  return Array.from({ length: rounds }, (_, round) =>
    contests
      .filter(({ maxRounds = rounds }) => round < maxRounds)
      .map((contest) => ({
        round,
        contest,
        contenders: round % 2 === 0 ? contest.contenders : contest.contenders.toReversed(),
      })),
  ).flat();
}

/** Measures the rounds one after the other. After each process, `say` prints its result and the estimated time left. */
export async function measure(
  rounds: readonly ContestRound[],
  say: (line: string) => void,
  { run = runProcess, watch }: MeasureOptions = {},
): Promise<Measured> {
  const samples = new Map<string, Sample[]>();
  const durations = new Map<string, number>();
  const quiet = quietRounds(rounds.length, say, watch);
  const turns = rounds.flatMap(({ contest, contenders }) =>
    contenders.map(({ name }) => keyOf(contest.name, name)),
  );
  let done = 0;
  for (const { round, contest, contenders } of rounds) {
    const measured = await quiet.measure(contest.name, async () => {
      const sampled: [key: string, sample: Sample][] = [];
      for (const { name, command } of contenders) {
        const key = keyOf(contest.name, name);
        const started = performance.now();
        const sample = await run(command);
        durations.set(key, (performance.now() - started) / 1000);
        sampled.push([key, sample]);
        const turn = done + sampled.length;
        const result = `${contest.name} | ${name}: ${contest.describe(sample)}`;
        const left = formatDuration(secondsLeft(turns.slice(turn), durations));
        say(`[${turn}/${turns.length}] round ${round + 1} | ${result} | ${left} left`);
      }
      return sampled;
    });
    for (const [key, sample] of measured) samples.set(key, [...(samples.get(key) ?? []), sample]);
    done += contenders.length;
  }
  return {
    results: (contest, contender) => samples.get(keyOf(contest, contender)) ?? [],
    disturbance: quiet.disturbance,
  };
}

/** Estimated duration of the turns of these contenders: the last duration of each, or the mean of all durations so far. */
function secondsLeft(turns: readonly string[], durations: ReadonlyMap<string, number>): number {
  const seen = [...durations.values()];
  const mean = seen.reduce((sum, seconds) => sum + seconds, 0) / seen.length;
  return turns.reduce((sum, key) => sum + (durations.get(key) ?? mean), 0);
}

/** `45 s`, `2 min 5 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TIMEOUT_SECONDS = 900;
const THREAD_VARIABLES = [
  "OMP_NUM_THREADS",
  "MKL_NUM_THREADS",
  "OPENBLAS_NUM_THREADS",
  "NUMEXPR_NUM_THREADS",
];

/** Starts a process and parses the numbers in its last line. */
export async function runProcess(command: Command): Promise<Sample> {
  return numbersIn(await outputOf(command));
}

/** Starts a process and returns its standard output. If it fails, throws an error with its error message. */
export async function outputOf({
  file,
  parameters,
  threads,
  folder = ROOT,
  timeoutSeconds = TIMEOUT_SECONDS,
}: Command): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, parameters, {
      cwd: folder,
      env: environmentFor(threads),
      timeout: timeoutSeconds * 1000,
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${parameters.join(" ")}: ${errorLine(stderr) ?? message}`, { cause: error });
  }
}

/** Environment variables that limit numeric libraries to this number of threads. */
export function environmentFor(threads: number): NodeJS.ProcessEnv {
  return { ...process.env, ...Object.fromEntries(THREAD_VARIABLES.map((name) => [name, String(threads)])) };
}

/** The last line of `stderr` that starts with the name of an error, as Node and Python print it. */
export function errorLine(stderr = ""): string | undefined {
  return stderr
    .split("\n")
    .findLast((line) => /^\w*Error\b/.test(line))
    ?.trim();
}

/** The numeric fields of the JSON object in the last line of the text. */
export function numbersIn(text: string): Sample {
  const last = text.trim().split("\n").at(-1) ?? "";
  const fields = Object.entries(JSON.parse(last) as Record<string, unknown>);
  return Object.fromEntries(
    fields.filter((field): field is [string, number] => typeof field[1] === "number"),
  );
}

function keyOf(contest: string, contender: string): string {
  return JSON.stringify([contest, contender]);
}
