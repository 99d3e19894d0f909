// Rows of the quality benchmark: aggregates the runs of all seeds, checks requirements, and defines the columns.

import type { AnyRow, Table } from "../benchmark.ts";
import { formatNumber } from "../report.ts";
import { median } from "../statistics.ts";
import type { QualityCase } from "./cases.ts";
import type { TrainingResult } from "./measure.ts";
import { checkRequirements, type Finding, requirementText } from "./requirements.ts";
import type { Run } from "./run-store.ts";

export const BENCH = "quality";

/** The results of one case. */
export interface QualityRow extends AnyRow {
  readonly seeds: readonly number[];
  /** Null for a timing. */
  readonly measured: SeedSummary | null;
  /** Duration of the longest run; for a timing, the median of its repeats. */
  readonly wallSeconds: number;
  readonly required: readonly string[];
  /** Null if there are no requirements or they were not checked. */
  readonly met: boolean | null;
  /** The result of the worst seed for each requirement. Empty if requirements were not checked. */
  readonly findings: readonly Finding[];
  /** The reason why requirements were not checked. Null if they were checked, or if there are none. */
  readonly notChecked: string | null;
  readonly runs: readonly Run[];
}

/** Aggregates over seeds. */
export interface SeedSummary {
  readonly tv: Spread;
  readonly limitTv: number;
  readonly kl: Spread;
  readonly limitKl: number;
  /** The predicted total variation. Null without a prediction. */
  readonly predictedTv: number | null;
  /** The largest value over seeds. Null without a dynamics model. */
  readonly dynamicsKl: number | null;
  /** The error with the largest absolute value. Null if none was reported. */
  readonly logZError: number | null;
  /** Null if the policy or the reward is constant. */
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly iterations: number;
  readonly stateTableRows: number;
  readonly parameters: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The row of a case. `checked` is whether to check its requirements. */
export function rowOf(setting: QualityCase, runs: readonly Run[], checked: boolean): QualityRow {
  const results = runs.flatMap(({ result }) => (result.kind === "training" ? [result] : []));
  const findings = checked ? checkRequirements(setting.requirements, runs) : [];
  const reduced = runs.some(({ budget }) => budget !== null && budget < setting.seconds);
  return {
    bench: BENCH,
    setting: setting.name,
    seeds: runs.flatMap(({ seed }) => (seed === null ? [] : [seed])),
    measured: results.length > 0 ? measuredOf(results) : null,
    wallSeconds: Math.max(
      ...runs.map(({ result }) => (result.kind === "training" ? result.wallSeconds : result.seconds)),
    ),
    required: setting.requirements.map(requirementText),
    met: findings.length > 0 ? findings.every(({ met }) => met) : null,
    findings,
    notChecked:
      checked || setting.requirements.length === 0
        ? null
        : reduced
          ? `not checked: only ${runs[0].budget} s`
          : "not checked",
    runs,
  };
}

function measuredOf(results: readonly TrainingResult[]): SeedSummary {
  const [first] = results;
  const of = (read: (result: TrainingResult) => number) => results.map(read);
  /** The value with the largest absolute value, ignoring nulls. */
  const largest = (values: readonly (number | null)[]) =>
    values.reduce((a, b) => (a === null || (b !== null && !(Math.abs(b) <= Math.abs(a))) ? b : a), null);
  const middle = (values: readonly (number | null)[]) => {
    const present = values.filter((value) => value !== null);
    return present.length > 0 ? median(present) : null;
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
    stateTableRows: first.stateTableRows,
    parameters: first.parameters.policy + first.parameters.dynamics,
  };
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

const measuredColumn = (heading: string, cell: (measured: SeedSummary) => string) => ({
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
    measuredColumn("KL(P‖P̂)", ({ dynamicsKl }) => digits(dynamicsKl)),
    measuredColumn("log Z error", ({ logZError }) => digits(logZError)),
    measuredColumn(
      "Pearson / Spearman",
      ({ pearson, spearman }) => `${digits(pearson)} / ${digits(spearman)}`,
    ),
    measuredColumn("iterations", ({ iterations }) => iterations.toFixed(0)),
    measuredColumn("state table rows", ({ stateTableRows: memoryRows }) => String(memoryRows)),
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
    return `seeds ${seeds}; parallel processes: ${jobs.join(" or ")}${finished}`;
  },
  legend: [
    "Every run is a separate process with the default settings, the native engine and one thread; its time includes",
    "compilation and evaluation. Values are exact, by dynamic programming with the true kernel. TV and KL are medians over",
    "seeds, with the smallest and the largest in brackets; KL(P‖P̂), log Z error and wall seconds are those of the worst",
    "seed, the others are medians. The limit is the best that any policy can reach. `met` is checked on every seed and shows",
    "the worst seed for each requirement in turn. Rows without TV are timings: the median of repeats after one warm-up.",
  ],
};

/** The text of the column `met`, such as `yes: 0.0312 (seed 1); 0.0021 (seed 0)`. */
function verdict({ met, findings, notChecked }: QualityRow): string {
  if (met === null) return notChecked ?? "";
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
