// The charts of training and comparisons, one function per quantity: input is plain data, output is SVG.
// `line-chart.ts`, `dot-chart.ts` and `scatter-chart.ts` draw them.

import type { Axis } from "./axis.ts";
import { type DotGroup, dotChart } from "./dot-chart.ts";
import { type LinePanel, lineChart, type Reference } from "./line-chart.ts";
import { meanCurve, type SeedRuns } from "./series.ts";

/** Quantity on the x axis. */
export type ProgressUnit = "iterations" | "seconds" | "oracle calls";

/** The runs of all methods at one noise level. */
export interface NoiseLevel {
  /** Null for a task without a noise level. */
  readonly stick: number | null;
  readonly methods: readonly SeedRuns[];
  /** The value of the best policy and of the uniform policy, drawn as horizontal lines. Optional. */
  readonly limit?: number;
  readonly uniform?: number;
}

/** Curves over training, with one panel per noise level. */
export interface NoiseLevels {
  readonly progressUnit: ProgressUnit;
  readonly levels: readonly NoiseLevel[];
  /** All methods that occur in a set of figures, in order, so that a method has the same colour in every figure. */
  readonly order?: readonly string[];
}

/**
 * Number of modes found, over the cost. Pass a logarithmic `x` if the costs of the methods differ by orders of
 * magnitude.
 */
export function modesFoundChart(
  { progressUnit, levels, order }: NoiseLevels,
  x: Axis = progressAxis(progressUnit),
): string {
  return lineChart({
    title: `Modes found against ${progressUnit}`,
    x,
    y: { label: "modes found", unit: "count", include: [0] },
    panels: levels.map((level) => panelOf(level, "all")),
    notes: seedNotes(levels),
    order,
  });
}

/** Exact distance of the policy from the target, with the limit as a horizontal line. */
export function distanceChart(measure: "tv" | "kl", { progressUnit, levels, order }: NoiseLevels): string {
  const { title, axis } = DISTANCES[measure];
  return lineChart({
    title: `${title} against ${progressUnit}`,
    x: progressAxis(progressUnit),
    y: axis,
    panels: levels.map((level) => panelOf(level, "limit")),
    notes: seedNotes(levels),
    order,
  });
}

/** Cross-entropy of the dynamics model; its `limit` is the entropy of the kernel. */
export function dynamicsLossChart({ progressUnit, levels, order }: NoiseLevels): string {
  return lineChart({
    title: "Dynamics loss against its floor",
    x: progressAxis(progressUnit),
    y: { label: "cross-entropy per step", unit: "nats", scale: "linear" },
    panels: levels.map((level) => panelOf(level, "floor")),
    notes: seedNotes(levels),
    order,
  });
}

/** Training loss of one or more methods. */
export function lossChart({
  progressUnit,
  runs,
}: {
  readonly progressUnit: ProgressUnit;
  readonly runs: readonly SeedRuns[];
}): string {
  return lineChart({
    title: `Loss over ${progressUnit}`,
    x: progressAxis(progressUnit),
    y: { label: "loss", scale: "auto" },
    panels: [{ curves: runs.map(meanCurve) }],
    notes: seedNotes([{ methods: runs }]),
  });
}

/** The entropy ratio over training, one curve per γ. */
export function entropyRatioChart({
  progressUnit,
  runs,
}: {
  readonly progressUnit: ProgressUnit;
  readonly runs: readonly { readonly gamma: number; readonly runs: SeedRuns["runs"] }[];
}): string {
  const named = runs.map(({ gamma, runs: seeds }): SeedRuns => ({ name: `γ = ${gamma}`, runs: seeds }));
  return lineChart({
    title: "Entropy ratio over training",
    x: progressAxis(progressUnit),
    y: { label: "entropy ratio r", include: [1] },
    panels: [{ curves: named.map(meanCurve) }],
    notes: seedNotes([{ methods: named }]),
  });
}

/** One number per method and seed, e.g. the mean reward or the diversity of the best k objects; one panel per noise level. */
export function comparisonChart({
  title,
  value,
  levels,
  order,
}: {
  readonly title: string;
  readonly value: Axis;
  readonly order?: readonly string[];
  readonly levels: readonly { readonly stick: number | null; readonly methods: readonly DotGroup[] }[];
}): string {
  const hasSeveralSeeds = levels.some(({ methods }) => methods.some(({ values }) => values.length > 1));
  return dotChart({
    title,
    value,
    order,
    panels: levels.map(({ stick, methods }) => ({ title: stickTitle(stick), groups: methods })),
    notes: hasSeveralSeeds
      ? ["Dot: mean over seeds. Line: ± one standard deviation. Small dots: seeds."]
      : [],
  });
}

/** Chart titles and axis labels of total variation and KL. */
export const DISTANCES = {
  tv: { title: "Exact total variation", axis: { label: "total variation", scale: "log" } },
  kl: { title: "Exact KL(target ‖ policy)", axis: { label: "KL", unit: "nats", scale: "log" } },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly axis: Axis }>>;

export function progressAxis(progress: ProgressUnit): Axis {
  return progress === "seconds"
    ? { label: "time", unit: "s", include: [0] }
    : { label: progress, include: [0] };
}

function panelOf({ stick, methods, limit, uniform }: NoiseLevel, limitName: string): LinePanel {
  const references: Reference[] = [
    ...(limit === undefined ? [] : [{ name: limitName, y: limit }]),
    ...(uniform === undefined ? [] : [{ name: "uniform", y: uniform }]),
  ];
  return { title: stickTitle(stick), curves: methods.map(meanCurve), references };
}

function stickTitle(stick: number | null): string {
  return stick === null ? "" : `stick ${stick}`;
}

/** A note that states the number of seeds that the curves are averaged over. Empty for one seed. */
function seedNotes(levels: readonly { readonly methods: readonly SeedRuns[] }[]): string[] {
  const counts = [...new Set(levels.flatMap(({ methods }) => methods.map(({ runs }) => runs.length)))];
  const most = Math.max(0, ...counts);
  if (most <= 1) return [];
  const least = Math.min(...counts);
  const seeds = least === most ? `${most}` : `${least} to ${most}`;
  return [`Line: mean of ${seeds} seeds. Band: minimum to maximum.`];
}
