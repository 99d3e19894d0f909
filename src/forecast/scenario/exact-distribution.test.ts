// Scenarios on small Markov chains, compared with exact values: distributions by enumeration of all paths, events and gaps
// by dynamic programming.

import { expect, test } from "vitest";
import { markovChain, markovChainContext } from "../../../test/support/markov-chain.ts";
import { RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { exactMetrics } from "../flow/exact.ts";
import { prefixTabulator } from "../flow/prefix-tables.ts";
import { discretisedAutoregression, logarithms, randomTable } from "../verify/processes.ts";
import { meetsCondition, parseCondition } from "./condition.ts";
import { eventProbabilitiesOf } from "./event.ts";
import { partiallyObserved, partiallyObservedContext } from "./partially-observed.ts";
import type { PathContext } from "./path-distribution.ts";
import { proposalModel, TEMPERING } from "./proposal.ts";
import { type PathRequest, type SampledPaths, samplePaths } from "./sample-paths.ts";

const [K, H] = [4, 4];
const START = 1;
const table = logarithms(randomTable(K, K, 1.5, RandomStream.fromSeed(3)));
const chain = markovChainContext(
  K,
  START,
  Array.from({ length: H }, () => table),
);
const distribution = markovChain(K, H);
const fineTuning = { iterations: 200, seed: 1 };

/** The values of a function for all paths with this number of steps. The tokens of a path form its index in base K. */
function forAllPaths(
  steps: number,
  of: (path: readonly number[], logLikelihood: number) => number,
): Float64Array {
  return Float64Array.from({ length: K ** steps }, (_, number) => {
    const path = Array.from({ length: steps }, (_, t) => Math.floor(number / K ** (steps - 1 - t)) % K);
    const log = path.reduce((sum, x, t) => sum + table[(t > 0 ? path[t - 1] : START) * K + x], 0);
    return of(path, log);
  });
}

/** Exact metrics of the fine-tuned proposal, without importance weights. */
async function proposalMetrics(
  request: PathRequest,
  sampled: SampledPaths,
  context: PathContext,
  logReward: Float64Array,
) {
  const { beta = 1, stepsAfter = 0 } = request;
  const model = proposalModel({ ...request, beta, stepsAfter, constraint: null });
  const tabulator = await prefixTabulator(model, { forwardLooking: true, rewards: false });
  const arrays = { ...context.inputs, ...(stepsAfter > 0 && { [TEMPERING]: Float32Array.of(1) }) };
  for await (const tables of tabulator.tabulate(sampled.fineTuned.params, arrays)) {
    await tabulator.dispose();
    return exactMetrics(tables, logReward, null);
  }
  throw new Error("internal: there is no context");
}

/** Weighted frequencies of all paths, [K^steps]. */
function weightedFrequencies({ paths, logWeights, met }: SampledPaths): Float64Array {
  const shares = new Float64Array(K ** paths[0].length);
  paths.forEach((path, i) => {
    if (met[i]) shares[path.reduce((number, x) => number * K + x, 0)] += Math.exp(logWeights[i]);
  });
  const sum = shares.reduce((total, share) => total + share);
  return shares.map((share) => share / sum);
}

test("at temperature 1 without a condition there is no fine-tuning, and all paths have weight 1", async () => {
  const [sampled] = await samplePaths({ distribution, contexts: [chain], steps: H }, { proposals: 2000 });
  expect(sampled.fineTuned.iterations).toBe(0);
  sampled.logWeights.forEach((log) => {
    expect(log).toBeCloseTo(0, 4);
  });
  expect(sampled.report).toMatchObject({ drawn: 2000, acceptance: 1 });
  expect(sampled.report.effectiveSampleSize).toBeCloseTo(2000, 0);
  const exact = forAllPaths(H, (_, log) => Math.exp(log));
  // The sampling floor of 2000 samples over 256 paths.
  expect(totalVariation(exact, weightedFrequencies(sampled))).toBeLessThan(0.13);
});

test.each([0.5, 2])("with β = %s the proposal itself is close to the tempered distribution", async (beta) => {
  const request = { distribution, contexts: [chain], steps: H, beta };
  const [sampled] = await samplePaths(request, fineTuning);
  const target = forAllPaths(H, (_, log) => beta * log);
  const { tv, logZ, logZError } = await proposalMetrics(request, sampled, chain, target);
  const [before] = await samplePaths(request, { iterations: 0 });
  expect(tv).toBeLessThan(0.02);
  expect(tv).toBeLessThan((await proposalMetrics(request, before, chain, target)).tv / 3);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError + 1e-3);
  expect(sampled.report.effectiveSampleSize).toBeGreaterThan(1900);
});

