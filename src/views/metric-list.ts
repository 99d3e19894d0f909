// The metrics that runs and experiments report over time: their labels, how they were obtained, and where they stand in the
// events of a run and in the records of an experiment. This list is the only one.

import type { RecordField } from "../compare/experiment-record.ts";
import type { MetricInfo } from "./page-data.ts";

export interface Metric extends MetricInfo {
  /** The kind of the events of a run that have it, and its path in them. */
  readonly event?: readonly [kind: "iteration" | "evaluation", ...path: string[]];
  /** Paths of the same number of the best reachable and of the uniform policy, in the same event. */
  readonly limit?: readonly string[];
  readonly uniform?: readonly string[];
  /** The fields of a record. */
  readonly record?: {
    readonly value: RecordField;
    readonly limit?: RecordField;
    readonly uniform?: RecordField;
  };
}

type Rest = Omit<Metric, "name" | "label" | "source" | "scale" | "better"> &
  Partial<Pick<Metric, "scale" | "better">>;

function metric(source: MetricInfo["source"], name: string, label: string, rest: Rest): Metric {
  return { name, label, source, scale: "linear", better: null, ...rest };
}

/** A number of the policy's exact distribution, which an evaluation also has for the limit and the uniform policy. */
function ofPolicies(name: string, label: string, rest: Rest): Metric {
  return metric("exact", name, label, {
    event: ["evaluation", "reached", name],
    limit: ["limit", name],
    uniform: ["uniform", name],
    ...rest,
  });
}

function ofSamples(path: readonly string[], label: string, rest: Rest = {}): Metric {
  const names = ["sampled", ...path];
  return metric("sampled", names.join("."), label, { event: ["evaluation", ...names], ...rest });
}

/** All metrics, in the order in which pages offer them. */
export const METRICS: readonly Metric[] = [
  ofPolicies("tv", "total variation", {
    ...{ scale: "log", better: "low" },
    record: { value: "tv", limit: "limitTv", uniform: "uniformTv" },
  }),
  ofPolicies("kl", "KL(target ‖ policy)", {
    ...{ unit: "nats", scale: "log", better: "low" },
    record: { value: "kl", limit: "limitKl", uniform: "uniformKl" },
  }),
  ofPolicies("expectedReward", "expected reward", { record: { value: "expectedReward" } }),
  ofPolicies("pearson", "Pearson correlation of log P and log R", { better: "high" }),
  ofPolicies("spearman", "Spearman correlation of P and R", { better: "high" }),
  metric("exact", "logZError", "learned log Z − true log Z", {
    event: ["evaluation", "reached", "logZError"],
  }),
  metric("exact", "dynamicsKl", "KL(P ‖ P̂) per step", {
    ...{ unit: "nats", scale: "log", better: "low" },
    event: ["evaluation", "reached", "dynamicsKl"],
  }),
  metric("exact", "modes.knownModes.probability", "probability of the known modes", {
    event: ["evaluation", "modes", "knownModes", "probability"],
  }),
  metric("exact", "modes.localMaxima.probability", "probability of the local maxima", {
    event: ["evaluation", "modes", "localMaxima", "probability"],
  }),
  metric("batch", "loss", "loss", {
    ...{ scale: "log", better: "low" },
    event: ["iteration", "loss"],
    record: { value: "loss" },
  }),
  metric("batch", "dynamicsLoss", "dynamics loss per step", {
    ...{ unit: "nats", better: "low" },
    event: ["iteration", "dynamicsLoss"],
    record: { value: "dynamicsLoss", limit: "dynamicsFloor" },
  }),
  metric("batch", "gradientNorm", "norm of the gradient", {
    scale: "log",
    event: ["iteration", "gradientNorm"],
  }),
  metric("batch", "entropyRatio", "entropy ratio", {
    event: ["iteration", "entropyRatio"],
    record: { value: "entropyRatio" },
  }),
  metric("batch", "exponentFactor", "factor of mean matching", { event: ["iteration", "exponentFactor"] }),
  ofSamples(["meanScore"], "mean score of samples", { better: "high" }),
  ofSamples(["topK", "mean"], "mean score of the best 100 samples", { better: "high" }),
  ofSamples(["topK", "diversity"], "mean edit distance of the best 100 samples", { better: "high" }),
  ofSamples(["circles"], "circles among the best samples", { better: "high" }),
  ofSamples(["distinct"], "distinct samples", { better: "high" }),
  ofSamples(["novelty"], "mean edit distance of the best samples from known objects"),
  ofSamples(["tv"], "total variation of samples", { better: "low", record: { value: "sampledTv" } }),
  ofSamples(["floor"], "total variation of samples of a perfect policy", {
    record: { value: "sampledFloor" },
  }),
  ofSamples(["effectiveSampleSize"], "effective sample size of samples", { better: "high" }),
  metric("sampled", "modes.circles", "circles among the best samples of the exact distribution", {
    better: "high",
    event: ["evaluation", "modes", "circles"],
  }),
  metric("sampled", "modes.knownModes.found", "known modes among samples", {
    better: "high",
    event: ["evaluation", "modes", "knownModes", "found"],
  }),
  metric("sampled", "modes.localMaxima.found", "local maxima among samples", {
    better: "high",
    event: ["evaluation", "modes", "localMaxima", "found"],
  }),
  metric("sampled", "heldOut.spearman", "Spearman correlation of log P and log R of held-out objects", {
    better: "high",
    event: ["evaluation", "heldOut", "spearman"],
  }),
  metric("sampled", "heldOut.slope", "slope of log P over log R of held-out objects", {
    event: ["evaluation", "heldOut", "slope"],
  }),
  metric("sampled", "heldOut.meanLogProbability", "mean log P of held-out objects", {
    ...{ unit: "nats", better: "high" },
    event: ["evaluation", "heldOut", "meanLogProbability"],
  }),
  metric("counted", "modesFound", "modes that the method sampled", {
    better: "high",
    record: { value: "modesFound" },
  }),
  metric("counted", "modesScored", "modes among all scored objects", {
    better: "high",
    record: { value: "modesScored" },
  }),
  metric("counted", "best", "best score so far", { better: "high", record: { value: "best" } }),
  metric("counted", "topMean", "mean of the best 100 scores so far", {
    better: "high",
    record: { value: "topMean" },
  }),
  metric("counted", "diversity", "mean edit distance of the best 100 objects so far", {
    better: "high",
    record: { value: "diversity" },
  }),
];

/** The metrics as a page receives them, without the paths in files. */
export const METRIC_INFOS: readonly MetricInfo[] = METRICS.map(
  ({ name, label, unit, source, scale, better }) => ({
    ...{ name, label },
    ...(unit !== undefined && { unit }),
    ...{ source, scale, better },
  }),
);

const byName = new Map(METRICS.map((each) => [each.name, each]));

export function metricNamed(name: string): Metric | undefined {
  return byName.get(name);
}
