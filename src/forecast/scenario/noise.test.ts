// Plans and what noise makes of them on small chains, where all paths can be listed.

import type { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { divergence, totalVariation } from "../../gfn/evaluate/distances.ts";
import { through, uniformChannel } from "../flow/channel.ts";
import { exactMeasures, lawOf, prefixMasses } from "../flow/exact.ts";
import { policyFor, reachable } from "../flow/reachable.ts";
import { tableReader } from "../flow/tables.ts";
import { logOf, randomTable, smoothed } from "../verify/processes.ts";
import { holds, parseCondition } from "./condition.ts";
import { chainContext, chainLaw } from "./law.ts";
import { intentions } from "./noise.ts";
import { type Asked, type RealisedPaths, type Sampled, samplePaths } from "./sampling.ts";
import { steeredModel } from "./steered.ts";

const [K, H] = [4, 3];
const START = 1;
const law = chainLaw(K, H);
const plainTable = randomTable(K, K, 1.5, RandomStream.fromSeed(3));
const tuning = { iterations: 300, seed: 1 };

function chainOf(table: Float64Array) {
  const logTable = logOf(table);
  return chainContext(
    K,
    START,
    Array.from({ length: H }, () => logTable),
  );
}

/** β log p of all paths, numbered as numbers of base K, the first token first; −∞ for those that are not allowed. */
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

/** What is wanted after every prefix, H × [Kᵗ, K], as the tuned policy has it; and its flows. */
async function wantedBy(asked: Asked, { tuned }: Sampled) {
  const reader = await tableReader(
    steeredModel({ ...asked, beta: asked.beta ?? 1, follows: 0, watch: null }),
    {
      forwardLooking: true,
      rewards: false,
    },
  );
  for await (const tables of reader.read(tuned.params, asked.contexts[0].inputs)) {
    await reader.dispose();
    return tables;
  }
  throw new Error("internal: no context was read");
}

/** Intentions as programs compute them, for the wanted laws of rows [R, K]. */
async function intended(wanted: Float32Array, noise: number): Promise<Float32Array> {
  const program = await compile(
    (inputs: Readonly<Record<string, np.Array>>) => ({ policy: intentions(inputs.wanted, noise) }),
    { wanted: spec([wanted.length / K, K]) },
  );
  const { policy } = await program.run({ wanted });
  await program.dispose();
  return policy as Float32Array;
}

/** Exact measures of what comes of the plans of a tuned policy; and KL if what is wanted were intended as it is. */
async function measured(asked: Asked, sampled: Sampled, logReward: Float64Array, noise: number) {
  const { policy, logFlow } = await wantedBy(asked, sampled);
  const plans: Float32Array[] = [];
  for (const logits of policy) plans.push((await intended(softmax(logits), noise)).map(Math.log));
  const channel = uniformChannel(K, noise);
  const { kl: naiveKl } = exactMeasures({ policy, logFlow }, logReward, channel);
  return { ...exactMeasures({ policy: plans, logFlow }, logReward, channel), plans, naiveKl };
}

function softmax(logits: Float32Array): Float32Array {
  return logits.map((logit, i) => {
    const row = logits.subarray(i - (i % K), i - (i % K) + K);
    return Math.exp(logit) / row.reduce((sum, other) => sum + Math.exp(other), 0);
  });
}

/** The nearest law there is, by dynamic programming. */
function nearest(logReward: Float64Array, noise: number): Float64Array {
  const { masses } = prefixMasses(logReward, K, H);
  return lawOf(K, H, (t, prefix) => {
    const rows = masses[t + 1].subarray(prefix * K, (prefix + 1) * K);
    const wanted = rows.map((mass) => (masses[t][prefix] > 0 ? mass / masses[t][prefix] : 1 / K));
    return reachable(wanted, uniformChannel(K, noise));
  });
}

function sharesOf(paths: readonly Float64Array[]): Float64Array {
  const shares = new Float64Array(K ** H);
  for (const path of paths) shares[path.reduce((number, x) => number * K + x, 0)] += 1 / paths.length;
  return shares;
}

function normalised(logReward: Float64Array): Float64Array {
  const { masses } = prefixMasses(logReward, K, H);
  return masses[H].map((mass) => mass / masses[0][0]);
}

/** Share of steps at which what was intended came. */
function comeTrue({ paths, intended }: RealisedPaths): number {
  const all = paths.flatMap((path, i) => Array.from(path, (x, t) => +(x === intended[i][t])));
  return all.reduce((sum, one) => sum + one) / all.length;
}

test("intentions are those of the nearest law there is, in reach or out of it", async () => {
  const stream = RandomStream.fromSeed(7);
  const wanted = Float32Array.from(randomTable(60, K, 2, stream));
  wanted.set([1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.4, 0.4, 0.2, 0], 0);
  for (const noise of [0.05, 0.3, 0.8]) {
    const channel = uniformChannel(K, noise);
    const policies = await intended(wanted, noise);
    let outOfReach = 0;
    for (let row = 0; row < 60; row++) {
      const policy = policies.subarray(row * K, (row + 1) * K);
      const exact = Float64Array.from(wanted.subarray(row * K, (row + 1) * K));
      const best = reachable(exact, channel);
      outOfReach += +policyFor(exact, channel)!.some((share) => share < 0);
      expect(policy.reduce((sum, share) => sum + share)).toBeCloseTo(1, 5);
      expect(totalVariation(best, through(policy, channel))).toBeLessThan(1e-5);
    }
    expect(outOfReach).toBeGreaterThan(2);
  }
});

test("a model's own law in reach comes as it is, of intentions (q - ε/K) / (1 - ε), and nothing is tuned", async () => {
  const noise = 0.2;
  const table = smoothed(plainTable, K, noise);
  const asked = { law, contexts: [chainOf(table)], steps: H, noise };
  const [sampled] = await samplePaths(asked, { proposals: 20_000 });
  expect(sampled.tuned.iterations).toBe(0);
  const exact = logRewards(table);
  const { tv, plans } = await measured(asked, sampled, exact, noise);
  expect(tv).toBeLessThan(1e-4);
  for (let x = 0; x < K; x++) {
    expect(Math.exp(plans[0][x])).toBeCloseTo((table[START * K + x] - noise / K) / (1 - noise), 4);
  }
  const realised = sampled.realised!;
  expect(realised.divergence).toBeCloseTo(0, 3);
  expect(realised.report.effective).toBeCloseTo(20_000, -1);
  // 20,000 perfect draws over 64 paths differ from their law by about 0.02.
  expect(totalVariation(normalised(exact), sharesOf(realised.paths))).toBeLessThan(0.03);
  // An intention comes true, or is drawn by chance.
  expect(comeTrue(realised)).toBeCloseTo(1 - noise + noise / K, 2);
});

test("a tempered law in reach: what comes follows it, once the policy is tuned", async () => {
  const [noise, beta] = [0.05, 0.5];
  const asked = { law, contexts: [chainOf(plainTable)], steps: H, beta, noise };
  const [sampled] = await samplePaths(asked, tuning);
  const exact = logRewards(plainTable, beta);
  const { tv, limitTv, logZError, plans } = await measured(asked, sampled, exact, noise);
  expect(limitTv).toBeLessThan(1e-12);
  expect(tv).toBeLessThan(0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  const { masses } = prefixMasses(exact, K, H);
  for (let x = 0; x < K; x++) {
    const wanted = masses[1][x] / masses[0][0];
    expect(Math.abs(Math.exp(plans[0][x]) - (wanted - noise / K) / (1 - noise))).toBeLessThan(0.02);
  }
  expect(sampled.realised!.divergence).toBeLessThan(0.01);
});

test("a tempered law out of reach: what comes is the nearest law there is, and the report says how near", async () => {
  const [noise, beta] = [0.3, 2];
  const asked = { law, contexts: [chainOf(plainTable)], steps: H, beta, noise };
  const [sampled] = await samplePaths(asked, tuning);
  const exact = logRewards(plainTable, beta);
  const best = nearest(exact, noise);
  const measures = await measured(asked, sampled, exact, noise);
  const { tv, kl, limitTv, limitKl, law: comes, logZError, naiveKl } = measures;
  expect(limitTv).toBeGreaterThan(0.1);
  expect(totalVariation(best, comes)).toBeLessThan(0.02);
  expect(tv).toBeLessThan(limitTv + 0.02);
  expect(kl).toBeLessThan(limitKl + 0.005);
  expect(naiveKl).toBeGreaterThan(limitKl + 0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  const { report, divergence: estimated } = sampled.realised!;
  expect(Math.abs(estimated - limitKl)).toBeLessThan(0.03);
  const target = normalised(exact);
  const worth = 1 / target.reduce((sum, p, i) => sum + p ** 2 / best[i], 0);
  expect(Math.abs(report.effective / report.drawn - worth)).toBeLessThan(0.05);
});

test("under a condition paths come as they come: as many meet it as of the nearest law there is", async () => {
  const noise = 0.3;
  const condition = parseCondition("sum <= 4");
  const asked = { law, contexts: [chainOf(plainTable)], steps: H, condition, noise };
  const [sampled] = await samplePaths(asked, { ...tuning, proposals: 4000 });
  const exact = logRewards(plainTable, 1, (path) => holds(condition, path));
  const best = nearest(exact, noise);
  const meeting = best.reduce((sum, p, i) => sum + (holds(condition, pathOf(i)) ? p : 0), 0);
  const { report, divergence: estimated, paths } = sampled.realised!;
  expect(meeting).toBeGreaterThan(4 * sampled.plain.acceptance);
  expect(meeting).toBeLessThan(0.9);
  expect(Math.abs(report.acceptance - meeting)).toBeLessThan(0.05);
  expect(paths.filter((path) => holds(condition, path)).length / 4000).toBeCloseTo(report.acceptance, 10);
  expect(Math.abs(estimated - divergence(normalised(exact), best))).toBeLessThan(0.1);
});

test("no noise is as if none were asked for, to the bit", async () => {
  const asked = { law, contexts: [chainOf(plainTable)], steps: H, condition: parseCondition("last >= 2") };
  const options = { iterations: 20, seed: 4, proposals: 200 };
  const [[without], [zero]] = [
    await samplePaths(asked, options),
    await samplePaths({ ...asked, noise: 0 }, options),
  ];
  expect(zero.paths).toEqual(without.paths);
  expect(zero.logWeights).toEqual(without.logWeights);
  expect(zero.tuned.params).toEqual(without.tuned.params);
  expect(zero.realised).toBeUndefined();
});

test.each([-0.1, 1, Number.NaN])("noise of %s is refused", async (noise) => {
  await expect(
    samplePaths({ law, contexts: [chainOf(plainTable)], steps: H, noise }, { iterations: 0 }),
  ).rejects.toThrow(`scenario: noise must be from 0 on and below 1, got ${noise}`);
});
