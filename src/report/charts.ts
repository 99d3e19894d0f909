// The charts of this project, by what they show. Data in, SVG out; `line-chart.ts` and its like do the drawing.

import type { Axis } from "./axis.ts";
import { dotChart, type Group } from "./dot-chart.ts";
import { type LinePanel, lineChart, type Reference } from "./line-chart.ts";
import { scatterChart } from "./scatter-chart.ts";
import { curveOfSeeds, mean, type Point, type Seeds } from "./series.ts";

/** What x counts. */
export type Progress = "iterations" | "seconds" | "oracle calls";

/** Methods under one level of noise. */
export interface Level {
  readonly stick: number;
  readonly methods: readonly Seeds[];
  /** The best that any policy reaches, and what the uniform one does. */
  readonly limit?: number;
  readonly uniform?: number;
}

/** Levels of noise side by side, over the course of training. */
export interface Levels {
  readonly progress: Progress;
  readonly levels: readonly Level[];
  /** All methods there are: each looks the same in all figures, whichever of them a figure shows. */
  readonly order?: readonly string[];
}

/** Modes found, against what finding them cost; on an axis of one's own where costs differ by orders of magnitude. */
export function modesFound({ progress, levels, order }: Levels, x: Axis = progressAxis(progress)): string {
  return lineChart({
    title: `Modes found against ${progress}`,
    x,
    y: { label: "modes found", unit: "count", include: [0] },
    panels: levels.map((level) => panelOf(level, "all")),
    notes: seedNotes(levels),
    order,
  });
}

/** Exact distance of the policy from the target, with the limit drawn in. */
export function distance(measure: "tv" | "kl", { progress, levels, order }: Levels): string {
  const { title, axis } = DISTANCES[measure];
  return lineChart({
    title: `${title} against ${progress}`,
    x: progressAxis(progress),
    y: axis,
    panels: levels.map((level) => panelOf(level, "limit")),
    notes: seedNotes(levels),
    order,
  });
}

/** Cross-entropy of the dynamics model; its `limit` is the entropy of the environment itself. */
export function dynamicsLoss({ progress, levels, order }: Levels): string {
  return lineChart({
    title: "Dynamics loss against its floor",
    x: progressAxis(progress),
    y: { label: "cross-entropy per step", unit: "nats", scale: "linear" },
    panels: levels.map((level) => panelOf(level, "floor")),
    notes: seedNotes(levels),
    order,
  });
}

/** The loss of one or more runs. */
export function loss({
  progress,
  runs,
}: {
  readonly progress: Progress;
  readonly runs: readonly Seeds[];
}): string {
  return lineChart({
    title: `Loss over ${progress}`,
    x: progressAxis(progress),
    y: { label: "loss", scale: "auto" },
    panels: [{ curves: runs.map(curveOfSeeds) }],
    notes: seedNotes([{ methods: runs }]),
  });
}

/** The entropy ratio over training, one line for each γ. */
export function entropyRatio({
  progress,
  runs,
}: {
  readonly progress: Progress;
  readonly runs: readonly { readonly gamma: number; readonly runs: Seeds["runs"] }[];
}): string {
  const named = runs.map(({ gamma, runs: seeds }): Seeds => ({ name: `γ = ${gamma}`, runs: seeds }));
  return lineChart({
    title: "Entropy ratio over training",
    x: progressAxis(progress),
    y: { label: "entropy ratio r", include: [1] },
    panels: [{ curves: named.map(curveOfSeeds) }],
    notes: seedNotes([{ methods: named }]),
  });
}

/** One number per method and seed, as the reward of the best k or their diversity, by level of noise. */
export function comparison({
  title,
  value,
  levels,
  order,
}: {
  readonly title: string;
  readonly value: Axis;
  readonly order?: readonly string[];
  readonly levels: readonly { readonly stick: number; readonly methods: readonly Group[] }[];
}): string {
  const many = levels.some(({ methods }) => methods.some(({ values }) => values.length > 1));
  return dotChart({
    title,
    value,
    order,
    panels: levels.map(({ stick, methods }) => ({ title: stickTitle(stick), groups: methods })),
    notes: many
      ? ["Dot: mean of the seeds. Line: one standard deviation to each side. Small dots: the seeds."]
      : [],
  });
}

/** Logarithms of probability and reward of objects; a perfect policy has them on a line of slope 1. */
export function distribution(points: readonly Point[], notes: readonly string[] = []): string {
  const finite = points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  return scatterChart({
    title: "Probability against reward",
    x: { label: "log R(x)" },
    y: { label: "log P(x)", unit: "nats" },
    points,
    line: { name: "P ∝ R, slope 1", slope: 1, intercept: mean(finite.map(({ x, y }) => y - x)) },
    notes,
  });
}

/** Total variation and KL by their full names, for whoever draws them. */
export const DISTANCES = {
  tv: { title: "Exact total variation", axis: { label: "total variation", scale: "log" } },
  kl: { title: "Exact KL(target ‖ policy)", axis: { label: "KL", unit: "nats", scale: "log" } },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly axis: Axis }>>;

export function progressAxis(progress: Progress): Axis {
  return progress === "seconds"
    ? { label: "time", unit: "s", include: [0] }
    : { label: progress, include: [0] };
}

function panelOf({ stick, methods, limit, uniform }: Level, limitName: string): LinePanel {
  const references: Reference[] = [
    ...(limit === undefined ? [] : [{ name: limitName, y: limit }]),
    ...(uniform === undefined ? [] : [{ name: "uniform", y: uniform }]),
  ];
  return { title: stickTitle(stick), curves: methods.map(curveOfSeeds), references };
}

function stickTitle(stick: number): string {
  return `stick ${stick}`;
}

/** How many seeds a line stands for. */
function seedNotes(levels: readonly { readonly methods: readonly Seeds[] }[]): string[] {
  const counts = [...new Set(levels.flatMap(({ methods }) => methods.map(({ runs }) => runs.length)))];
  const most = Math.max(0, ...counts);
  if (most <= 1) return [];
  const least = Math.min(...counts);
  const seeds = least === most ? `${most}` : `${least} to ${most}`;
  return [`Line: mean of ${seeds} seeds. Band: from the least to the largest.`];
}
