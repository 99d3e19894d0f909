// One run that is killed several times on its way, and looked at after each time.

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { RandomStream } from "../../src/engine/index.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";
import { compareFinished, type Finding, inspect, type Reference, referenceOf, type Stage } from "./check.ts";
import { type Compiled, type Death, type Life, live } from "./process.ts";

export const WAYS = ["moment", "operation"] as const satisfies readonly Death["way"][];
export type Way = (typeof WAYS)[number];

const SMALL =
  "--hidden 8 --batch 8 --samples 50 --log-every 1 --checkpoint-every 50 --evaluate-every 100".split(" ");

/** Runs that are killed: small, and together with every part that a checkpoint may have. */
const RUNS: readonly (readonly string[])[] = [
  ["hypergrid", "--side", "4", ...SMALL],
  ["hypergrid", "--side", "4", "--objective", "stb", "--own-log-z", "--epsilon", "0.3:0", ...SMALL],
  [
    ...["bit-sequence", "--bits", "6", "--word", "2", "--modes", "3", ...SMALL],
    ...["--replay-share", "0.25", "--replay-capacity", "100", "--replay-priority", "1"],
    ...["--dynamics-replay-capacity", "60", "--dynamics-replay-episodes", "8"],
  ],
];

/** A process from its start to its end: in milliseconds, and in changes of the disk. */
type Length = Readonly<Record<Way, number>>;

/** A run to kill, and what it gives when it is left alone. */
export interface Subject {
  readonly parameters: readonly string[];
  readonly reference: Reference;
  /** Of a process that makes the whole run. */
  readonly whole: Length;
  /** Of one that opens a run with nothing left to train. */
  readonly least: Length;
}

export interface Kill {
  /** In the life of the process, from 0 to 1. */
  readonly when: number;
  /** What was there after it. */
  readonly stage: Stage;
  readonly iteration: number;
}

export interface Trial {
  readonly name: string;
  readonly kills: readonly Kill[];
  readonly resumed: number;
  readonly begunAnew: number;
  /** Empty if all went well. */
  readonly problems: readonly string[];
}

export interface Circumstances {
  readonly compiled: Compiled;
  /** Where runs are made; those with problems stay there. */
  readonly folder: string;
  readonly longestSeconds: number;
}

/** Subjects in turn, each made when it is first asked for. */
export function subjects(
  iterations: number,
  circumstances: Circumstances,
): (trial: number) => Promise<Subject> {
  const made = new Map<number, Promise<Subject>>();
  return (trial) => {
    const number = trial % RUNS.length;
    const subject =
      made.get(number) ??
      subjectOf([...RUNS[number], "--iterations", `${iterations}`], `reference-${number}`, circumstances);
    made.set(number, subject);
    return subject;
  };
}

/** Makes a run without interruption, and opens it once more. */
async function subjectOf(
  parameters: readonly string[],
  name: string,
  { compiled, folder, longestSeconds }: Circumstances,
): Promise<Subject> {
  const path = join(folder, name);
  await rm(path, { recursive: true, force: true });
  const countInto = `${path}.count`;
  const measured = async (...asked: string[]): Promise<Length> => {
    const life = await live({ compiled, parameters: asked, countInto, longestSeconds });
    const fault = faultOf(life, longestSeconds);
    if (fault) throw new Error(`crash: ${asked.join(" ")}: ${fault}`);
    return { moment: life.milliseconds, operation: Number(await readFile(countInto, "utf8")) };
  };
  const whole = await measured("train", ...parameters, "--out", path, "--quiet");
  const reference = await referenceOf(path);
  const least = await measured("train", "--resume", path, "--quiet");
  return { parameters, reference, whole, least };
}

const MOST_KILLS = 5;

/** Where the processes of a trial are killed; the last one is left alone. */
function killsOf(way: Way, number: number): number[] {
  const stream = RandomStream.fromSeed(number).split(way);
  return Array.from({ length: 1 + stream.integer(MOST_KILLS) }, () => stream.uniform());
}

/** Makes a run that is killed on the way, until it is done. */
export async function makeTrial(
  way: Way,
  number: number,
  subject: Subject,
  { compiled, folder, longestSeconds }: Circumstances,
): Promise<Trial> {
  const path = join(folder, `${way}-${number}`);
  await rm(path, { recursive: true, force: true });
  const kills: Kill[] = [];
  const begun = { resumed: 0, begunAnew: 0 };
  let finding: Finding | undefined;
  const trial = (problems: readonly string[] = []): Trial => ({
    name: `${way} ${number}`,
    kills,
    ...begun,
    problems: problems.map((problem) => `after kill ${kills.length}: ${problem}`),
  });

  for (const when of [...killsOf(way, number), undefined]) {
    const resumes = existsSync(join(path, RUN_FILES.config));
    if (finding) begun[resumes ? "resumed" : "begunAnew"]++;
    const life = await live({
      compiled,
      parameters: resumes
        ? ["train", "--resume", path, "--quiet"]
        : ["train", ...subject.parameters, "--out", path, "--quiet"],
      death: when === undefined ? undefined : deathOf(way, when, subject, finding?.iteration ?? null),
      longestSeconds,
    });
    finding = await inspect(path, subject.reference, finding);
    const { stage, iteration, problems } = finding;
    const killed = life.ended === "killed";
    if (killed) kills.push({ when: when as number, stage, iteration });
    if (problems.length > 0) return trial(problems);
    if (killed) continue;
    const fault = faultOf(life, longestSeconds);
    if (fault) return trial([fault]);
    break;
  }
  const problems = await compareFinished(path, subject.reference);
  if (problems.length === 0) await rm(path, { recursive: true, force: true });
  return trial(problems);
}

/** At a part of the life that a process is expected to have from this iteration on; null for one that has none yet. */
function deathOf(way: Way, when: number, subject: Subject, iteration: number | null): Death {
  const { whole, least, reference } = subject;
  const left = 1 - (iteration ?? 0) / reference.iterations;
  const life = least[way] + left * (whole[way] - least[way]);
  return way === "moment"
    ? { way, milliseconds: when * life }
    : { way, change: changeAt(when, Math.round(life)) };
}

/** Changes at either end of a process, which make and close a run. In between are checkpoints, all alike. */
const EDGE = 24;

/** A change out of `all`: each end gets a quarter of the kills. */
export function changeAt(when: number, all: number): number {
  const edge = Math.min(EDGE, all >> 1);
  if (when < 0.25) return 1 + Math.floor(4 * when * edge);
  if (when >= 0.75) return 1 + all - edge + Math.floor(4 * (when - 0.75) * edge);
  return 1 + edge + Math.floor(2 * (when - 0.25) * (all - 2 * edge));
}

function faultOf({ ended, exitCode, complaint }: Life, longestSeconds: number): string | undefined {
  if (ended === "too late") return `the process did not end within ${longestSeconds} s`;
  if (exitCode !== 0) return `the process ended with ${exitCode}: ${complaint}`;
  return complaint === "" ? undefined : `the process complained: ${complaint}`;
}
