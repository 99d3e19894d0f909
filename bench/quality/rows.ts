// The rows of the quality benchmark: runs of all seeds put together, judged, and written as a table.

import type { AnyRow, Table } from "../benchmark.ts";
import { formatNumber } from "../report.ts";
import { median } from "../statistics.ts";
import { type Finding, inWords, judge } from "./requirements.ts";
import type { Setting } from "./settings.ts";
import type { Run } from "./store.ts";
import type { TrainingResult } from "./work.ts";

export const BENCH = "quality";

/** One setting. */
export interface QualityRow extends AnyRow {
  readonly seeds: readonly number[];
  /** Null for a timing. */
  readonly measured: Measured | null;
  /** The longest of the runs; of a timing, the median of its repeats. */
  readonly wallSeconds: number;
  readonly required: readonly string[];
  /** Null if nothing is required, or nothing was judged. */
  readonly met: boolean | null;
  /** The worst seed under each requirement; empty if nothing was judged. */
  readonly findings: readonly Finding[];
  /** Why requirements were not judged; null if they were, or if there are none. */
  readonly notJudged: string | null;
  readonly runs: readonly Run[];
}

/** Over seeds. */
export interface Measured {
  readonly tv: Spread;
  readonly limitTv: number;
  readonly kl: Spread;
  readonly limitKl: number;
  /** What total variation was predicted, where something was. */
  readonly predictedTv: number | null;
  /** Largest; null without a dynamics model. */
  readonly dynamicsKl: number | null;
  /** Of the largest size; null if none was reported. */
  readonly logZError: number | null;
  /** Null where a policy or the reward is constant. */
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly iterations: number;
  readonly memoryRows: number;
  readonly parameters: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** `judged`: whether the runs are what the requirements are about. */
export function rowOf(setting: Setting, runs: readonly Run[], judged: boolean): QualityRow {
  const results = runs.flatMap(({ result }) => (result.kind === "training" ? [result] : []));
  const findings = judged ? judge(setting.requirements, runs) : [];
  const reduced = runs.some(({ budget }) => budget !== null && budget < setting.seconds);
  return {
    bench: BENCH,
    setting: setting.name,
    seeds: runs.flatMap(({ seed }) => (seed === null ? [] : [seed])),
    measured: results.length > 0 ? measuredOf(results) : null,
    wallSeconds: Math.max(
      ...runs.map(({ result }) => (result.kind === "training" ? result.wallSeconds : result.seconds)),
    ),
    required: setting.requirements.map(inWords),
    met: findings.length > 0 ? findings.every(({ met }) => met) : null,
    findings,
    notJudged:
      judged || setting.requirements.length === 0
        ? null
        : reduced
          ? `not judged: ${runs[0].budget} s only`
          : "not judged",
    runs,
  };
}

function measuredOf(results: readonly TrainingResult[]): Measured {
  const [first] = results;
  const of = (read: (result: TrainingResult) => number) => results.map(read);
  /** The one of the largest size, nulls left out. */
  const largest = (values: readonly (number | null)[]) =>
    values.reduce((a, b) => (a === null || (b !== null && !(Math.abs(b) <= Math.abs(a))) ? b : a), null);
  const middle = (values: readonly (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length > 0 ? median(known) : null;
  };
  return {
    tv: spreadOf(of(({ reached }) => reached.tv)),
    limitTv: first.limit.tv,
    kl: spreadOf(of(({ reached }) => reached.kl)),
    limitKl: first.limit.kl,
    predictedTv: first.prediction?.tv ?? null,
    dynamicsKl: largest(results.map(({ reached }) => reached.dynamicsKl)),
    logZError: largest(results.map(({ reached }) => reached.logZError)),
    pearson: middle(results.map(({ reached }) => reached.pearson)),
    spearman: middle(results.map(({ reached }) => reached.spearman)),
    iterations: median(of(({ iterations }) => iterations)),
    memoryRows: first.memoryRows,
    parameters: first.parameters.policy + first.parameters.dynamics,
  };
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

const measuredColumn = (heading: string, cell: (measured: Measured) => string) => ({
  heading,
  numeric: true,
  cell: ({ measured }: QualityRow) => (measured ? cell(measured) : ""),
});

export const TABLE: Table<QualityRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "seeds", cell: ({ seeds }) => seeds.join(" ") },
    measuredColumn("TV", ({ tv, predictedTv }) =>
      predictedTv === null ? spread(tv) : `${spread(tv)}, predicted ${digits(predictedTv)}`,
    ),
    measuredColumn("limit TV", ({ limitTv }) => digits(limitTv)),
    measuredColumn("KL", ({ kl }) => spread(kl)),
    measuredColumn("limit KL", ({ limitKl }) => digits(limitKl)),
    measuredColumn("KL(K‖P̂)", ({ dynamicsKl }) => digits(dynamicsKl)),
    measuredColumn("log Z error", ({ logZError }) => digits(logZError)),
    measuredColumn(
      "Pearson / Spearman",
      ({ pearson, spearman }) => `${digits(pearson)} / ${digits(spearman)}`,
    ),
    measuredColumn("iterations", ({ iterations }) => iterations.toFixed(0)),
    measuredColumn("memory rows", ({ memoryRows }) => String(memoryRows)),
    measuredColumn("parameters", ({ parameters }) => String(parameters)),
    { heading: "wall s", numeric: true, cell: ({ wallSeconds }) => formatNumber(wallSeconds) },
    { heading: "required", cell: ({ required }) => required.join("; ") },
    { heading: "met", cell: verdict },
  ],
  budget(_, rows) {
    const runs = rows.flatMap((row) => row.runs);
    const jobs = distinct(runs.map((run) => run.jobs)).map(String);
    const days = distinct(runs.map(({ date }) => date.slice(0, 10)));
    const finished = days.length > 1 ? `; runs finished from ${days[0]} to ${days[days.length - 1]}` : "";
    const seeds = distinct(rows.flatMap((row) => row.seeds)).join(", ");
    return `seeds ${seeds}; processes side by side: ${jobs.join(" or ")}${finished}`;
  },
  legend: [
    "Every run is a process of its own with the default settings, the native engine and one thread; its time includes",
    "compiling and evaluating. Values are exact, by dynamic programming with the true kernel. TV and KL are medians over",
    "seeds, with the smallest and the largest in brackets; KL(K‖P̂), log Z error and wall seconds are the worst seed's,",
    "the rest are medians. The limit is the best that any policy can reach. `met` is judged on every seed and shows, for",
    "each requirement in turn, the worst one. Rows without a TV are timings: the median of repeats after one warm-up.",
  ],
};

/** `yes: 0.0312 (seed 1); 0.0021 (seed 0)`. */
function verdict({ met, findings, notJudged }: QualityRow): string {
  if (met === null) return notJudged ?? "";
  const worst = findings.map(
    ({ worst, seed, met }) =>
      `${met ? "" : "NOT "}${formatNumber(worst)}${seed === null ? "" : ` (seed ${seed})`}`,
  );
  return `${met ? "yes" : "no"}: ${worst.join("; ")}`;
}

function spread({ median, low, high }: Spread): string {
  return low === high ? digits(median) : `${digits(median)} (${digits(low)}-${digits(high)})`;
}

function digits(value: number | null): string {
  return value === null ? "-" : value.toFixed(4);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)].sort();
}
