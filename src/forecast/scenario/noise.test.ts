// Plans with noise on small Markov chains, compared with the enumeration of all paths.

import type { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { markovChain, markovChainContext } from "../../../test/support/markov-chain.ts";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { klDivergence, totalVariation } from "../../math/distances.ts";
import { applyChannel, uniformChannel } from "../flow/channel.ts";
import { exactMetrics, pathProbabilities, prefixFlows } from "../flow/exact.ts";
import { policyRealising, reachableLimit } from "../flow/limit.ts";
import { prefixTabulator } from "../flow/prefix-tables.ts";
import { logarithms, randomTable, smoothed } from "../verify/processes.ts";
import { meetsCondition, parseCondition } from "./condition.ts";
import { nearestActions } from "./noise.ts";
import { proposalModel } from "./proposal.ts";
import { type PathRequest, type RealisedPaths, type SampledPaths, samplePaths } from "./sample-paths.ts";

const [K, H] = [4, 3];
const START = 1;
const distribution = markovChain(K, H);
const transitionTable = randomTable(K, K, 1.5, RandomStream.fromSeed(3));
const fineTuning = { iterations: 300, seed: 1 };

function chainOf(table: Float64Array) {
  const logTable = logarithms(table);
  return markovChainContext(
    K,
    START,
    Array.from({ length: H }, () => logTable),
  );
}

/** β log p of all paths, indexed by their tokens in base K; −∞ for paths that are not allowed. */
function logRewards(table: Float64Array, beta = 1, allowed = (_: readonly number[]) => true): Float64Array {
  return Float64Array.from({ length: K ** H }, (_, number) => {
    const path = pathOf(number);
    const p = path.reduce((product, x, t) => product * table[(t > 0 ? path[t - 1] : START) * K + x], 1);
    return allowed(path) ? beta * Math.log(p) : Number.NEGATIVE_INFINITY;
  });
}

function pathOf(number: number): number[] {
  return Array.from({ length: H }, (_, t) => Math.floor(number / K ** (H - 1 - t)) % K);
}

/** The prefix tables of the fine-tuned proposal. */
async function proposalTables(request: PathRequest, { fineTuned: tuned }: SampledPaths) {
  const tabulator = await prefixTabulator(
    proposalModel({ ...request, beta: request.beta ?? 1, stepsAfter: 0, constraint: null }),
    {
      forwardLooking: true,
      rewards: false,
    },
  );
  for await (const tables of tabulator.tabulate(tuned.params, request.contexts[0].inputs)) {
    await tabulator.dispose();
    return tables;
  }
  throw new Error("internal: there is no context");
}

/** The nearest actions as a program computes them, for wanted distributions [R, K]. */
async function nearestActionsOf(wanted: Float32Array, noise: number): Promise<Float32Array> {
  const program = await compile(
    (inputs: Readonly<Record<string, np.Array>>) => ({ policy: nearestActions(inputs.wanted, noise) }),
    { wanted: spec([wanted.length / K, K]) },
  );
  const { policy } = await program.run({ wanted });
  await program.dispose();
  return policy as Float32Array;
}

/** Exact metrics of the plans of a fine-tuned proposal, and the KL divergence if the proposal itself were the plan. */
async function planMetrics(
  request: PathRequest,
  sampled: SampledPaths,
  logReward: Float64Array,
  noise: number,
) {
  const { policy, logFlow } = await proposalTables(request, sampled);
  const plans: Float32Array[] = [];
  for (const logits of policy) plans.push((await nearestActionsOf(softmax(logits), noise)).map(Math.log));
  const channel = uniformChannel(K, noise);
  const { kl: naiveKl } = exactMetrics({ policy, logFlow }, logReward, channel);
  return { ...exactMetrics({ policy: plans, logFlow }, logReward, channel), plans, naiveKl };
}

function softmax(logits: Float32Array): Float32Array {
  return logits.map((logit, i) => {
    const row = logits.subarray(i - (i % K), i - (i % K) + K);
    return Math.exp(logit) / row.reduce((sum, other) => sum + Math.exp(other), 0);
  });
}

/** The limit: the nearest reachable distribution of paths, by dynamic programming. */
function limitOf(logReward: Float64Array, noise: number): Float64Array {
  const { flows } = prefixFlows(logReward, K, H);
  return pathProbabilities(K, H, (t, prefix) => {
    const rows = flows[t + 1].subarray(prefix * K, (prefix + 1) * K);
    const wanted = rows.map((flow) => (flows[t][prefix] > 0 ? flow / flows[t][prefix] : 1 / K));
    return reachableLimit(wanted, uniformChannel(K, noise));
  });
}

function frequenciesOf(paths: readonly Float64Array[]): Float64Array {
  const shares = new Float64Array(K ** H);
  for (const path of paths) shares[path.reduce((number, x) => number * K + x, 0)] += 1 / paths.length;
  return shares;
}

function normalised(logReward: Float64Array): Float64Array {
  const { flows } = prefixFlows(logReward, K, H);
  return flows[H].map((flow) => flow / flows[0][0]);
}

/** Share of steps whose action was realised. */
function realisedShare({ paths, intended }: RealisedPaths): number {
  const all = paths.flatMap((path, i) => Array.from(path, (x, t) => +(x === intended[i][t])));
  return all.reduce((sum, one) => sum + one) / all.length;
}

test("the nearest actions lead to the nearest reachable distribution", async () => {
  const stream = RandomStream.fromSeed(7);
  const wanted = Float32Array.from(randomTable(60, K, 2, stream));
  wanted.set([1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.4, 0.4, 0.2, 0], 0);
  for (const noise of [0.05, 0.3, 0.8]) {
    const channel = uniformChannel(K, noise);
    const policies = await nearestActionsOf(wanted, noise);
    let outOfReach = 0;
    for (let row = 0; row < 60; row++) {
      const policy = policies.subarray(row * K, (row + 1) * K);
      const exact = Float64Array.from(wanted.subarray(row * K, (row + 1) * K));
      const best = reachableLimit(exact, channel);
      outOfReach += +policyRealising(exact, channel)!.some((share) => share < 0);
      expect(policy.reduce((sum, share) => sum + share)).toBeCloseTo(1, 5);
      expect(totalVariation(best, applyChannel(policy, channel))).toBeLessThan(1e-5);
    }
    expect(outOfReach).toBeGreaterThan(2);
  }
});

test("a reachable base distribution is realised exactly by actions (q - ε/K) / (1 - ε), without fine-tuning", async () => {
  const noise = 0.2;
  const table = smoothed(transitionTable, K, noise);
  const request = { distribution, contexts: [chainOf(table)], steps: H, noise };
  const [sampled] = await samplePaths(request, { proposals: 20_000 });
  expect(sampled.fineTuned.iterations).toBe(0);
  const exact = logRewards(table);
  const { tv, plans } = await planMetrics(request, sampled, exact, noise);
  expect(tv).toBeLessThan(1e-4);
  for (let x = 0; x < K; x++) {
    expect(Math.exp(plans[0][x])).toBeCloseTo((table[START * K + x] - noise / K) / (1 - noise), 4);
  }
  const realised = sampled.realised!;
  expect(realised.divergence).toBeCloseTo(0, 3);
  expect(realised.report.effectiveSampleSize).toBeCloseTo(20_000, -1);
  // The sampling floor of 20,000 samples over 64 paths is about 0.02.
  expect(totalVariation(normalised(exact), frequenciesOf(realised.paths))).toBeLessThan(0.03);
  // An action is realised if there is no noise, or if the uniform token equals it.
  expect(realisedShare(realised)).toBeCloseTo(1 - noise + noise / K, 2);
});

test("a reachable tempered distribution is realised after fine-tuning", async () => {
  const [noise, beta] = [0.05, 0.5];
  const request = { distribution, contexts: [chainOf(transitionTable)], steps: H, beta, noise };
  const [sampled] = await samplePaths(request, fineTuning);
  const exact = logRewards(transitionTable, beta);
  const { tv, limitTv, logZError, plans } = await planMetrics(request, sampled, exact, noise);
  expect(limitTv).toBeLessThan(1e-12);
  expect(tv).toBeLessThan(0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  const { flows } = prefixFlows(exact, K, H);
  for (let x = 0; x < K; x++) {
    const wanted = flows[1][x] / flows[0][0];
    expect(Math.abs(Math.exp(plans[0][x]) - (wanted - noise / K) / (1 - noise))).toBeLessThan(0.02);
  }
  expect(sampled.realised!.divergence).toBeLessThan(0.01);
});

test("for an unreachable tempered distribution the limit is realised, and the report estimates its distance", async () => {
  const [noise, beta] = [0.3, 2];
  const request = { distribution, contexts: [chainOf(transitionTable)], steps: H, beta, noise };
  const [sampled] = await samplePaths(request, fineTuning);
  const exact = logRewards(transitionTable, beta);
  const best = limitOf(exact, noise);
  const metrics = await planMetrics(request, sampled, exact, noise);
  const { tv, kl, limitTv, limitKl, distribution: realised, logZError, naiveKl } = metrics;
  expect(limitTv).toBeGreaterThan(0.1);
  expect(totalVariation(best, realised)).toBeLessThan(0.02);
  expect(tv).toBeLessThan(limitTv + 0.02);
  expect(kl).toBeLessThan(limitKl + 0.005);
  expect(naiveKl).toBeGreaterThan(limitKl + 0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  const { report, divergence: estimated } = sampled.realised!;
  expect(Math.abs(estimated - limitKl)).toBeLessThan(0.03);
  const target = normalised(exact);
  const share = 1 / target.reduce((sum, p, i) => sum + p ** 2 / best[i], 0);
  expect(Math.abs(report.effectiveSampleSize / report.drawn - share)).toBeLessThan(0.05);
});

test("under a condition the share of realised paths that meet it is that of the limit", async () => {
  const noise = 0.3;
  const condition = parseCondition("sum <= 4");
  const request = { distribution, contexts: [chainOf(transitionTable)], steps: H, condition, noise };
  const [sampled] = await samplePaths(request, { ...fineTuning, proposals: 4000 });
  const exact = logRewards(transitionTable, 1, (path) => meetsCondition(condition, path));
  const best = limitOf(exact, noise);
  const meeting = best.reduce((sum, p, i) => sum + (meetsCondition(condition, pathOf(i)) ? p : 0), 0);
  const { report, divergence: estimated, paths } = sampled.realised!;
  expect(meeting).toBeGreaterThan(4 * sampled.baseReport.acceptance);
  expect(meeting).toBeLessThan(0.9);
  expect(Math.abs(report.acceptance - meeting)).toBeLessThan(0.05);
  expect(paths.filter((path) => meetsCondition(condition, path)).length / 4000).toBeCloseTo(
    report.acceptance,
    10,
  );
  expect(Math.abs(estimated - klDivergence(normalised(exact), best))).toBeLessThan(0.1);
});

test("noise of 0 gives bit-identical results to no noise", async () => {
  const request = {
    distribution,
    contexts: [chainOf(transitionTable)],
    steps: H,
    condition: parseCondition("last >= 2"),
  };
  const options = { iterations: 20, seed: 4, proposals: 200 };
  const [[without], [zero]] = [
    await samplePaths(request, options),
    await samplePaths({ ...request, noise: 0 }, options),
  ];
  expect(zero.paths).toEqual(without.paths);
  expect(zero.logWeights).toEqual(without.logWeights);
  expect(zero.fineTuned.params).toEqual(without.fineTuned.params);
  expect(zero.realised).toBeUndefined();
});

test.each([-0.1, 1, Number.NaN])("noise of %s is rejected", async (noise) => {
  await expect(
    samplePaths({ distribution, contexts: [chainOf(transitionTable)], steps: H, noise }, { iterations: 0 }),
  ).rejects.toThrow(`noise: must be a number in [0, 1), got ${noise}`);
});
