// The settings of the assays benchmark: problems, rounds and calls, and what is required of this library's method.

import { mean, standardError } from "../../src/math/statistics.ts";
import type { Measurement, MeasurementResult, RoundResult } from "./measure.ts";
import { GENETIC_ALGORITHM, METHODS, OURS } from "./methods.ts";
import { type AssayProblem, PROBLEMS } from "./problems.ts";

/** A number of the last round that methods are compared by. */
export type Metric = keyof Pick<RoundResult, "best" | "topMean" | "circles">;

/** The values of a method, one for each problem and seed, in the same order for all methods. */
export type ValuesOf = (method: string, metric: Metric) => readonly number[];

/** What is required of a row, and whether it is met. */
export interface Check {
  readonly required: string;
  readonly met: boolean;
}

/** One setting. Its rows compare this library's method with every other one by each metric. */
export interface AssayCase {
  readonly setting: string;
  readonly problems: readonly AssayProblem[];
  readonly rounds: number;
  readonly batch: number;
  readonly known: number;
  readonly metrics: readonly Metric[];
  /** What is required of our values alone, or beside those of a rival; null if nothing is. */
  check(metric: Metric, rival: string | null, values: ValuesOf): Check | null;
}

/** The options that decide what is measured. */
export interface CaseOptions {
  readonly quick: boolean;
  /** The long Ehrlich functions, of which nothing is required, instead of all others. */
  readonly isLong?: boolean;
}

/** Rounds and strings in each. */
type Campaign = readonly [rounds: number, batch: number];

const nothing = () => null;
const text = (value: number) => value.toFixed(2);
const atLeast = (word: string, least: number, values: readonly number[]): Check => ({
  required: `${word} at least ${text(least)}`,
  met: mean(values) >= least,
});
const noFewer = (values: ValuesOf, rival: string): Check => ({
  required: "no fewer circles",
  met: mean(values(OURS, "circles")) >= mean(values(rival, "circles")),
});

/** Our value must be above that of the genetic algorithm by more than a standard error; the goal stands alone. */
const aboveGeneticAlgorithm =
  (goal: number): AssayCase["check"] =>
  (_, rival, values) => {
    if (rival === null) return atLeast("goal:", goal, values(OURS, "best"));
    if (rival !== GENETIC_ALGORITHM) return null;
    const { difference, standardError } = pairedDifference(values(OURS, "best"), values(rival, "best"));
    return { required: "more than one standard error above", met: difference > standardError };
  };

const rnaCheck =
  (least: number): AssayCase["check"] =>
  (metric, rival, values) => {
    if (metric === "topMean" && rival === null) return atLeast("mean", least, values(OURS, "topMean"));
    return metric === "circles" && rival === GENETIC_ALGORITHM ? noFewer(values, rival) : null;
  };

/** First in the mean, with no fewer circles than the next. */
const firstInMean: AssayCase["check"] = (metric, rival, values) => {
  if (rival === null) return null;
  const meanOf = (method: string) => mean(values(method, "topMean"));
  if (metric === "topMean") return { required: "higher mean", met: meanOf(OURS) > meanOf(rival) };
  const next = RIVALS.reduce((a, b) => (meanOf(b) > meanOf(a) ? b : a));
  return metric === "circles" && rival === next ? noFewer(values, rival) : null;
};

/** The methods that ours is compared with. */
export const RIVALS = Object.keys(METHODS).filter((name) => name !== OURS);

const FEW: Campaign = [10, 31];
const MANY: Campaign = [20, 100];
/** Four plates of 96 wells. */
const PLATES: Campaign = [4, 96];
const KNOWN = 100;
/** Most calls of a setting in the short version. */
const MOST_QUICK = 500;

/** All settings; the short version has the shorter campaign of each group, on at most two problems. */
export function assayCases({ quick, isLong = false }: CaseOptions): AssayCase[] {
  const small = "Ehrlich v20 L15 c2 k5";
  const best = (group: string, campaign: Campaign, check: AssayCase["check"] = nothing, known = 0) =>
    caseOf(group, campaign, ["best"], check, known);
  const top = (group: string, campaign: Campaign, check: AssayCase["check"] = nothing, known = 0) =>
    caseOf(group, campaign, ["topMean", "circles", "best"], check, known);
  const rna = { "RNA1 L14": 0.9, "RNA2 L14": 0.9, "RNA3 L14": 0.94 };
  const long = ["Ehrlich v20 L64 c4 k10", "Ehrlich v32 L32 c4 k4"].flatMap((group) => [
    best(group, FEW),
    best(group, MANY),
  ]);
  const others = [
    best(small, FEW, aboveGeneticAlgorithm(0.6)),
    best(small, MANY, aboveGeneticAlgorithm(0.93)),
    best(small, FEW, nothing, KNOWN),
    ...Object.entries(rna).flatMap(([group, least]) => [
      top(group, PLATES),
      top(group, [10, 128], rnaCheck(least)),
    ]),
    top("CRX 8-mers", PLATES, firstInMean),
    top("CRX 8-mers", MANY, firstInMean),
    top("CRX 8-mers", PLATES, nothing, KNOWN),
  ];
  const all = isLong ? long : others;
  if (!quick) return all;
  return all
    .filter(({ rounds, batch }) => rounds * batch <= MOST_QUICK)
    .map((each) => ({ ...each, problems: each.problems.slice(0, 2), check: nothing }));
}

function caseOf(
  group: string,
  [rounds, batch]: Campaign,
  metrics: readonly Metric[],
  check: AssayCase["check"],
  known: number,
): AssayCase {
  const calls = (rounds * batch).toLocaleString("en-US");
  return {
    setting: `${group}, ${calls} calls (${rounds} × ${batch})${known > 0 ? `, ${known} known` : ""}`,
    problems: PROBLEMS[group],
    ...{ rounds, batch, known, metrics, check },
  };
}

/** The measurements of a method, by problem and then by seed. */
export function measurementsOf(
  { problems, rounds, batch, known }: AssayCase,
  method: string,
  seeds: readonly number[],
): Measurement[] {
  return problems.flatMap(({ name: problem }) =>
    seeds.map((seed) => ({ problem, method, seed, rounds, batch, known })),
  );
}

/** A metric after the last round. */
export function finalValue({ rounds }: MeasurementResult, metric: Metric): number {
  return rounds[rounds.length - 1][metric];
}

/** The mean of the differences of pairs, and its standard error (NaN for one pair). */
export function pairedDifference(
  ours: readonly number[],
  rival: readonly number[],
): { readonly difference: number; readonly standardError: number } {
  if (ours.length !== rival.length) {
    throw new RangeError(
      `pairedDifference: there must be pairs of values, got ${ours.length} and ${rival.length}`,
    );
  }
  const differences = ours.map((value, i) => value - rival[i]);
  return { difference: mean(differences), standardError: standardError(differences) };
}
