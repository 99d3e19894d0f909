// Rows of the assays benchmark: our value alone or beside that of a rival, and the columns of the table.

import { mean } from "../../src/math/statistics.ts";
import type { AnyRow, Table } from "../benchmark.ts";
import { type AssayCase, type Check, finalValue, type Metric, pairedDifference, RIVALS } from "./cases.ts";
import type { MeasurementResult } from "./measure.ts";
import { METHODS, OURS } from "./methods.ts";

export const BENCH = "assays";

/** The share of scores that must be inside intervals of 80 %. */
const [LEAST_COVERAGE, MOST_COVERAGE] = [0.75, 0.85];

export interface AssayRow extends AnyRow {
  readonly metric: string;
  /** Mean over problems and seeds; null if this library's method was not measured. */
  readonly ours: number | null;
  /** Null in the row of our value alone. */
  readonly rival: string | null;
  readonly rivalValue: number | null;
  /** ours / rivalValue. */
  readonly ratio: number | null;
  /** Mean of ours − rival over pairs of the same problem and seed, and its standard error. */
  readonly difference: number | null;
  readonly standardError: number | null;
  /** Mean number of strings that the proxies predicted: of the rival, or of ours in its own row. */
  readonly proxyCalls: number | null;
  /** Empty if nothing is required. */
  readonly required: string;
  /** Null if nothing is required. */
  readonly met: boolean | null;
  /** One value for each problem and seed: of the rival, or of ours in its own row. */
  readonly values: readonly number[];
}

/** The results of every method, by problem and seed. */
export type Results = ReadonlyMap<string, readonly MeasurementResult[]>;

/** The rows of a setting. */
export function rowsOf(each: AssayCase, results: Results): AssayRow[] {
  const rows = each.metrics.flatMap((metric) =>
    [...(results.has(OURS) ? [null] : []), ...RIVALS.filter((name) => results.has(name))].map((rival) =>
      rowOf(each, metric, rival, results),
    ),
  );
  return [...rows, ...coverageRows(each, results.get(OURS) ?? [])];
}

function rowOf(each: AssayCase, metric: Metric, rival: string | null, results: Results): AssayRow {
  const of = (method: string, metric: Metric) =>
    (results.get(method) ?? []).map((result) => finalValue(result, metric));
  const ours = of(OURS, metric);
  const values = rival === null ? ours : of(rival, metric);
  const isComplete = Object.keys(METHODS).every((name) => results.has(name));
  const check = isComplete && ours.length > 0 ? each.check(metric, rival, of) : null;
  const shown = rival === null ? results.get(OURS)! : results.get(rival)!;
  const proxyCalls = mean(shown.map(({ rounds }) => rounds[rounds.length - 1].proxyCalls));
  const isCompared = rival !== null && ours.length > 0;
  const paired = isCompared ? pairedDifference(ours, values) : null;
  return {
    ...head(each, metricText(each, metric)),
    ours: ours.length > 0 ? mean(ours) : null,
    rival,
    rivalValue: rival === null ? null : mean(values),
    ratio: isCompared ? mean(ours) / mean(values) : null,
    difference: paired?.difference ?? null,
    standardError: paired?.standardError ?? null,
    proxyCalls,
    ...checkFields(check),
    values,
  };
}

/** The share of scores inside the predicted intervals, if our method predicts any. */
function coverageRows(each: AssayCase, results: readonly MeasurementResult[]): AssayRow[] {
  const counts = results.flatMap(({ coverage }) => (coverage && coverage.total > 0 ? [coverage] : []));
  if (counts.length === 0) return [];
  const share =
    counts.reduce((sum, { inside }) => sum + inside, 0) / counts.reduce((sum, { total }) => sum + total, 0);
  const [least, most] = [LEAST_COVERAGE, MOST_COVERAGE].map((value) => (100 * value).toFixed(0));
  return [
    {
      ...head(each, "scores inside 80 % intervals"),
      ours: share,
      ...{ rival: null, rivalValue: null, ratio: null, difference: null, standardError: null },
      proxyCalls: null,
      ...checkFields({
        required: `${least} to ${most} %`,
        met: share >= LEAST_COVERAGE && share <= MOST_COVERAGE,
      }),
      values: counts.map(({ inside, total }) => inside / total),
    },
  ];
}

const head = ({ setting }: AssayCase, metric: string) => ({ bench: BENCH, setting, metric });
const checkFields = (check: Check | null) => ({ required: check?.required ?? "", met: check?.met ?? null });

function metricText({ problems: [{ top, radius }] }: AssayCase, metric: Metric): string {
  const texts: Record<Metric, string> = {
    best: "best",
    topMean: `mean of the top ${top}`,
    circles: `circles(${top}, ${radius})`,
  };
  return texts[metric];
}

const digits = (value: number | null, count = 3) =>
  value === null || Number.isNaN(value) ? "" : value >= 10 ? value.toFixed(1) : value.toFixed(count);

export const TABLE: Table<AssayRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "metric", cell: ({ metric }) => metric },
    { heading: "ours", numeric: true, cell: ({ ours }) => digits(ours) },
    { heading: "rival", cell: ({ rival }) => rival ?? "" },
    { heading: "rival's", numeric: true, cell: ({ rivalValue }) => digits(rivalValue) },
    { heading: "ratio", numeric: true, cell: ({ ratio }) => digits(ratio, 2) },
    {
      heading: "difference",
      numeric: true,
      cell: ({ difference, standardError }) =>
        difference === null
          ? ""
          : [difference.toFixed(3), ...(Number.isNaN(standardError) ? [] : [digits(standardError)])].join(
              " ± ",
            ),
    },
    { heading: "proxy calls", numeric: true, cell: ({ proxyCalls }) => proxyCalls?.toFixed(0) ?? "" },
    { heading: "required", cell: ({ required }) => required },
    { heading: "met", cell: ({ met }) => (met === null ? "" : met ? "yes" : "NO") },
  ],
  budget: ({ rounds, quick }) => `seeds 0 to ${rounds - 1}${quick ? ", shortened" : ""}`,
  legend: [
    "Values are means over all problems of a setting and all seeds, after the last round. The difference is that of ours and the",
    "rival's on the same problem with the same seed, with its standard error. A call is a distinct string that was sent to the",
    "oracle; all methods have the same calls in the same rounds, and know nothing before but what the setting says. Proxy calls",
    "are strings that a proxy predicted, those of ours in its own row. A run on an Ehrlich function ends when it has found the",
    "optimum, 1. Every run is a process of its own.",
  ],
};
