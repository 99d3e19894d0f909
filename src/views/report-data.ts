// The data of a report: what the dashboard's server would answer about some entries, all at once and of limited size.

import { lstat } from "node:fs/promises";
import { join, sep } from "node:path";
import { COMPARISON_FILES } from "../compare/comparison-folder.ts";
import { DESIGN_FILES } from "../design/design-folder.ts";
import { readText } from "../disk/open-file.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { UserError } from "../issues.ts";
import type { Page } from "../report/page.ts";
import { parsePage } from "../report/page-file.ts";
import { formatCount } from "../report/text-format.ts";
import { entryDetail } from "./entry-detail.ts";
import type { IndexedEntry } from "./entry-index.ts";
import { METRIC_INFOS } from "./metric-list.ts";
import { MetricStore } from "./metric-store.ts";
import { packReport } from "./packed-report.ts";
import type { EntryDetail, EntryKind, ReportData, XAxis } from "./page-data.ts";
import { explainProblem } from "./problem-text.ts";
import { reportSeries } from "./report-series.ts";
import { type ComputeView, reportViews } from "./report-views.ts";
import { tableAnswer } from "./table-answer.ts";

export interface ReportOptions {
  /** Bytes of the data as JSON. */
  readonly largest: number;
  /** Version of the program. */
  readonly version: string;
  readonly view: ComputeView;
  readonly store?: MetricStore;
  /** The x axis that the page shows first. Default: calls for comparisons and designs, else iterations. */
  readonly x?: XAxis;
  /** The hash that the page opens with. Default: one for `x`. */
  readonly state?: string;
  /** Column `at` of the table. */
  readonly at?: number;
}

/** Columns of curves. */
const COLUMNS = 600;
/** Entries whose views are inside. */
const MOST_WITH_VIEWS = 12;
const AXES: readonly XAxis[] = ["iteration", "calls", "seconds"];

/** The data of a report about `chosen`. `all` has the experiments of comparisons too. */
export async function reportData(
  chosen: readonly IndexedEntry[],
  all: ReadonlyMap<string, IndexedEntry>,
  options: ReportOptions,
): Promise<ReportData> {
  const { view, version, x = usualAxis(chosen), store = new MetricStore(), at } = options;
  const compared = comparedEntries(chosen, all);
  const metrics = [...new Set(compared.flatMap(({ entry }) => Object.keys(entry.last)))];
  const known = METRIC_INFOS.flatMap(({ name }) => (metrics.includes(name) ? [name] : []));
  const notes: string[] = [];
  const details: EntryDetail[] = [];
  const views: ReportData["views"][number][] = [];
  const pages: ReportData["pages"][number][] = [];
  for (const [i, indexed] of chosen.entries()) {
    const detail = await entryDetail(indexed, store);
    const { id, name } = detail.entry;
    const asked = i < MOST_WITH_VIEWS ? detail.views : [];
    const computed = new Set<string>();
    const problems = new Map<string, string[]>();
    for (const each of asked) {
      try {
        const data = await reportViews(indexed.folder, each, view);
        views.push(...data.map((one) => ({ entry: id, data: one })));
        computed.add(each);
      } catch (error) {
        // The file may be sent to others, who need not know where the folder is.
        const problem = explainProblem(error).replaceAll(`${indexed.folder}${sep}`, "");
        problems.set(problem, [...(problems.get(problem) ?? []), each]);
      }
    }
    notes.push(...Array.from(problems, ([problem, missing]) => missingText(missing, name, problem)));
    const page = await pageOf(indexed);
    if (page) pages.push({ entry: id, page });
    details.push({
      ...(page ? withPage(detail, page) : detail),
      views: detail.views.filter((each) => computed.has(each)),
      files: [], // they cannot be downloaded from a report
    });
  }
  if (chosen.length > MOST_WITH_VIEWS) {
    notes.push(`The views of the first ${MOST_WITH_VIEWS} of ${chosen.length} entries are inside.`);
  }
  const entries = [...new Map([...chosen, ...compared].map(({ entry }) => [entry.id, entry])).values()];
  const table = await tableAnswer(compared, { metrics: known, x, ...(at !== undefined && { at }) }, store);
  const base: ReportData = {
    title: titleOf(chosen),
    list: { folder: "", entries, metrics: METRIC_INFOS, allowsTraining: false, version },
    details,
    compared: compared.map(({ entry }) => entry.id),
    series: [],
    ...{ table, views, pages, notes },
    state: options.state ?? `#/?x=${x}`,
  };
  for (const [columns, axes] of attempts(x)) {
    const series = await reportSeries(compared, { metrics: known, axes, columns }, store);
    // Half of the room is for views and figures.
    const most = axes.length > 1 ? options.largest / 2 : options.largest;
    if (sizeOf({ ...base, series, views: [], pages: [] }) > most) continue;
    return fitted({ ...base, series, notes: [...notes, ...thinned(columns, axes, x)] }, options.largest);
  }
  throw tooLarge(chosen.length);
}

/** The axis by which entries are compared if nothing else is asked for. The training of a design with rounds makes no calls, because
 * its rounds have made them before. */
export function usualAxis(chosen: readonly Pick<IndexedEntry, "entry">[]): XAxis {
  const byCalls: readonly EntryKind[] = ["comparison", "experiment", "design"];
  const hasCalls = ({ kind, last }: IndexedEntry["entry"]) => byCalls.includes(kind) && last.calls !== 0;
  return chosen.every(({ entry }) => hasCalls(entry)) ? "calls" : "iteration";
}

