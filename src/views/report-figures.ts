// The figures of a report for a paper: the same data as the page, as static charts with file names.

import { lineChart, type Reference } from "../report/line-chart.ts";
import type { Curve } from "../report/series.ts";
import { viewCharts } from "../report/view-charts.ts";
import type { MetricInfo, ReportData, SeriesAnswer, XAxis } from "./page-data.ts";
import { inFolder, type Named, ofEntry, sectionsOf, slug, withUniquePaths } from "./report-names.ts";
import type { ViewData } from "./view-data.ts";

export interface NamedFigure extends Named {
  readonly svg: string;
}

const X_LABELS: Readonly<Record<XAxis, string>> = {
  iteration: "iterations",
  calls: "oracle calls",
  seconds: "time (s)",
};

/** Curves over one x axis, the charts of all views, and the figures of pages. */
export function reportFigures(report: ReportData, x: XAxis): NamedFigure[] {
  const curves = report.series
    .filter((answer) => answer.x === x)
    .map((answer) => ({ path: slug(answer.metric), svg: curveChart(report, answer) }));
  const parts = report.details.flatMap(({ entry: { id } }): NamedFigure[] => [
    ...ofEntry(report.views, id).flatMap(({ data }, i, all) =>
      viewCharts(data).map(({ name, svg }) => ({
        path: inFolder(report, id, i === firstOf(all, data) ? name : `${name}-${slug(optionText(data))}`),
        svg,
      })),
    ),
    ...sectionsOf(report, id).flatMap(({ figures = [] }) =>
      figures.map((svg) => ({ path: inFolder(report, id, slug(titleOf(svg))), svg })),
    ),
  ]);
  return withUniquePaths([...curves, ...parts]);
}

/** Groups with mean and standard deviation if there are several entries, else the entry with the range of its columns. */
function curveChart({ list, compared }: ReportData, { metric, x, series, groups }: SeriesAnswer): string {
  const info = list.metrics.find(({ name }) => name === metric);
  const { label = metric, unit, scale = "linear" } = info ?? {};
  const isSeveral = compared.length > 1;
  const curves: Curve[] = isSeveral
    ? groups.map((group) => ({
        name: group.entries.length > 1 ? `${group.label} (${group.entries.length} seeds)` : group.label,
        points: group.x.map((at, i) => ({ x: at, y: group.mean[i] })),
        bands: band(group.x, (i) => group.deviation[i], group.mean),
      }))
    : series.map((one) => ({
        name: label,
        points: one.x.map((at, i) => ({ x: at, y: one.mean[i] })),
        bands: [{ points: one.x.map((at, i) => ({ x: at, low: one.low[i], high: one.high[i] })) }],
      }));
  const of = isSeveral ? groups : series;
  const references = (["limit", "uniform"] as const).flatMap((name): Reference[] =>
    [...new Set(of.map((each) => each[name]))].flatMap((y) => (y === null ? [] : [{ name, y }])),
  );
  return lineChart({
    title: `${capital(label)} over ${X_LABELS[x]}`,
    x: { label: X_LABELS[x] },
    y: { label, ...(unit !== undefined && { unit }), scale: scale === "log" ? "auto" : "linear" },
    // Entries of several tasks have several limits, which no line can stand for.
    panels: [{ curves, references: references.length <= 2 ? references : [] }],
    notes: [
      ...(info ? [SOURCES[info.source]] : []),
      ...(isSeveral && groups.some(({ entries }) => entries.length > 1)
        ? ["Lines: mean over seeds. Bands: ± one standard deviation."]
        : []),
    ],
  });
}

const SOURCES: Readonly<Record<MetricInfo["source"], string>> = {
  exact: "Exact.",
  sampled: "Estimated from samples.",
  batch: "Of training batches; a line is the mean of neighbouring points, a band their range.",
  counted: "Counted.",
};

function band(x: readonly number[], deviation: (i: number) => number, mean: readonly number[]) {
  if (!x.some((_, i) => deviation(i) > 0)) return [];
  return [
    { points: x.map((at, i) => ({ x: at, low: mean[i] - deviation(i), high: mean[i] + deviation(i) })) },
  ];
}

/** The first view of the same name: it needs no other name. */
function firstOf(all: readonly { readonly data: ViewData }[], data: ViewData): number {
  return all.findIndex((each) => each.data.view === data.view);
}

/** What tells a view from the others of its name. */
function optionText(data: ViewData): string {
  if (data.view === "forecast" || data.view === "scenario") return data.chosen;
  return data.view === "grid" ? `axes ${data.axes.map((axis) => axis + 1).join(" ")}` : "";
}

function titleOf(svg: string): string {
  return /aria-label="([^"]*)"/.exec(svg)?.[1].replaceAll(/&\w+;|&#\d+;/g, " ") ?? "figure";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
