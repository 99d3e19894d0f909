// Data inside a report.

import type { ReportData, SeriesAnswer, SeriesRequest } from "../src/views/page-data.ts";
import type { FlowChild, FlowView, ViewData, ViewName, ViewOptions } from "../src/views/view-data.ts";
import type { DataSource } from "./data-source.ts";

/** The data of a report as a source. Everything is there already, so nothing is requested. */
export function reportSource(report: ReportData): DataSource {
  const find = (entry: string, view: ViewName, options: ViewOptions) =>
    viewWith(
      report.views.filter((each) => each.entry === entry && each.data.view === view).map(({ data }) => data),
      options,
    );
  return {
    list: async () => report.list,
    async detail(id) {
      const detail = report.details.find(({ entry }) => entry.id === id);
      if (detail === undefined) throw new Error(`This report does not hold ${id}.`);
      return detail;
    },
    async series(request) {
      const answer = report.series.find(({ metric, x }) => metric === request.metric && x === request.x);
      return answer === undefined
        ? { metric: request.metric, x: request.x, series: [], groups: [] }
        : partOf(answer, request);
    },
    async table({ entries }) {
      const { rows, differences } = report.table;
      const ids = report.compared;
      return {
        rows: rows.filter(({ entry }) => entry === null || entries.includes(entry)),
        differences: differences.map(({ setting, values }) => ({
          setting,
          values: entries.map((id) => values[ids.indexOf(id)] ?? ""),
        })),
      };
    },
    async view(entry, view, options = {}) {
      const data = find(entry, view, options);
      if (data === undefined) throw new Error("This report does not hold this part; the dashboard shows it.");
      return data;
    },
    hasView: (entry, view, options) => find(entry, view, options) !== undefined,
    live: null,
  };
}

/** The columns inside the range of x, of the entries asked for. Groups stay as they are, over all of their points. */
function partOf(
  answer: SeriesAnswer,
  { entries, from = -Infinity, to = Infinity }: SeriesRequest,
): SeriesAnswer {
  const cut = <T extends { readonly x: readonly number[] }>(series: T, names: readonly (keyof T)[]): T => {
    const isInside = (_: unknown, i: number) => series.x[i] >= from && series.x[i] <= to;
    const parts = names.map((name) => [name, (series[name] as readonly number[]).filter(isInside)]);
    return { ...series, ...Object.fromEntries(parts) };
  };
  return {
    ...answer,
    series: answer.series
      .filter(({ entry }) => entries.includes(entry))
      .map((series) => cut(series, ["x", "low", "high", "mean"])),
    groups: answer.groups
      .filter((group) => group.entries.every((entry) => entries.includes(entry)))
      .map((group) => cut(group, ["x", "mean", "deviation", "count"])),
  };
}

/** The view that fits the options: one that was stored with them, or a part of a stored one. */
function viewWith(views: readonly ViewData[], options: ViewOptions): ViewData | undefined {
  return views.map((data) => fitting(data, options)).find((data) => data !== undefined);
}

function fitting(data: ViewData, { path, axes, fixed, seed, series }: ViewOptions): ViewData | undefined {
  if (data.view === "flow") return path === undefined ? data : flowAt(data, path);
  if (data.view === "grid") {
    const isSame =
      (axes === undefined || same(axes, data.axes)) && (fixed === undefined || same(fixed, data.fixed));
    return isSame ? data : undefined;
  }
  if (data.view === "forecast" || data.view === "scenario")
    return series === undefined || series === data.chosen ? data : undefined;
  // The samples of a report are drawn already; another seed cannot be had.
  return seed === undefined ? data : undefined;
}

/** The node at a path of a stored tree; undefined below the levels that are stored. */
export function flowAt(root: FlowView, path: readonly number[]): FlowView | undefined {
  if (!same(path.slice(0, root.path.length), root.path)) return undefined;
  let node: FlowView = root;
  for (const outcome of path.slice(root.path.length)) {
    const child: FlowChild | undefined = node.children.find((each) => each.outcome === outcome);
    if (child?.children === undefined) return undefined;
    node = {
      ...root,
      path: [...node.path, outcome],
      labels: [...node.labels, child.label],
      state: child.state,
      learned: child.learned,
      target: child.target,
      limit: child.limit,
      children: child.children,
    };
  }
  return node;
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
