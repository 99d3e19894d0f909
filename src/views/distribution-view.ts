// The view `distribution`: the target beside the learned distribution and the best reachable one.
//
// Where all states can be enumerated it is exact. Otherwise the learned probabilities are frequencies of samples; and where
// not even all rewards are known, the objects are those that the run has scored.

import { logProbabilityMethod } from "../gfn/evaluate/log-probability.ts";
import { logSumExp } from "../math/softmax.ts";
import { mean } from "../math/statistics.ts";
import { abbreviated, rounded, short, spacedIndices } from "./numbers.ts";
import type { EnumeratedRun, KnownTarget, OpenedRun, ScoredObjects } from "./opened-run.ts";
import { limitNotes } from "./run-limit.ts";
import { SAMPLES, sampledFrequencies } from "./sampled-frequencies.ts";
import type { DistributionView } from "./view-data.ts";

/** Up to this many objects, each has a rank of its own. */
const MOST_RANKS = 400;
/** Points of log P against log R: all of the best ones, and a spread of the others. */
const [BEST_POINTS, MOST_POINTS] = [500, 1500];

export async function distributionView(run: OpenedRun): Promise<DistributionView> {
  if (run.known) return knownView(run, run.known);
  const scored = await run.scored();
  if (!scored) throw new Error("internal: a run without a table of scores has scored no object");
  return scoredView(run, scored);
}

/** The view of a run whose rewards are all known. */
export async function knownView(
  run: EnumeratedRun,
  { reward, target, logZ }: KnownTarget,
): Promise<DistributionView> {
  const tables = await run.tables();
  const limit = run.limit();
  const learned = tables ? tables.visits.terminals : await sampledFrequencies(run, target.length);
  const order = sortedBy(target);
  const bins = rankBins(order.length);
  const meansOf = (values: Float64Array) =>
    bins.map(([from, to]) => short(mean(Float64Array.from(order.subarray(from, to), (i) => values[i]))));
  const logOf = (values: Float64Array | undefined, i: number) =>
    values && values[i] > 0 ? rounded(Math.log(values[i])) : null;
  return {
    view: "distribution",
    exact: tables !== null,
    notes: [
      ...(tables
        ? []
        : [
            `The learned probabilities are frequencies of ${SAMPLES} samples; an object without a sample has none.`,
          ]),
      ...(bins.length < order.length ? [`${order.length} ranks are shown as ${bins.length} means.`] : []),
      ...(order.length > MOST_POINTS
        ? [
            `${MOST_POINTS} of ${order.length} objects are shown as points: the ${BEST_POINTS} of highest reward and a spread of the others.`,
          ]
        : []),
      ...limitNotes(limit),
    ],
    objects: order.length,
    sorted: {
      rank: bins.map(middleOf),
      target: meansOf(target),
      learned: meansOf(learned),
      limit: limit && meansOf(limit.terminals),
    },
    points: chosenRanks(order.length).map((rank) => {
      const i = order[rank];
      return {
        object: abbreviated(run.task.decode(i)),
        logReward: short(Math.log(reward[i])),
        logLearned: logOf(learned, i),
        logLimit: logOf(limit?.terminals, i),
      };
    }),
    logZ: short(logZ),
  };
}

async function scoredView(
  run: OpenedRun,
  { objects, logRewards, notes }: ScoredObjects,
): Promise<DistributionView> {
  const method = logProbabilityMethod(run.model, run.learnsDynamics);
  const isExact = method === "product" || method === "enumeration";
  const order = sortedBy(logRewards);
  const ranks = chosenRanks(order.length);
  const chosen = ranks.map((rank) => objects[order[rank]]);
  const logs = isExact
    ? (await run.trained.logProbabilities(chosen)).map(({ logProbability }) => logProbability)
    : null;
  const logOfRank = new Map(ranks.map((rank, i) => [rank, logs?.[i] ?? Number.NaN]));
  // Probabilities of the target and of the policy within the scored objects. Those of the policy are known at some ranks;
  // their mean stands for the other ranks of a bin.
  const logSum = order.length > 0 ? logSumExp(logRewards) : 0;
  const bins = rankBins(order.length);
  const binMeans = bins.map(([from, to]) => {
    const some = ranks
      .filter((rank) => rank >= from && rank < to)
      .map((rank) => Math.exp(logOfRank.get(rank) as number));
    return some.length > 0 ? mean(some) : Number.NaN;
  });
  const shown = bins.flatMap((_, i) => (logs && Number.isNaN(binMeans[i]) ? [] : [i]));
  const covered = shown.reduce((sum, i) => sum + binMeans[i] * (bins[i][1] - bins[i][0]), 0);
  const isComplete = logs !== null && ranks.length === order.length;
  return {
    view: "distribution",
    exact: isComplete,
    notes: [
      `The objects are the ${objects.length} that the run has scored; probabilities are shares among them.`,
      ...notes,
      ...(logs
        ? [`The policy gives them a probability of ${isComplete ? "" : "about "}${short(covered, 3)} in all.`]
        : [
            "The probabilities of the policy are not shown, because they would have to be estimated: its networks read earlier actions.",
          ]),
    ],
    objects: order.length,
    sorted: {
      rank: shown.map((i) => middleOf(bins[i])),
      target: shown.map((i) => {
        const [from, to] = bins[i];
        const shares = Float64Array.from(order.subarray(from, to), (at) => Math.exp(logRewards[at] - logSum));
        return short(mean(shares));
      }),
      learned: logs && covered > 0 ? shown.map((i) => short(binMeans[i] / covered)) : [],
      limit: null,
    },
    points: ranks.map((rank, i) => ({
      object: abbreviated(chosen[i]),
      logReward: short(logRewards[order[rank]]),
      logLearned: logs && rounded(logs[i]),
      logLimit: null,
    })),
    // The line on which the policy would have the shares of the target among the scored objects.
    logZ: short(logSum - (logs && covered > 0 ? Math.log(covered) : 0)),
  };
}

/** Indices in the order of decreasing values; equal ones in their own order. */
function sortedBy(values: Float64Array): Int32Array {
  return Int32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
}

type Bin = readonly [from: number, to: number];

/** Ranges of ranks: one rank each if they are few, otherwise ranges whose ends are evenly spaced on a logarithmic axis. */
export function rankBins(count: number): Bin[] {
  if (count <= MOST_RANKS) return Array.from({ length: count }, (_, rank) => [rank, rank + 1]);
  const ends: number[] = [];
  for (let k = 0; k <= MOST_RANKS; k++) {
    const end = Math.round(count ** (k / MOST_RANKS));
    if (end > (ends.at(-1) ?? 0)) ends.push(end);
  }
  return ends.map((end, i) => [i === 0 ? 0 : ends[i - 1], end]);
}

/** The rank in the middle of a bin, counted from 1. */
function middleOf([from, to]: Bin): number {
  return (from + 1 + to) / 2;
}

/** Ranks of the objects that are shown as points. */
export function chosenRanks(count: number): number[] {
  if (count <= MOST_POINTS) return Array.from({ length: count }, (_, rank) => rank);
  const others = spacedIndices(count - BEST_POINTS, MOST_POINTS - BEST_POINTS);
  return [...Array.from({ length: BEST_POINTS }, (_, rank) => rank), ...others.map((i) => BEST_POINTS + i)];
}
