// The data of the pages of runs, as plain JSON: what the dashboard's server sends, and what a report has inside.
//
// The browser imports these types, so this file imports types only.

import type { Page } from "../report/page.ts";
import type { ViewData, ViewName } from "./view-data.ts";

/** What a folder holds. An experiment is one method, noise level and seed of a comparison. */
export type EntryKind = "run" | "comparison" | "experiment" | "design" | "backtest" | "forecast";

export type EntryState = "running" | "finished" | "interrupted" | "broken";

/** One entry of the list: something that was trained or evaluated. */
export interface Entry {
  /** Path relative to the watched folder, with `/`; the experiment's file name follows a `#`. Unique. */
  readonly id: string;
  readonly kind: EntryKind;
  readonly name: string;
  /** The comparison that an experiment belongs to; null for others. */
  readonly parent: string | null;
  readonly task: string | null;
  readonly state: EntryState;
  /** The problem of a broken entry in one sentence; null for others. */
  readonly problem: string | null;
  /** Entries of one group differ in the seed only. */
  readonly group: string;
  /** The settings by which the group differs from the most common ones of the folder, as a short text. */
  readonly groupLabel: string;
  readonly seed: number | null;
  /** Last change of its files, in milliseconds since 1970. */
  readonly modified: number;
  readonly iteration: number | null;
  /** Planned number of iterations; null if it is not known. */
  readonly iterations: number | null;
  readonly seconds: number | null;
  /** The last value of each metric that it has. */
  readonly last: Readonly<Record<string, number>>;
  /** Whether its distances from the target are exact; null if it has none. */
  readonly exact: boolean | null;
}

/** Answer of `GET /api/runs`. */
export interface EntryList {
  /** The watched folder, as the command named it. */
  readonly folder: string;
  readonly entries: readonly Entry[];
  readonly metrics: readonly MetricInfo[];
  /** Whether the page may start, stop and resume runs. */
  readonly allowsTraining: boolean;
  /** Version of the program. */
  readonly version: string;
}

/** A number that runs report over time. */
export interface MetricInfo {
  /** Such as `tv`, `loss` or `sampled.meanScore`. */
  readonly name: string;
  /** Such as `total variation`. */
  readonly label: string;
  readonly unit?: string;
  /** `exact` by dynamic programming, `sampled` from samples of the policy, `batch` from a training batch, `counted` for calls and the like. */
  readonly source: "exact" | "sampled" | "batch" | "counted";
  readonly scale: "linear" | "log";
  /** Which end is good; null if neither is. */
  readonly better: "low" | "high" | null;
}

/** What the horizontal axis counts. Seconds between two events that have them are interpolated. */
export type XAxis = "iteration" | "calls" | "seconds";

export interface SeriesRequest {
  readonly entries: readonly string[];
  readonly metric: string;
  readonly x: XAxis;
  /** Range of x; everything by default. */
  readonly from?: number;
  readonly to?: number;
  /** Number of columns that the points are thinned to, about the pixels of the chart. */
  readonly columns: number;
}

/** The points of one entry, thinned to columns: the smallest, the largest and the mean value of each. */
export interface Series {
  readonly entry: string;
  readonly x: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly mean: readonly number[];
  /** Number of points before thinning. */
  readonly points: number;
  /** Values of the best reachable and of the uniform policy; null where there are none. */
  readonly limit: number | null;
  readonly uniform: number | null;
}

/** Mean and sample standard deviation over the entries of a group, from all of their points. */
export interface GroupSeries {
  readonly group: string;
  readonly label: string;
  readonly entries: readonly string[];
  readonly x: readonly number[];
  readonly mean: readonly number[];
  /** 0 where only one entry has points. */
  readonly deviation: readonly number[];
  /** Number of entries with points, at each x. */
  readonly count: readonly number[];
  readonly limit: number | null;
  readonly uniform: number | null;
}

