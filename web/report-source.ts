// Data inside a report.

import type { ReportData } from "../src/views/page-data.ts";
import type { FlowChild, FlowView, ViewData, ViewName, ViewOptions } from "../src/views/view-data.ts";
import type { DataSource } from "./data-source.ts";
import { partOf } from "./series-part.ts";

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
