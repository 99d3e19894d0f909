// Exact metrics compared with sums over all action sequences, and the prefix tables compared with the network.

import { describe, expect, test } from "vitest";
import { evaluate, largestDifference, randomInput } from "../../../test/support/gradients.ts";
import { RandomStream, spec } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { pathOf } from "../verify/contexts.ts";
import { uniformChannel } from "./channel.ts";
import { exactMetrics, prefixFlows, summariseMetrics } from "./exact.ts";
import { flowModel } from "./flow-model.ts";
import { policyRealising } from "./limit.ts";
import { prefixTabulator } from "./prefix-tables.ts";
import type { NamedArrays } from "./problem.ts";
import { markovReward } from "./rewards.ts";

const [K, H] = [3, 3];
const leaves = K ** H;
const stream = RandomStream.fromSeed(11);
const logReward = Float64Array.from({ length: leaves }, () => 0.3 * stream.normal() + 2);
const { flows, logPeak, logZ } = prefixFlows(logReward, K, H);
const channel = uniformChannel(K, 0.2);

/** Tables of the best policy, with noise of size `shift` on its logits and a constant `shift` on log F. */
function tables(matrix: Float64Array | null, shift = 0) {
  const noise = RandomStream.fromSeed(3).split("noise");
  const policy = Array.from({ length: H }, (_, t) =>
    Float32Array.from(
      Array.from({ length: K ** t }, (_, prefix) => {
        const next = Float64Array.from(
          { length: K },
          (_, x) => flows[t + 1][prefix * K + x] / flows[t][prefix],
        );
        return Array.from(
          matrix ? policyRealising(next, matrix)! : next,
          (share) => Math.log(share) + shift * noise.normal(),
        );
      }).flat(),
    ),
  );
  const logFlow = Array.from({ length: H }, (_, t) =>
    Float32Array.from(flows[t], (flow) => Math.log(flow) + logPeak + shift),
  );
  return { policy, logFlow };
}

describe("exact metrics", () => {
  test.each([
    ["no channel", null],
    ["a channel", channel],
  ])("are zero at the optimum, with %s", (_, matrix) => {
    const metrics = exactMetrics(tables(matrix), logReward, matrix);
    expect(metrics.tv).toBeLessThan(1e-6);
    expect(metrics.kl).toBeLessThan(1e-6);
    expect(Math.abs(metrics.logZError)).toBeLessThan(1e-6);
    expect(metrics.flowError).toBeLessThan(1e-6);
    expect(metrics.limitTv).toBeLessThan(1e-12);
    expect(metrics.logZ).toBeCloseTo(Math.log(logReward.reduce((sum, log) => sum + Math.exp(log), 0)), 12);
  });

  test("agree with a sum over all action sequences", () => {
    const { policy, logFlow } = tables(channel, 0.5);
    const softmax = (t: number, prefix: number) => {
      const weights = Array.from(policy[t].subarray(prefix * K, (prefix + 1) * K), Math.exp);
      const sum = weights.reduce((total, weight) => total + weight);
      return weights.map((weight) => weight / sum);
    };
    const distribution = Float64Array.from({ length: leaves }, (_, n) => {
      const path = pathOf(n, K, H);
      let total = 0;
      for (let m = 0; m < leaves; m++) {
        const actions = pathOf(m, K, H);
        let probability = 1;
        for (let t = 0; t < H; t++) {
          const prefix = Math.floor(n / K ** (H - t));
          probability *= softmax(t, prefix)[actions[t]] * channel[actions[t] * K + path[t]];
        }
        total += probability;
      }
      return total;
    });
    const metrics = exactMetrics({ policy, logFlow }, logReward, channel);
    expect(largestDifference(metrics.distribution, distribution)).toBeLessThan(1e-7);
    const target = logReward.map((log) => Math.exp(log - logZ));
    expect(metrics.tv).toBeCloseTo(totalVariation(target, distribution), 6);
    expect(metrics.tv).toBeGreaterThan(0.05);
    expect(metrics.logZError).toBeCloseTo(0.5, 5);
    expect(metrics.flowError).toBeCloseTo(0.5, 5);
  });

  test("include the limit of an unreachable target", () => {
    const steep = Float64Array.from({ length: leaves }, (_, n) => -3 * pathOf(n, K, H)[0]);
    const metrics = exactMetrics(tables(channel), steep, channel);
    // Only the first token is unreachable: two of its probabilities are below ε / K.
    const shares = [0, -3, -6].map(Math.exp);
    const sum = shares.reduce((total, share) => total + share);
    const floor = 0.2 / K;
    const missing = shares.slice(1).reduce((total, share) => total + floor - share / sum, 0);
    expect(metrics.limitTv).toBeCloseTo(missing, 12);
    expect(metrics.limitTv).toBeGreaterThan(0.05);
    expect(metrics.tv).toBeGreaterThan(metrics.limitTv);
  });

  test("of many contexts are summarised by means and maxima", () => {
    const some = [0.1, 0.3].map((tv) => ({
      tv,
      kl: tv,
      logZ: 0,
      logZError: -tv,
      flowError: tv,
      limitTv: 0,
      limitKl: 0,
    }));
    const { tv, worstTv, logZError, worstLogZError, flowError } = summariseMetrics(some);
    expect([tv, worstTv, logZError, worstLogZError, flowError]).toEqual([0.2, 0.3, 0.2, 0.3, 0.3]);
  });
});

