// Interleaved measurement in fresh processes.
//
// Contenders of a contest run one after the other within a round, in reversed order in every second round, so that
// drift of the machine favours nobody. Rounds are the outer loop: a disturbance spoils one round of some contests,
// not all rounds of one.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A process that prints one JSON object as its last line. */
export interface Command {
  readonly file: string;
  readonly parameters: readonly string[];
  /** Threads that numeric libraries in the process may use. */
  readonly threads: number;
}

export interface Contender {
  readonly name: string;
  readonly command: Command;
}

/** Things measured side by side. */
export interface Contest {
  readonly name: string;
  readonly contenders: readonly Contender[];
  /** Fewer rounds than the rest, for slow contests. */
  readonly maxRounds?: number;
  /** A sample in a few words, for progress. */
  describe(sample: Sample): string;
}

/** Numbers that a process printed. */
export type Sample = Readonly<Record<string, number>>;

/** One process run of the schedule. */
export interface Turn {
  /** Counted from 0. */
  readonly round: number;
  readonly contest: Contest;
  readonly contender: Contender;
}

/** Samples in order of rounds. */
export type Results = (contest: string, contender: string) => readonly Sample[];

/** All turns in the order in which they run. */
export function schedule(contests: readonly Contest[], rounds: number): Turn[] {
  return Array.from({ length: rounds }, (_, round) =>
    contests
      .filter(({ maxRounds = rounds }) => round < maxRounds)
      .flatMap((contest) => {
        const order = round % 2 === 0 ? contest.contenders : contest.contenders.toReversed();
        return order.map((contender) => ({ round, contest, contender }));
      }),
  ).flat();
}

/** Runs the turns one after the other and says after each what came out and how long the rest will take. */
export async function measure(
  turns: readonly Turn[],
  say: (line: string) => void,
  run: (command: Command) => Promise<Sample> = runProcess,
): Promise<Results> {
  const samples = new Map<string, Sample[]>();
  const durations = new Map<string, number>();
  for (const [i, turn] of turns.entries()) {
    const key = keyOf(turn.contest.name, turn.contender.name);
    const started = performance.now();
    const sample = await run(turn.contender.command);
    durations.set(key, (performance.now() - started) / 1000);
    samples.set(key, [...(samples.get(key) ?? []), sample]);
    const what = `${turn.contest.name} | ${turn.contender.name}: ${turn.contest.describe(sample)}`;
    const left = formatDuration(secondsLeft(turns.slice(i + 1), durations));
    say(`[${i + 1}/${turns.length}] round ${turn.round + 1} | ${what} | ${left} left`);
  }
  return (contest, contender) => samples.get(keyOf(contest, contender)) ?? [];
}

/** Expected time of the turns: what the same process took last, or the mean of those seen so far. */
function secondsLeft(turns: readonly Turn[], durations: ReadonlyMap<string, number>): number {
  const seen = [...durations.values()];
  const mean = seen.reduce((sum, seconds) => sum + seconds, 0) / seen.length;
  return turns.reduce(
    (sum, { contest, contender }) => sum + (durations.get(keyOf(contest.name, contender.name)) ?? mean),
    0,
  );
}

/** `45 s`, `2 min 5 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONGEST_SECONDS = 900;
const THREAD_VARIABLES = [
  "OMP_NUM_THREADS",
  "MKL_NUM_THREADS",
  "OPENBLAS_NUM_THREADS",
  "NUMEXPR_NUM_THREADS",
];

/** Starts a fresh process and reads the numbers in its last line. */
export async function runProcess(command: Command): Promise<Sample> {
  return numbersIn(await outputOf(command));
}

/** What a fresh process prints. Throws with what it says if it fails. */
export async function outputOf({ file, parameters, threads }: Command): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, parameters, {
      cwd: ROOT,
      env: environmentFor(threads),
      timeout: LONGEST_SECONDS * 1000,
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${parameters.join(" ")}: ${reason(stderr) ?? message}`, { cause: error });
  }
}

/** The environment of a process whose numeric libraries may use so many threads. */
export function environmentFor(threads: number): NodeJS.ProcessEnv {
  return { ...process.env, ...Object.fromEntries(THREAD_VARIABLES.map((name) => [name, String(threads)])) };
}

/** The line of a failed process that says why, in Node and in Python. */
export function reason(stderr = ""): string | undefined {
  return stderr
    .split("\n")
    .findLast((line) => /^\w*Error\b/.test(line))
    ?.trim();
}

/** The numeric fields of the JSON object in the last line of a text. */
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
