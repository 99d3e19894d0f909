// Summary of a comparison: mean and standard deviation over seeds at the end, for each method and noise level.

import { formatCsv } from "../formats/csv.ts";
import { mean, standardDeviation } from "../math/statistics.ts";
import { sparkline } from "../report/sparkline.ts";
import { markdownTable, plainTable, type SeedValues, type Table, type TableCell } from "../report/tables.ts";
import type { FinishedExperiment } from "./comparison-folder.ts";
import { type Experiment, type ExperimentGrid, methodTitle, stickText } from "./experiment-grid.ts";
import type { ExperimentRecord, RecordField } from "./experiment-record.ts";

/** The results of a method at one noise level. */
export interface MethodResult {
  readonly method: string;
  readonly stick: number | null;
  /** The last record of each finished seed. */
  readonly finalRecords: readonly ExperimentRecord[];
  /** Number of failed seeds. */
  readonly failedSeeds: number;
}

/** Results in the order of the grid, including methods without finished seeds. */
export function methodResultsOf(
  { methods, sticks }: Pick<ExperimentGrid, "methods" | "sticks">,
  finished: readonly FinishedExperiment[],
  failed: readonly Experiment[] = [],
): MethodResult[] {
  return sticks.flatMap((stick) =>
    methods.map((method): MethodResult => {
      const isSame = (experiment: Experiment) => experiment.method === method && experiment.stick === stick;
      return {
        method,
        stick,
        finalRecords: finished.filter(isSame).flatMap(({ records }) => records.at(-1) ?? []),
        failedSeeds: failed.filter(isSame).length,
      };
    }),
  );
}

/** Fields that are the same for all seeds and methods of a noise level. */
const CONSTANT = ["limitTv", "limitKl", "uniformTv", "uniformKl", "modes"] as const satisfies RecordField[];
const VARYING = [
  "tv",
  "kl",
  "expectedReward",
  "sampledTv",
  "sampledFloor",
  "modesFound",
  "modesScored",
  "callsToHalf",
  "callsToAll",
  "best",
  "topMean",
  "diversity",
  "loss",
  "dynamicsLoss",
  "dynamicsFloor",
  "entropyRatio",
  "calls",
] as const satisfies RecordField[];

/**
 * A row of the table as plain data, with mean and standard deviation of each varying field, such as `tvMean` and
 * `tvSd`; null if missing.
 */
export type SummaryRow = Readonly<Record<string, string | number | null>>;

/** Rows without times: with a budget of oracle calls, nothing in them depends on the clock. */
export function summaryRows(results: readonly MethodResult[]): SummaryRow[] {
  return results.map((result) => ({
    ...rowNames(result),
    ...spreads(result, VARYING),
    ...Object.fromEntries(CONSTANT.map((field) => [field, result.finalRecords[0]?.[field] ?? null])),
  }));
}

/** Rows with the seconds of the experiments. */
export function timeRows(results: readonly MethodResult[]): SummaryRow[] {
  return results.map((result) => ({ ...rowNames(result), ...spreads(result, ["seconds"]) }));
}

function rowNames({ method, stick, finalRecords, failedSeeds }: MethodResult): SummaryRow {
  return { method, stick, seeds: finalRecords.length, failed: failedSeeds };
}

function spreads({ finalRecords }: MethodResult, fields: readonly RecordField[]): SummaryRow {
  const entries = fields.flatMap((field) => {
    const values = valuesOf(finalRecords, field);
    return [
      [`${field}Mean`, values.length > 0 ? mean(values) : null],
      [`${field}Sd`, values.length > 1 ? standardDeviation(values) : null],
    ];
  });
  return Object.fromEntries(entries);
}

/** CSV with a header; missing numbers are empty. */
export function rowsCsv(rows: readonly SummaryRow[]): string {
  return formatCsv(Object.keys(rows[0]), rows);
}

/** One human-readable table per noise level. */
export function summaryTables(results: readonly MethodResult[]): Table[] {
  const sticks = [...new Set(results.map(({ stick }) => stick))];
  return sticks.map((stick) => {
    const atStick = results.filter((result) => result.stick === stick);
    const record = atStick.flatMap(({ finalRecords }) => finalRecords)[0];
    return {
      caption: stickText(stick),
      columns: [
        "method",
        "TV",
        "KL",
        record ? `modes of ${record.modes}` : "modes",
        "scored",
        "calls to half",
        "to all",
        "best 100",
        "diversity",
        "calls",
        "seconds",
      ],
      rows: [
        ...atStick.map((result) => ({ name: result.method, cells: tableCells(result) })),
        ...limitRows(atStick),
        ...(record
          ? [{ name: "uniform policy", cells: [record.uniformTv, record.uniformKl, ...EMPTY_CELLS] }]
          : []),
      ],
    };
  });
}