test("a gap is filled with the marginals of the forward-backward algorithm", async () => {
  // Three steps are missing, and token 3 is observed after them.
  const [steps, stepsAfter, right] = [3, 1, 3];
  const context = {
    ...chain,
    inputs: { ...chain.inputs, after: Float32Array.from([0, 1, 2, 3], (k) => +(k === right)) },
  };
  const request = { distribution, contexts: [context], steps, stepsAfter };
  const [sampled] = await samplePaths(request, fineTuning);
  const target = forAllPaths(steps, (path, log) => log + table[path[steps - 1] * K + right]);
  const { tv, logZError, logZ } = await proposalMetrics(request, sampled, context, target);
  expect(tv).toBeLessThan(0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError);
  // The marginal of each step is proportional to the product of forward and backward probabilities.
  const P = table.map(Math.exp);
  const forward: Float64Array[] = [Float64Array.from({ length: K }, (_, x) => P[START * K + x])];
  for (let t = 1; t < steps; t++) forward.push(times(forward[t - 1], P));
  const backward: Float64Array[] = [Float64Array.from({ length: K }, (_, x) => P[x * K + right])];
  for (let t = 1; t < steps; t++) backward.unshift(timesTransposed(backward[0], P));
  const shares = weightedFrequencies(sampled);
  for (let t = 0; t < steps; t++) {
    const both = forward[t].map((mass, x) => mass * backward[t][x]);
    const sum = both.reduce((total, mass) => total + mass);
    const marginal = new Float64Array(K);
    shares.forEach((share, number) => {
      marginal[Math.floor(number / K ** (steps - 1 - t)) % K] += share;
    });
    expect(
      totalVariation(
        both.map((mass) => mass / sum),
        marginal,
      ),
    ).toBeLessThan(0.04);
  }
});

test("observed tokens inside a gap influence the tokens before and after them", async () => {
  // Four steps: token 0 is observed at the second, token 3 at the last.
  const observed = [-1, 0, -1, 3];
  const request = {
    distribution: partiallyObserved(distribution, H),
    contexts: [partiallyObservedContext(chain, observed, K)],
    steps: H,
  };
  const [sampled] = await samplePaths(request, fineTuning);
  const target = forAllPaths(H, (path, log) =>
    observed.every((token, t) => token < 0 || path[t] === token) ? log : Number.NEGATIVE_INFINITY,
  );
  const { tv, logZ, logZError } = await proposalMetrics(request, sampled, request.contexts[0], target);
  const [before] = await samplePaths(request, { iterations: 0 });
  expect(tv).toBeLessThan(0.02);
  expect(tv).toBeLessThan((await proposalMetrics(request, before, request.contexts[0], target)).tv / 3);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError + 1e-3);
  for (const path of sampled.paths) expect([path[1], path[3]]).toEqual([0, 3]);
});

test("a condition leads to the distribution restricted to the paths that meet it", async () => {
  const condition = parseCondition("sum >= 9 and last <= 2");
  const [sampled] = await samplePaths({ distribution, contexts: [chain], steps: H, condition }, fineTuning);
  const restricted = forAllPaths(H, (path, log) => (meetsCondition(condition, path) ? Math.exp(log) : 0));
  const probability = restricted.reduce((sum, p) => sum + p);
  expect(Math.abs(sampled.report.logZ - Math.log(probability))).toBeLessThan(
    4 * sampled.report.relativeError,
  );
  expect(sampled.report.acceptance).toBeGreaterThan(3 * sampled.baseReport.acceptance);
  expect(sampled.report.effectiveSampleSize).toBeGreaterThan(1000);
  expect(
    totalVariation(
      restricted.map((p) => p / probability),
      weightedFrequencies(sampled),
    ),
  ).toBeLessThan(0.08);
});