/** What a page says is not said twice: its introduction takes the place of the description, its tables that of results. */
function withPage(detail: EntryDetail, { intro }: Page): EntryDetail {
  const { kind } = detail.entry;
  const paragraphs = intro.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  return {
    ...detail,
    description: kind === "design" ? [...detail.description, ...paragraphs] : paragraphs,
    results: kind === "backtest" ? [] : detail.results,
  };
}

function missingText(views: readonly string[], name: string, problem: string): string {
  const what = views.length === 1 ? `The view ${views[0]}` : `The views ${views.join(", ")}`;
  return `${what} of ${name} ${views.length === 1 ? "is" : "are"} not inside: ${problem}.`;
}

/** Fewer and fewer columns, then one axis only. */
function attempts(x: XAxis): (readonly [columns: number, axes: readonly XAxis[]])[] {
  const columns = [COLUMNS, 300, 150, 75];
  return [
    ...columns.map((count) => [count, AXES] as const),
    ...columns.slice(1).map((count) => [count, [x]] as const),
  ];
}

function thinned(columns: number, axes: readonly XAxis[], x: XAxis): string[] {
  return [
    ...(columns < COLUMNS ? [`Curves are thinned to ${columns} columns, so that the file stays small.`] : []),
    ...(axes.length < AXES.length ? [`Curves have one x axis, ${x}, so that the file stays small.`] : []),
  ];
}

/** The data without its largest views and figures, so that it has at most this many bytes. */
function fitted(data: ReportData, largest: number): ReportData {
  let left = data;
  while (sizeOf(left) > largest) {
    const view = largestOf(left.views);
    const page = largestOf(left.pages);
    const isView = view !== null && (page === null || view.size >= page.size);
    const part = isView ? view : page;
    if (part === null) throw tooLarge(data.details.length);
    const name = data.details.find(({ entry }) => entry.id === part.item.entry)?.entry.name;
    const what = isView ? `view ${view.item.data.view}` : "page of figures";
    const views = left.views.filter((each) => each !== part.item);
    left = {
      ...left,
      views,
      pages: left.pages.filter((each) => each !== part.item),
      details: left.details.map((detail) => ({
        ...detail,
        views: detail.views.filter((each) =>
          views.some(({ entry, data: kept }) => entry === detail.entry.id && kept.view === each),
        ),
      })),
      notes: [
        ...left.notes,
        `A ${what} of ${name} is not inside, because it has ${formatCount(part.size)} bytes.`,
      ],
    };
  }
  return left;
}

function largestOf<T>(items: readonly T[]): { readonly item: T; readonly size: number } | null {
  const sized = items.map((item) => ({ item, size: JSON.stringify(item).length }));
  return sized.reduce<(typeof sized)[number] | null>(
    (most, each) => (most === null || each.size > most.size ? each : most),
    null,
  );
}

function sizeOf(data: ReportData): number {
  return Buffer.byteLength(packReport(data));
}

function tooLarge(count: number): UserError {
  return new UserError(`a report of ${count} entries would be too large; choose fewer`);
}

/** The entries with curves: those chosen, with the experiments of a comparison in its place. */
function comparedEntries(
  chosen: readonly IndexedEntry[],
  all: ReadonlyMap<string, IndexedEntry>,
): IndexedEntry[] {
  const expanded = chosen.flatMap((indexed) =>
    indexed.entry.kind === "comparison"
      ? [...all.values()].filter(({ entry }) => entry.parent === indexed.entry.id)
      : [indexed],
  );
  const unique = new Map(expanded.map((indexed) => [indexed.entry.id, indexed]));
  return [...unique.values()].filter(({ metrics }) => metrics !== null);
}

/** Bytes of a page that is read. */
const LARGEST_PAGE = 2 ** 24;

const PAGE_FILES: Readonly<Partial<Record<EntryKind, string>>> = {
  comparison: COMPARISON_FILES.page,
  design: DESIGN_FILES.page,
  backtest: BACKTEST_FILES.page,
};

/** The tables and figures that the command of an entry has made; null if there are none. */
async function pageOf({ entry, folder }: IndexedEntry) {
  const name = PAGE_FILES[entry.kind];
  if (name === undefined) return null;
  const info = await lstat(join(folder, name)).catch(() => null);
  const isSmall = info !== null && info.size <= LARGEST_PAGE;
  const text = isSmall ? await readText(join(folder, name)).catch(() => null) : null;
  return text === null ? null : parsePage(text);
}

/** Names in a title; more are counted. */
const MOST_NAMES = 4;

function titleOf(chosen: readonly IndexedEntry[]): string {
  const names = chosen.map(({ entry }) => entry.name);
  const kinds = [...new Set(chosen.map(({ entry }) => entry.kind))];
  const kind = kinds.length === 1 ? kinds[0] : "entry";
  const word = kind[0].toUpperCase() + kind.slice(1);
  if (names.length === 1) return `${word} ${names[0]}`;
  const several = kind === "entry" ? "entries" : `${kind}s`;
  const shown = names.length <= MOST_NAMES ? `: ${names.join(", ")}` : "";
  return `${names.length} ${several}${shown}`;
}
