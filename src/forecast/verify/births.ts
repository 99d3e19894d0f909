// Case V11 of the exact suite: the reward is a kernel density over windows of a real series. Its prefix flows have a
// closed form, so exact evaluation works on real data, too.

import type { RandomStream } from "../../engine/index.ts";
import { mean, variance } from "../../math/statistics.ts";
import { type MixtureComponents, mixtureReward } from "../flow/rewards.ts";
import { mixtureLogRewards, mixturePathProbabilities, type SuiteContext } from "./contexts.ts";
import {
  DEFAULT_CASE_SETTINGS,
  HELD_OUT_CONTEXTS,
  repeat,
  type SuiteCase,
  suiteProblem,
} from "./suite-case.ts";

const [K, H] = [6, 4];
/** Number of past days that the network sees, and number of days whose mean and standard deviation scale them. */
const [CONTEXT_DAYS, SCALE_DAYS] = [7, 28];
/** Number of windows in the density, and the bandwidth of the kernel between contexts. */
const [WINDOWS, BANDWIDTH] = [24, 2];
/** One year out of this many is held out. */
const HELD_OUT_YEARS = 5;

/** `series` holds the number of births per day. */
export function birthsKernelDensity(series: readonly number[]): SuiteCase {
  const cutoffs = repeat(series.length - SCALE_DAYS - H, (i) => i + SCALE_DAYS);
  const isHeldOut = (cutoff: number) => Math.floor(cutoff / 365) % HELD_OUT_YEARS === HELD_OUT_YEARS - 1;
  const training = cutoffs.filter((cutoff) => !isHeldOut(cutoff));
  const heldOutCutoffs = cutoffs.filter(isHeldOut);
  const windows = training.map((cutoff) => scaled(series, cutoff));
  const references = repeat(WINDOWS, (i) => windows[Math.floor(((i + 0.5) * windows.length) / WINDOWS)]);
  const edges = binEdges(windows.flatMap(({ future }) => future));
  const components = kernels(references.map(({ future }) => future.map((value) => binOf(value, edges))));
  const paths = mixturePathProbabilities(K, H, components);
  const contextAt = (past: readonly number[]): SuiteContext => ({
    past: [],
    context: past,
    logWeights: logWeights(past, references),
  });
  const contexts = windows.map(({ past }) => contextAt(past));
  const heldOut = repeat(HELD_OUT_CONTEXTS, (i) =>
    contextAt(
      scaled(series, heldOutCutoffs[Math.floor((i * heldOutCutoffs.length) / HELD_OUT_CONTEXTS)]).past,
    ),
  );
  return {
    id: "V11",
    name: "kernel density over windows of daily births",
    purpose: "exact flows on a real series",
    problem: suiteProblem(K, H, heldOut[0], { reward: mixtureReward(components) }),
    settings: { ...DEFAULT_CASE_SETTINGS, network: { hidden: [128, 128] }, iterations: 2500 },
    sampleContext: (stream: RandomStream) => contexts[stream.integer(contexts.length)],
    evaluationContexts: heldOut,
    logRewards: (context) => mixtureLogRewards(paths, context),
  };
}

/**
 * The days before and after a cutoff, standardised by the mean and standard deviation of the four weeks before the
 * cutoff.
 */
function scaled(series: readonly number[], cutoff: number) {
  const weeks = series.slice(cutoff - SCALE_DAYS, cutoff);
  const [location, deviation] = [mean(weeks), Math.sqrt(variance(weeks))];
  const scale = (value: number) => (value - location) / deviation;
  return {
    past: series.slice(cutoff - CONTEXT_DAYS, cutoff).map(scale),
    future: series.slice(cutoff, cutoff + H).map(scale),
  };
}

/** Edges between K bins with equal numbers of values. */
function binEdges(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return repeat(K - 1, (i) => sorted[Math.floor(((i + 1) * sorted.length) / K)]);
}

function binOf(value: number, edges: readonly number[]): number {
  return edges.filter((edge) => value >= edge).length;
}

/** A discretised normal distribution with a standard deviation of one bin around each token of each window. */
function kernels(futures: readonly (readonly number[])[]): MixtureComponents {
  const logKernels = futures.flatMap((tokens) =>
    tokens.flatMap((token) => {
      const weights = repeat(K, (x) => Math.exp(-((x - token) ** 2) / 2));
      const sum = weights.reduce((total, weight) => total + weight);
      return weights.map((weight) => Math.log(weight / sum));
    }),
  );
  return { logKernels: Float64Array.from(logKernels), components: futures.length };
}

/** log w_i: a window has more weight the nearer its past is to the context. */
function logWeights(
  past: readonly number[],
  references: readonly { readonly past: readonly number[] }[],
): Float64Array {
  const logs = Float64Array.from(references, (reference) => {
    const distance = past.reduce((sum, value, i) => sum + (value - reference.past[i]) ** 2, 0);
    return -distance / (2 * BANDWIDTH ** 2);
  });
  const peak = logs.reduce((largest, log) => Math.max(largest, log));
  const sum = logs.reduce((total, log) => total + Math.exp(log - peak), 0);
  return logs.map((log) => log - peak - Math.log(sum));
}

/** Reads the birth data of the package. */
export async function readBirths(): Promise<number[]> {
  const [{ fileURLToPath }, { readTable }] = await Promise.all([
    import("node:url"),
    import("../data/read-table.ts"),
  ]);
  const file = new URL("../../../data/us-births-1969-1988.csv.gz", import.meta.url);
  const { targets } = await readTable(fileURLToPath(file));
  return Array.from(targets[0].values);
}
