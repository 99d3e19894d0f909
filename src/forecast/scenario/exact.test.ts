// Scenarios on small chains, where everything is known: laws by listing all paths, events and gaps by dynamic programming.

import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { exactMeasures } from "../flow/exact.ts";
import { tableReader } from "../flow/tables.ts";
import { autoregression, logOf, randomTable } from "../verify/processes.ts";
import { holds, parseCondition } from "./condition.ts";
import { eventChances } from "./event.ts";
import { givenContext, givenLaw } from "./given.ts";
import { chainContext, chainLaw, type LawContext } from "./law.ts";
import { type Asked, type Sampled, samplePaths } from "./sampling.ts";
import { POWER, steeredModel } from "./steered.ts";

const [K, H] = [4, 4];
const START = 1;
const table = logOf(randomTable(K, K, 1.5, RandomStream.fromSeed(3)));
const chain = chainContext(
  K,
  START,
  Array.from({ length: H }, () => table),
);
const law = chainLaw(K, H);
const tuning = { iterations: 300, seed: 1 };

/** log p of all paths of so many steps; numbered as numbers of base K, the first token first. */
function listed(steps: number, of: (path: readonly number[], logLikelihood: number) => number): Float64Array {
  return Float64Array.from({ length: K ** steps }, (_, number) => {
    const path = Array.from({ length: steps }, (_, t) => Math.floor(number / K ** (steps - 1 - t)) % K);
    const log = path.reduce((sum, x, t) => sum + table[(t > 0 ? path[t - 1] : START) * K + x], 0);
    return of(path, log);
  });
}

/** The tuned policy against its target, before any weights. */
async function measures(asked: Asked, sampled: Sampled, context: LawContext, logReward: Float64Array) {
  const { beta = 1, follows = 0 } = asked;
  const model = steeredModel({ ...asked, beta, follows, watch: null });
  const reader = await tableReader(model, { forwardLooking: true, rewards: false });
  const arrays = { ...context.inputs, ...(follows > 0 && { [POWER]: Float32Array.of(1) }) };
  for await (const tables of reader.read(sampled.tuned.params, arrays)) {
    await reader.dispose();
    return exactMeasures(tables, logReward, null);
  }
  throw new Error("internal: no context was read");
}

/** Weighted shares of all paths, [K^steps]. */
function weightedLaw({ paths, logWeights, met }: Sampled): Float64Array {
  const shares = new Float64Array(K ** paths[0].length);
  paths.forEach((path, i) => {
    if (met[i]) shares[path.reduce((number, x) => number * K + x, 0)] += Math.exp(logWeights[i]);
  });
  const sum = shares.reduce((total, share) => total + share);
  return shares.map((share) => share / sum);
}

test("at temperature 1 and without a condition, nothing is tuned and all paths weigh 1", async () => {
  const [plain] = await samplePaths({ law, contexts: [chain], steps: H }, { proposals: 2000 });
  expect(plain.tuned.iterations).toBe(0);
  plain.logWeights.forEach((log) => {
    expect(log).toBeCloseTo(0, 4);
  });
  expect(plain.report).toMatchObject({ drawn: 2000, acceptance: 1 });
  expect(plain.report.effective).toBeCloseTo(2000, 0);
  const exact = listed(H, (_, log) => Math.exp(log));
  // 2000 perfect draws over 256 paths differ from their law by about this much.
  expect(totalVariation(exact, weightedLaw(plain))).toBeLessThan(0.13);
});

test.each([0.5, 2])("likelihood to the power %s: the policy's own law is the tempered one", async (beta) => {
  const asked = { law, contexts: [chain], steps: H, beta };
  const [sampled] = await samplePaths(asked, tuning);
  const target = listed(H, (_, log) => beta * log);
  const { tv, logZ, logZError } = await measures(asked, sampled, chain, target);
  const [before] = await samplePaths(asked, { iterations: 0 });
  expect(tv).toBeLessThan(0.02);
  expect(tv).toBeLessThan((await measures(asked, before, chain, target)).tv / 3);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError + 1e-3);
  expect(sampled.report.effective).toBeGreaterThan(1900);
});

