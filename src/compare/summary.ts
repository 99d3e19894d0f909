// What came of a comparison: for each method and level of noise, mean and standard deviation over seeds at the end.

import { mean, standardDeviation } from "../report/series.ts";
import { markdownTable, type SeedNumbers, type Table, type Cell as TableCell } from "../report/tables.ts";
import type { FinishedCell } from "./folder.ts";
import type { Cell, Grid } from "./grid.ts";
import type { CellRecord, RecordField } from "./record.ts";

/** A method under one level of noise. */
export interface Outcome {
  readonly method: string;
  readonly stick: number;
  /** The last record of each seed that ended. */
  readonly last: readonly CellRecord[];
  /** Seeds that failed. */
  readonly failed: number;
}

/** In the order of the grid, those without any seed too. */
export function outcomesOf(
  { methods, sticks }: Pick<Grid, "methods" | "sticks">,
  finished: readonly FinishedCell[],
  failed: readonly Cell[] = [],
): Outcome[] {
  return sticks.flatMap((stick) =>
    methods.map((method): Outcome => {
      const isOwn = (cell: Cell) => cell.method === method && cell.stick === stick;
      return {
        method,
        stick,
        last: finished.filter(isOwn).flatMap(({ records }) => records.at(-1) ?? []),
        failed: failed.filter(isOwn).length,
      };
    }),
  );
}

/** The same for all seeds and methods of a level of noise. */
const CONSTANT = ["limitTv", "limitKl", "uniformTv", "uniformKl", "modes"] as const satisfies RecordField[];
const VARYING = [
  "tv",
  "kl",
  "expectedReward",
  "sampledTv",
  "sampledFloor",
  "modesFound",
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
  "seconds",
] as const satisfies RecordField[];

/** A row of the table as plain data: `tvMean` and `tvSd` for each number that varies, null where there is none. */
export type SummaryRow = Readonly<Record<string, string | number | null>>;

export function summaryRows(outcomes: readonly Outcome[]): SummaryRow[] {
  return outcomes.map(({ method, stick, last, failed }) => {
    const row: Record<string, string | number | null> = { method, stick, seeds: last.length, failed };
    for (const field of VARYING) {
      const values = valuesOf(last, field);
      row[`${field}Mean`] = values.length > 0 ? mean(values) : null;
      row[`${field}Sd`] = values.length > 1 ? standardDeviation(values) : null;
    }
    for (const field of CONSTANT) row[field] = last[0]?.[field] ?? null;
    return row;
  });
}

/** RFC 4180 with a heading; nothing where there is no number. No method's name needs quotes. */
export function summaryCsv(outcomes: readonly Outcome[]): string {
  const rows = summaryRows(outcomes);
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  return lines.map((line) => `${line.join(",")}\n`).join("");
}

/** One table for each level of noise, for people. */
export function summaryTables(outcomes: readonly Outcome[]): Table[] {
  const sticks = [...new Set(outcomes.map(({ stick }) => stick))];
  return sticks.map((stick) => {
    const own = outcomes.filter((outcome) => outcome.stick === stick);
    const some = own.flatMap(({ last }) => last)[0];
    return {
      caption: `stick ${stick}`,
      columns: [
        "method",
        "TV",
        "KL",
        some ? `modes of ${some.modes}` : "modes",
        "calls to half",
        "to all",
        "best 100",
        "diversity",
        "calls",
        "seconds",
      ],
      rows: [
        ...own.map((outcome) => ({ name: outcome.method, cells: cellsOf(outcome) })),
        ...(some
          ? [
              { name: "limit", cells: [some.limitTv, some.limitKl, ...NOTHING] },
              { name: "uniform policy", cells: [some.uniformTv, some.uniformKl, ...NOTHING] },
            ]
          : []),
      ],
    };
  });
}

/** What must be known to read the tables; a paragraph. */
export function summaryNotes(outcomes: readonly Outcome[]): string {
  const floors = outcomes.flatMap(({ last }) => valuesOf(last, "sampledFloor"));
  const seeds = Math.max(...outcomes.map(({ last }) => last.length));
  const [least, most] = [Math.min(...floors), Math.max(...floors)].map((floor) => floor.toFixed(3));
  return [
    seeds > 1
      ? "Mean ± standard deviation over seeds, at the end of the budget."
      : "At the end of the budget.",
    "TV and KL (in nats) are exact distances from the target.",
    floors.length > 0
      ? `${SAMPLED}: TV of the last samples, of which a perfect sampler would show ${least === most ? least : `${least} to ${most}`}.`
      : "",
    "Modes, the mean score of the best 100 objects and their diversity (mean edit distance) are of all objects that the oracle was asked for.",
    "Calls to half and to all of the modes are in whole batches, over the seeds that found as many.",
  ]
    .filter(Boolean)
    .join(" ");
}

export function summaryMarkdown(outcomes: readonly Outcome[]): string {
  return `${summaryTables(outcomes).map(markdownTable).join("\n")}\n${summaryNotes(outcomes).replaceAll("*", "\\*")}\n`;
}

const SAMPLED = "*";
const NOTHING: readonly TableCell[] = ["", "", "", "", "", "", ""];

function cellsOf({ last, failed }: Outcome): TableCell[] {
  if (last.length === 0 && failed > 0) return ["failed", "", ...NOTHING];
  const lost = Array.from({ length: failed }, () => Number.NaN);
  const numbers = (field: RecordField, digits?: number): SeedNumbers => {
    const values = valuesOf(last, field);
    return { seeds: values.length > 0 ? [...values, ...lost] : [], digits };
  };
  /** Seeds that never got there are counted, as those that failed are. */
  const reached = (field: RecordField): SeedNumbers => ({
    seeds: [...last.map((record) => record[field] ?? Number.NaN), ...lost],
    digits: 0,
  });
  const isSampled = valuesOf(last, "tv").length === 0 && valuesOf(last, "sampledTv").length > 0;
  return [
    isSampled ? { ...numbers("sampledTv"), mark: SAMPLED } : numbers("tv"),
    numbers("kl"),
    numbers("modesFound", last.length > 1 ? 1 : 0),
    reached("callsToHalf"),
    reached("callsToAll"),
    numbers("topMean", 3),
    numbers("diversity", 2),
    Math.round(mean(valuesOf(last, "calls"))),
    numbers("seconds", 1),
  ];
}

function valuesOf(records: readonly CellRecord[], field: RecordField): number[] {
  return records.flatMap((record) => record[field] ?? []);
}