describe("prefix tables", () => {
  const problem = {
    tokens: K,
    horizon: H,
    inputs: { past: spec([1, K]), logTable: spec([H, K, K]) },
    encoder: {
      contextWidth: 0,
      futureWidth: 0,
      pastTokens: 1,
      encode: ({ past }: NamedArrays) => ({ past }),
    },
    reward: markovReward(1),
  };
  const model = flowModel(problem, { hidden: [6], activation: "tanh" });
  const params = Float32Array.from(randomInput([model.layout.size], "params").data);

  test("agree with the network on complete paths, for every context", async () => {
    // More contexts than fit into one pass.
    const count = 1500;
    const past = new Float32Array(count * K);
    for (let c = 0; c < count; c++) past[c * K + (c % K)] = 1;
    const logTable = Float32Array.from(randomInput([count, H, K, K], "tables").data);
    const tabulator = await prefixTabulator(model, { forwardLooking: true });
    const all: Awaited<ReturnType<ReturnType<typeof tabulator.tabulate>["next"]>>["value"][] = [];
    for await (const one of tabulator.tabulate(params, { past, logTable })) all.push(one);
    await tabulator.dispose();
    expect(all.length).toBe(count);
    for (const c of [0, 4, count - 1]) {
      const paths = Array.from({ length: leaves }, (_, n) => pathOf(n, K, H));
      const tokens = paths.flatMap((path) =>
        path.flatMap((token) => Array.from({ length: K }, (_, k) => Number(k === token))),
      );
      const repeated = (array: Float32Array, size: number) =>
        paths.flatMap(() => Array.from(array.subarray(c * size, (c + 1) * size)));
      const outputs = evaluate(
        ({ flat, tokens, past, logTable }) => {
          const { policy, flow } = model.atAllSteps(model.params(flat), { past }, tokens);
          const reward = problem.reward;
          return {
            policy,
            flow,
            logReward: reward.logReward(tokens, { past, logTable }),
            partial: reward.partialLogRewards!(tokens, { past, logTable }),
          };
        },
        {
          flat: { shape: [params.length], data: params },
          tokens: { shape: [leaves, H, K], data: tokens },
          past: { shape: [leaves, 1, K], data: repeated(past, K) },
          logTable: { shape: [leaves, H, K, K], data: repeated(logTable, H * K * K) },
        },
      );
      for (let n = 0; n < leaves; n++) {
        expect(all[c].logReward[n]).toBeCloseTo(outputs.logReward[n], 4);
        let before = 0;
        for (let t = 0; t < H; t++) {
          const prefix = Math.floor(n / K ** (H - t));
          expect(all[c].logFlow[t][prefix]).toBeCloseTo(outputs.flow[t * leaves + n] + before, 4);
          for (let a = 0; a < K; a++) {
            expect(all[c].policy[t][prefix * K + a]).toBeCloseTo(outputs.policy[(t * leaves + n) * K + a], 4);
          }
          before += outputs.partial[n * H + t];
        }
      }
    }
  });

  test("are rejected if there are too many paths", async () => {
    const wide = flowModel({ ...problem, horizon: 9 }, { hidden: [4] });
    await expect(prefixTabulator(wide)).rejects.toThrow(
      "flow: the tree of all prefixes may have at most 16384 paths, got 3^9 = 19683",
    );
  });
});