test("a gap is filled as forward and backward probabilities say", async () => {
  // Two steps are missing, the third is not known either, and token 3 follows.
  const [steps, follows, right] = [3, 1, 3];
  const context = {
    ...chain,
    inputs: { ...chain.inputs, after: Float32Array.from([0, 1, 2, 3], (k) => +(k === right)) },
  };
  const asked = { law, contexts: [context], steps, follows };
  const [sampled] = await samplePaths(asked, tuning);
  const target = listed(steps, (path, log) => log + table[path[steps - 1] * K + right]);
  const { tv, logZError, logZ } = await measures(asked, sampled, context, target);
  expect(tv).toBeLessThan(0.02);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError);
  // Marginals of each step: what comes from the left times what leads to the right.
  const P = table.map(Math.exp);
  const forward: Float64Array[] = [Float64Array.from({ length: K }, (_, x) => P[START * K + x])];
  for (let t = 1; t < steps; t++) forward.push(times(forward[t - 1], P));
  const backward: Float64Array[] = [Float64Array.from({ length: K }, (_, x) => P[x * K + right])];
  for (let t = 1; t < steps; t++) backward.unshift(timesTransposed(backward[0], P));
  const shares = weightedLaw(sampled);
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

test("tokens that are known inside a gap count for those before and after them", async () => {
  // Of four steps the second is known to be 0, and the last to be 3.
  const known = [-1, 0, -1, 3];
  const asked = { law: givenLaw(law, H), contexts: [givenContext(chain, known, K)], steps: H };
  const [sampled] = await samplePaths(asked, tuning);
  const target = listed(H, (path, log) =>
    known.every((token, t) => token < 0 || path[t] === token) ? log : Number.NEGATIVE_INFINITY,
  );
  const { tv, logZ, logZError } = await measures(asked, sampled, asked.contexts[0], target);
  const [before] = await samplePaths(asked, { iterations: 0 });
  expect(tv).toBeLessThan(0.02);
  expect(tv).toBeLessThan((await measures(asked, before, asked.contexts[0], target)).tv / 3);
  expect(Math.abs(logZError)).toBeLessThan(0.05);
  expect(Math.abs(sampled.report.logZ - logZ)).toBeLessThan(4 * sampled.report.relativeError + 1e-3);
  for (const path of sampled.paths) expect([path[1], path[3]]).toEqual([0, 3]);
});

test("a condition leaves the law of the paths that meet it", async () => {
  const condition = parseCondition("sum >= 9 and last <= 2");
  const [sampled] = await samplePaths({ law, contexts: [chain], steps: H, condition }, tuning);
  const logs = listed(H, (path, log) => (holds(condition, path) ? Math.exp(log) : 0));
  const chance = logs.reduce((sum, p) => sum + p);
  expect(Math.abs(sampled.report.logZ - Math.log(chance))).toBeLessThan(4 * sampled.report.relativeError);
  expect(sampled.report.acceptance).toBeGreaterThan(3 * sampled.plain.acceptance);
  expect(sampled.report.effective).toBeGreaterThan(1000);
  expect(
    totalVariation(
      logs.map((p) => p / chance),
      weightedLaw(sampled),
    ),
  ).toBeLessThan(0.08);
});

test("a rare event's probability comes out, with a smaller error than by counting", async () => {
  const [tokens, steps, start] = [8, 6, 3];
  const P = autoregression(tokens, 0.6, 0.5, 2);
  const tables = Array.from({ length: steps }, () => logOf(P));
  const exact = chanceOfSum(P, tokens, steps, start, 38);
  expect(exact).toBeGreaterThan(5e-5);
  expect(exact).toBeLessThan(2e-4);
  const [chance] = await eventChances(
    { law: chainLaw(tokens, steps), contexts: [chainContext(tokens, start, tables)], steps },
    "sum >= 38",
    { ...tuning, proposals: 2000 },
  );
  expect(Math.abs(chance.probability - exact)).toBeLessThan(3 * chance.standardError);
  expect(chance.standardError).toBeLessThan(0.1 * exact);
  // Counting among as many draws errs by more than the probability itself.
  expect(Math.sqrt((exact * (1 - exact)) / 2000)).toBeGreaterThan(10 * chance.standardError);
  expect(Math.abs(chance.learnedLog - Math.log(exact))).toBeLessThan(1);
});

test("given a condition, an event's probability is that among the paths that meet it", async () => {
  const condition = parseCondition("first >= 2");
  const both = listed(H, (path, log) => (path[0] >= 2 && path[H - 1] <= 0 ? Math.exp(log) : 0));
  const one = listed(H, (path, log) => (path[0] >= 2 ? Math.exp(log) : 0));
  const sum = (all: Float64Array) => all.reduce((total, p) => total + p);
  const [chance] = await eventChances({ law, contexts: [chain], steps: H, condition }, "last <= 0", {
    ...tuning,
    iterations: 150,
  });
  expect(Math.abs(chance.probability - sum(both) / sum(one))).toBeLessThan(3 * chance.standardError);
  expect(chance.standardError).toBeLessThan(0.02);
});

test("what is certain has a probability of 1 at most, whatever the weights come to", async () => {
  const asked = { law, contexts: [chain], steps: H, condition: parseCondition("first >= 2") };
  for (const seed of [0, 1, 2, 3, 4]) {
    const [chance] = await eventChances(asked, "first >= 2", { iterations: 0, proposals: 500, seed });
    expect(chance.probability).toBeLessThanOrEqual(1);
    expect(chance.probability).toBeGreaterThan(1 - 4 * chance.standardError);
  }
});

/** P(Σ x ≥ least), by tokens and sums so far. */
function chanceOfSum(P: Float64Array, K: number, steps: number, start: number, least: number): number {
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
  let chance = 0;
  for (const [key, mass] of masses) if (Number(key.split(" ")[1]) >= least) chance += mass;
  return chance;
}

function times(row: Float64Array, P: Float64Array): Float64Array {
  return row.map((_, x) => row.reduce((sum, mass, k) => sum + mass * P[k * K + x], 0));
}

function timesTransposed(column: Float64Array, P: Float64Array): Float64Array {
  return column.map((_, x) => column.reduce((sum, mass, k) => sum + mass * P[x * K + k], 0));
}
