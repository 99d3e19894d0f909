// The fuzz benchmark: whatever it is given, the program works, or refuses it in one clear sentence.

import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type AnyRow, type Benchmark, type Table, UsageError } from "../benchmark.ts";
import { formatDuration } from "../harness.ts";
import { packageVersion } from "../machine.ts";
import { type Case, type CaseKind, CONFIG_KINDS, FILE_KINDS, type Outcome } from "./case.ts";
import { tryAll } from "./pool.ts";

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

/** All cases of one kind. */
export interface FuzzRow extends AnyRow {
  readonly cases: number;
  readonly counts: Readonly<Record<Outcome["kind"], number>>;
  /** Names of the cases that failed, each with what happened. */
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
    countColumn("diverged", "loss not finite, and said so"),
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
    "Every case goes through the entry points of the command line, in processes that are watched. `worked`: configs trained",
    "a few iterations with finite numbers throughout, files were read, restored and gone on with. `refused`: an error of",
    "ours, one sentence without anything of the program's inside. Any other error, a silent NaN, a hang or a crash failed.",
  ],
};

export const fuzz: Benchmark<FuzzRow> = {
  name: BENCH,
  summary: "random configs and damaged files: each works, or is refused in one clear sentence",
  full: { rounds: 2000, seconds: 60 },
  quick: { rounds: 100, seconds: 60 },
  help: {
    quick: "100 configs and 100 files",
    rounds: "configs, and files as many (2000)",
    seconds: "a case that takes longer hangs (60)",
    only: "only cases that match, such as '^table 17$'",
    jobs: "processes side by side (1)",
  },
  table: TABLE,
  unrecordable({ rounds }) {
    return rounds < fuzz.full.rounds
      ? "--record keeps a whole result and does not go together with --quick or fewer --rounds."
      : undefined;
  },
  async run({ rounds, seconds, only, jobs = 1 }, say) {
    const cases = casesOf(rounds, only);
    if (cases.length === 0) {
      throw new UsageError(`--only ${only?.source} matches no case; cases are called: ${examples()}.`);
    }
    const rows = await fuzzRows({ cases, jobs, longestSeconds: seconds, folder: OUTPUT, say });
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

export interface FuzzOptions {
  readonly cases: readonly Case[];
  readonly jobs: number;
  readonly longestSeconds: number;
  readonly folder: string;
  say(line: string): void;
}

/** So many configs, and as many files, in turn of each kind; or those of them that match. */
export function casesOf(count: number, only?: RegExp): Case[] {
  const inTurn = (kinds: readonly CaseKind[]) =>
    Array.from({ length: count }, (_, i) => ({
      kind: kinds[i % kinds.length],
      seed: Math.floor(i / kinds.length),
    }));
  const cases = [...inTurn(CONFIG_KINDS), ...inTurn(FILE_KINDS)];
  return only ? cases.filter((each) => only.test(nameOf(each))) : cases;
}

/** Tries cases and counts what came of them. What failed stays in the folder. */
export async function fuzzRows({
  cases,
  jobs,
  longestSeconds,
  folder,
  say,
}: FuzzOptions): Promise<FuzzRow[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const started = performance.now();
  let done = 0;
  const outcomes = await tryAll(cases, {
    jobs,
    longestSeconds,
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
    const own = cases.flatMap((each, i) =>
      each.kind === kind ? [{ name: nameOf(each), outcome: outcomes[i] }] : [],
    );
    const count = (what: Outcome["kind"]) => own.filter(({ outcome }) => outcome.kind === what).length;
    return {
      bench: BENCH,
      setting: SETTINGS[kind],
      cases: own.length,
      counts: {
        worked: count("worked"),
        large: count("large"),
        diverged: count("diverged"),
        refused: count("refused"),
        failed: count("failed"),
      },
      failures: own.flatMap(({ name, outcome }) =>
        outcome.kind === "failed" ? [`${name}: ${outcome.problem}`] : [],
      ),
    };
  });
}

export function nameOf({ kind, seed }: Case): string {
  return `${kind} ${seed}`;
}

function examples(): string {
  return [...CONFIG_KINDS, ...FILE_KINDS].map((kind) => nameOf({ kind, seed: 0 })).join(", ");
}
