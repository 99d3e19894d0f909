// The fuzz benchmark: the program must process any input, or refuse it with one clear sentence.

import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type AnyRow, type Benchmark, type Table, UsageError } from "../benchmark.ts";
import { formatDuration } from "../harness.ts";
import { packageVersion } from "../machine.ts";
import { type CaseKind, CONFIG_KINDS, FILE_KINDS, type FuzzCase, type Outcome } from "./fuzzer.ts";
import { runCases } from "./pool.ts";

const BENCH = "fuzz";
const OUTPUT = fileURLToPath(new URL("../output/fuzz", import.meta.url));

const SETTINGS: Readonly<Record<CaseKind, string>> = {
  object: "random config, as an object",
  text: "random config, as a file",
  flags: "random config, as flags",
  table: "damaged table of tfbind8",
  json: "damaged config.json",
  checkpoint: "damaged checkpoint.safetensors",
  metrics: "damaged metrics.jsonl",
};

/** The results of all cases of one kind. */
export interface FuzzRow extends AnyRow {
  readonly cases: number;
  readonly counts: Readonly<Record<Outcome["kind"], number>>;
  /** Each failed case, as `name: problem`. */
  readonly failures: readonly string[];
}

const countColumn = (kind: Outcome["kind"], heading: string = kind) => ({
  heading,
  numeric: true,
  cell: ({ counts }: FuzzRow) => String(counts[kind]),
});

export const TABLE: Table<FuzzRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "cases", numeric: true, cell: ({ cases }) => String(cases) },
    countColumn("worked"),
    countColumn("large", "accepted, too large to try"),
    countColumn("diverged", "loss not finite, reported"),
    countColumn("refused"),
    countColumn("failed"),
    {
      heading: "which",
      cell: ({ failures }) => failures.map((failure) => failure.split(":")[0]).join(", "),
    },
  ],
  budget: ({ rounds, seconds }) =>
    `${rounds} random configs and ${rounds} damaged files, at most ${seconds} s each`,
  legend: [
    "Every case goes through the entry points of the command line, in supervised processes. `worked`: configs trained",
    "for a few iterations with finite numbers only, files were read and training continued from them. `refused`: an error",
    "class of this library with a message of one sentence, without internals such as stack traces. `failed`: any other error,",
    "an unreported NaN, a hang or a crash.",
  ],
};

export const fuzz: Benchmark<FuzzRow> = {
  name: BENCH,
  summary: "random configs and damaged files: each must work or be refused with one clear sentence",
  full: { rounds: 2000, seconds: 60 },
  quick: { rounds: 100, seconds: 60 },
  help: {
    quick: "100 configs and 100 files",
    rounds: "number of configs, and of files (default 2000)",
    seconds: "timeout of a case in seconds (default 60)",
    only: "only cases that match, such as '^table 17$'",
    jobs: "number of parallel processes (default 1)",
  },
  table: TABLE,
  recordProblem({ rounds }) {
    return rounds < fuzz.full.rounds
      ? "--record needs a complete result: omit --quick and --rounds below the default."
      : undefined;
  },
  async run({ rounds, seconds, only, jobs = 1 }, say) {
    const cases = casesOf(rounds, only);
    if (cases.length === 0) {
      throw new UsageError(
        `--only ${only?.source} matches no case; names of cases: ${examples()}, and so on.`,
      );
    }
    const rows = await fuzzRows({ cases, jobs, timeoutSeconds: seconds, folder: OUTPUT, say });
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

export interface FuzzOptions {
  readonly cases: readonly FuzzCase[];
  readonly jobs: number;
  readonly timeoutSeconds: number;
  readonly folder: string;
  say(line: string): void;
}

/** `count` configs and `count` files, alternating between kinds. With `only`, just the cases whose names match. */
export function casesOf(count: number, only?: RegExp): FuzzCase[] {
  const inTurn = (kinds: readonly CaseKind[]) =>
    Array.from({ length: count }, (_, i) => ({
      kind: kinds[i % kinds.length],
      seed: Math.floor(i / kinds.length),
    }));
  const cases = [...inTurn(CONFIG_KINDS), ...inTurn(FILE_KINDS)];
  return only ? cases.filter((each) => only.test(nameOf(each))) : cases;
}

/** Runs the cases and counts the outcomes. Inputs of failed cases stay in the folder. */
export async function fuzzRows({
  cases,
  jobs,
  timeoutSeconds,
  folder,
  say,
}: FuzzOptions): Promise<FuzzRow[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const started = performance.now();
  let done = 0;
  const outcomes = await runCases(cases, {
    jobs,
    timeoutSeconds,
    folder,
    onOutcome(each, outcome) {
      done++;
      if (outcome.kind === "failed") say(`FAILED ${nameOf(each)}: ${outcome.problem}`);
      else if (cases.length === 1) say(`${outcome.kind}: ${"message" in outcome ? outcome.message : ""}`);
      if (done % 100 > 0) return;
      const left = ((performance.now() - started) / 1000 / done) * (cases.length - done);
      say(`[${done}/${cases.length}] ${nameOf(each)} | ${formatDuration(left)} left`);
    },
  });
  const kinds = [...new Set(cases.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const results = cases.flatMap((each, i) =>
      each.kind === kind ? [{ name: nameOf(each), outcome: outcomes[i] }] : [],
    );
    const count = (outcomeKind: Outcome["kind"]) =>
      results.filter(({ outcome }) => outcome.kind === outcomeKind).length;
    return {
      bench: BENCH,
      setting: SETTINGS[kind],
      cases: results.length,
      counts: {
        worked: count("worked"),
        large: count("large"),
        diverged: count("diverged"),
        refused: count("refused"),
        failed: count("failed"),
      },
      failures: results.flatMap(({ name, outcome }) =>
        outcome.kind === "failed" ? [`${name}: ${outcome.problem}`] : [],
      ),
    };
  });
}

export function nameOf({ kind, seed }: FuzzCase): string {
  return `${kind} ${seed}`;
}

function examples(): string {
  return [...CONFIG_KINDS, ...FILE_KINDS].map((kind) => nameOf({ kind, seed: 0 })).join(", ");
}