/** Answer of `POST /api/series`. */
export interface SeriesAnswer {
  readonly metric: string;
  readonly x: XAxis;
  readonly series: readonly Series[];
  readonly groups: readonly GroupSeries[];
  /** Where the points end: `GET /api/stream?cursor=` continues exactly behind them. */
  readonly cursor?: string;
  /** Why the metrics of an entry cannot be read, a sentence for each such entry. */
  readonly problems?: readonly string[];
}

export interface TableRequest {
  readonly entries: readonly string[];
  readonly metrics: readonly string[];
  /** Column `at`: the last value at or before this x. */
  readonly at?: number;
  readonly x: XAxis;
}

/** Best, last and chosen value of a metric: of one entry, or mean and deviation over a group. */
export interface TableCell {
  readonly best: number | null;
  readonly last: number | null;
  readonly at: number | null;
  /** Sample standard deviations over the entries of a group; absent for one entry. */
  readonly deviation?: { readonly best: number; readonly last: number; readonly at: number | null };
}

export interface TableRow {
  /** The entry, or null for the row of a group. */
  readonly entry: string | null;
  readonly group: string;
  readonly label: string;
  readonly count: number;
  /** By metric. */
  readonly cells: Readonly<Record<string, TableCell>>;
}

/** Answer of `POST /api/table`. Rows of groups have all entries of the request, whatever the page shows. */
export interface TableAnswer {
  readonly rows: readonly TableRow[];
  /** Settings in which the entries differ: name, and the value of each entry in the order of the request. */
  readonly differences: readonly { readonly setting: string; readonly values: readonly string[] }[];
}

/** Answer of `GET /api/entry`: everything about one entry but its series and views. */
export interface EntryDetail {
  readonly entry: Entry;
  /** Settings as texts, in the order of the file. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** Sentences that describe it: task, objective, engine. */
  readonly description: readonly string[];
  /** The metrics that it has points of. */
  readonly metrics: readonly string[];
  /** The views that it has. */
  readonly views: readonly ViewName[];
  /** Final metrics beside the limit and the uniform policy, as rows of a table. */
  readonly results: readonly ResultRow[];
  /** Names of the files that `GET /api/file` sends. */
  readonly files?: readonly string[];
}

export interface ResultRow {
  readonly label: string;
  /** The model of a backtest, or the series of a forecast, that it belongs to. */
  readonly model?: string;
  /** Standard error of the reached value; null or absent if there is none. */
  readonly error?: number | null;
  readonly source: MetricInfo["source"];
  readonly reached: number | null;
  readonly limit: number | null;
  readonly uniform: number | null;
}

/** New points of an entry, as a message of `GET /api/stream`. */
export interface StreamMessage {
  readonly entry: string;
  /** The points continue what was sent before; `restart` says that earlier points are no longer valid. */
  readonly kind: "points" | "restart" | "state";
  readonly state?: EntryState;
  /** By metric: pairs of x values (iteration, calls, seconds) and the value. */
  readonly points?: Readonly<Record<string, readonly StreamPoint[]>>;
}

export type StreamPoint = readonly [
  iteration: number,
  calls: number | null,
  seconds: number | null,
  value: number,
];

/** The data inside a report. */
export interface ReportData {
  readonly title: string;
  readonly list: EntryList;
  /** The entries that the report is about. */
  readonly details: readonly EntryDetail[];
  /** Ids of the entries that have series and rows, in the order of the table: the experiments of a comparison stand for it. */
  readonly compared: readonly string[];
  /** Thinned series of every metric and x axis. */
  readonly series: readonly SeriesAnswer[];
  readonly table: TableAnswer;
  readonly views: readonly { readonly entry: string; readonly data: ViewData }[];
  /** Tables and figures that the command of an entry has made. */
  readonly pages: readonly { readonly entry: string; readonly page: Page }[];
  /** Sentences about what is not inside, and why. */
  readonly notes: readonly string[];
  /** What the page shows at first, as the hash of an address of the dashboard. */
  readonly state?: string;
}

/** A clear sentence instead of an answer. */
export interface ErrorAnswer {
  readonly error: string;
}