/** One row, or several if methods have different limits, because their policies see more or less of the history. */
function limitRows(results: readonly MethodResult[]): Table["rows"] {
  const withLimits = results.filter(({ finalRecords }) => finalRecords.length > 0);
  const limitOf = ({ finalRecords: [{ limitTv, limitKl }] }: MethodResult) => [limitTv, limitKl] as const;
  const distinct = new Map(withLimits.map((result) => [String(limitOf(result)), limitOf(result)]));
  return [...distinct].map(([key, limit]) => {
    const methods = withLimits
      .filter((result) => String(limitOf(result)) === key)
      .map(({ method }) => method);
    const others = methods.length > 1 ? ` and ${methods.length - 1} more` : "";
    const name = distinct.size === 1 ? "limit" : `limit of ${methods[0]}${others}`;
    return { name, cells: [...limit, ...EMPTY_CELLS] };
  });
}

/** A paragraph that explains the tables. */
export function summaryNotes(results: readonly MethodResult[]): string {
  const floors = results.flatMap(({ finalRecords }) => valuesOf(finalRecords, "sampledFloor"));
  const seeds = Math.max(...results.map(({ finalRecords }) => finalRecords.length));
  const [least, most] = [Math.min(...floors), Math.max(...floors)].map((floor) => floor.toFixed(3));
  return [
    seeds > 1
      ? "Mean ± standard deviation over seeds, at the end of the budget."
      : "At the end of the budget.",
    "TV and KL (in nats) are exact distances from the target.",
    floors.length > 0
      ? `${SAMPLED}: TV of the latest samples; a perfect sampler would show ${least === most ? least : `${least} to ${most}`}.`
      : "",
    "Modes are counted among the objects that the method sampled itself; scored counts them among all scored objects, off-policy rows included.",
    "The mean score of the best 100 objects and their diversity (mean edit distance) are over all scored objects.",
    "Calls to half and to all of the modes are in whole batches, over the seeds that found that many.",
  ]
    .filter(Boolean)
    .join(" ");
}

export function summaryMarkdown(results: readonly MethodResult[]): string {
  return `${summaryTables(results).map(markdownTable).join("\n")}\n${summaryNotes(results).replaceAll("*", "\\*")}\n`;
}

/** The tables, their explanation and a sparkline per method, as plain text. */
export function summaryText(
  results: readonly MethodResult[],
  finished: readonly FinishedExperiment[],
): string {
  const tables = summaryTables(results).map(plainTable);
  return [...tables, summaryNotes(results), sparklines(results, finished)].join("\n\n");
}

/** One line of text per method and noise level: the mean TV over seeds, or the modes found if the TV is unknown. */
function sparklines(results: readonly MethodResult[], finished: readonly FinishedExperiment[]): string {
  const rows = results.flatMap(({ method, stick }) => {
    const runs = finished
      .filter((experiment) => experiment.method === method && experiment.stick === stick)
      .map(({ records }) => records);
    if (runs.length === 0) return [];
    const field = runs[0].at(-1)?.tv === null ? "modesFound" : "tv";
    const curve = runs[0].map((_, i) =>
      mean(runs.flatMap((records) => records[Math.min(i, records.length - 1)][field] ?? [])),
    );
    return [
      { name: `${methodTitle(method, stick)}: ${field === "tv" ? "TV" : "modes"}`, line: sparkline(curve) },
    ];
  });
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, line }) => `${name.padEnd(width)}  ${line}`).join("\n");
}

const SAMPLED = "*";
const EMPTY_CELLS: readonly TableCell[] = ["", "", "", "", "", "", "", ""];

function tableCells({ finalRecords: records, failedSeeds }: MethodResult): TableCell[] {
  if (records.length === 0 && failedSeeds > 0) return ["failed", "", ...EMPTY_CELLS];
  const failures = Array.from({ length: failedSeeds }, () => Number.NaN);
  const numbers = (field: RecordField, digits?: number): SeedValues => {
    const values = valuesOf(records, field);
    return { seeds: values.length > 0 ? [...values, ...failures] : [], digits };
  };
  /**
   * Calls until a number of modes was found. Seeds that did not find that many modes count as missing, like failed
   * seeds.
   */
  const milestone = (field: RecordField): SeedValues => ({
    seeds: [...records.map((record) => record[field] ?? Number.NaN), ...failures],
    digits: 0,
  });
  const isSampled = valuesOf(records, "tv").length === 0 && valuesOf(records, "sampledTv").length > 0;
  return [
    isSampled ? { ...numbers("sampledTv"), mark: SAMPLED } : numbers("tv"),
    numbers("kl"),
    ...(["modesFound", "modesScored"] as const).map((field) => numbers(field, records.length > 1 ? 1 : 0)),
    milestone("callsToHalf"),
    milestone("callsToAll"),
    numbers("topMean", 3),
    numbers("diversity", 2),
    Math.round(mean(valuesOf(records, "calls"))),
    numbers("seconds", 1),
  ];
}

function valuesOf(records: readonly ExperimentRecord[], field: RecordField): number[] {
  return records.flatMap((record) => record[field] ?? []);
}