test("the probability of a rare event has a smaller error than by counting", async () => {
  const [tokens, steps, start] = [8, 6, 3];
  const P = discretisedAutoregression(tokens, 0.6, 0.5, 2);
  const tables = Array.from({ length: steps }, () => logarithms(P));
  const exact = probabilityOfSum(P, tokens, steps, start, 38);
  expect(exact).toBeGreaterThan(5e-5);
  expect(exact).toBeLessThan(2e-4);
  const [estimate] = await eventProbabilitiesOf(
    {
      distribution: markovChain(tokens, steps),
      contexts: [markovChainContext(tokens, start, tables)],
      steps,
    },
    "sum >= 38",
    { ...fineTuning, proposals: 2000 },
  );
  expect(Math.abs(estimate.probability - exact)).toBeLessThan(3 * estimate.standardError);
  expect(estimate.standardError).toBeLessThan(0.1 * exact);
  // The standard error of counting among as many samples exceeds the probability itself.
  expect(Math.sqrt((exact * (1 - exact)) / 2000)).toBeGreaterThan(10 * estimate.standardError);
  expect(Math.abs(estimate.learnedLogProbability - Math.log(exact))).toBeLessThan(1);
});

test("with a condition, the probability of an event is conditional on it", async () => {
  const condition = parseCondition("first >= 2");
  const both = forAllPaths(H, (path, log) => (path[0] >= 2 && path[H - 1] <= 0 ? Math.exp(log) : 0));
  const one = forAllPaths(H, (path, log) => (path[0] >= 2 ? Math.exp(log) : 0));
  const sum = (all: Float64Array) => all.reduce((total, p) => total + p);
  const [estimate] = await eventProbabilitiesOf(
    { distribution, contexts: [chain], steps: H, condition },
    "last <= 0",
    {
      ...fineTuning,
      iterations: 150,
    },
  );
  expect(Math.abs(estimate.probability - sum(both) / sum(one))).toBeLessThan(3 * estimate.standardError);
  expect(estimate.standardError).toBeLessThan(0.02);
});

test("a certain event has a probability of at most 1, whatever the weights are", async () => {
  const request = { distribution, contexts: [chain], steps: H, condition: parseCondition("first >= 2") };
  for (const seed of [0, 1, 2, 3, 4]) {
    const [estimate] = await eventProbabilitiesOf(request, "first >= 2", {
      iterations: 0,
      proposals: 500,
      seed,
    });
    expect(estimate.probability).toBeLessThanOrEqual(1);
    expect(estimate.probability).toBeGreaterThan(1 - 4 * estimate.standardError);
  }
});

/** P(Σ x ≥ least) by dynamic programming over the last token and the sum. */
function probabilityOfSum(P: Float64Array, K: number, steps: number, start: number, least: number): number {
  let masses = new Map<string, number>([[`${start} 0`, 1]]);
  for (let t = 0; t < steps; t++) {
    const next = new Map<string, number>();
    for (const [key, mass] of masses) {
      const [token, sum] = key.split(" ").map(Number);
      for (let x = 0; x < K; x++) {
        const place = `${x} ${sum + x}`;
        next.set(place, (next.get(place) ?? 0) + mass * P[token * K + x]);
      }
    }
    masses = next;
  }
  let probability = 0;
  for (const [key, mass] of masses) if (Number(key.split(" ")[1]) >= least) probability += mass;
  return probability;
}

function times(row: Float64Array, P: Float64Array): Float64Array {
  return row.map((_, x) => row.reduce((sum, mass, k) => sum + mass * P[k * K + x], 0));
}

function timesTransposed(column: Float64Array, P: Float64Array): Float64Array {
  return column.map((_, x) => column.reduce((sum, mass, k) => sum + mass * P[x * K + k], 0));
}
