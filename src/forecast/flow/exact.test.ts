// Exact measures against sums over all strings of intentions, and the tables that they are made of.

import { describe, expect, test } from "vitest";
import { evaluate, largestDifference, randomInput } from "../../../test/support/gradients.ts";
import { RandomStream, spec } from "../../engine/index.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { pathOf } from "../verify/contexts.ts";
import { uniformChannel } from "./channel.ts";
import { exactMeasures, prefixMasses, summaryOf } from "./exact.ts";
import { flowModel } from "./model.ts";
import { policyFor } from "./reachable.ts";
import { markovReward } from "./rewards.ts";
import { tableReader } from "./tables.ts";

const [K, H] = [3, 3];
const leaves = K ** H;
const stream = RandomStream.fromSeed(11);
const logReward = Float64Array.from({ length: leaves }, () => 0.3 * stream.normal() + 2);
const { masses, logPeak, logZ } = prefixMasses(logReward, K, H);
const channel = uniformChannel(K, 0.2);

/** Tables of the best policy, its logits moved by `shift` times normal numbers. */
function tables(through: Float64Array | null, shift = 0) {
  const noise = RandomStream.fromSeed(3).split("noise");
  const policy = Array.from({ length: H }, (_, t) =>
    Float32Array.from(
      Array.from({ length: K ** t }, (_, prefix) => {
        const law = Float64Array.from(
          { length: K },
          (_, x) => masses[t + 1][prefix * K + x] / masses[t][prefix],
        );
        return Array.from(
          through ? policyFor(law, through)! : law,
          (share) => Math.log(share) + shift * noise.normal(),
        );
      }).flat(),
    ),
  );
  const logFlow = Array.from({ length: H }, (_, t) =>
    Float32Array.from(masses[t], (mass) => Math.log(mass) + logPeak + shift),
  );
  return { policy, logFlow };
}

describe("exact measures", () => {
  test.each([
    ["no channel", null],
    ["a channel", channel],
  ])("are zero at the optimum, with %s", (_, through) => {
    const measures = exactMeasures(tables(through), logReward, through);
    expect(measures.tv).toBeLessThan(1e-6);
    expect(measures.kl).toBeLessThan(1e-6);
    expect(Math.abs(measures.logZError)).toBeLessThan(1e-6);
    expect(measures.flowError).toBeLessThan(1e-6);
    expect(measures.limitTv).toBeLessThan(1e-12);
    expect(measures.logZ).toBeCloseTo(Math.log(logReward.reduce((sum, log) => sum + Math.exp(log), 0)), 12);
  });

  test("are those of the law summed over all strings of intentions", () => {
    const { policy, logFlow } = tables(channel, 0.5);
    const softmax = (t: number, prefix: number) => {
      const weights = Array.from(policy[t].subarray(prefix * K, (prefix + 1) * K), Math.exp);
      const sum = weights.reduce((total, weight) => total + weight);
      return weights.map((weight) => weight / sum);
    };
    const law = Float64Array.from({ length: leaves }, (_, n) => {
      const path = pathOf(n, K, H);
      let total = 0;
      for (let m = 0; m < leaves; m++) {
        const intended = pathOf(m, K, H);
        let chance = 1;
        for (let t = 0; t < H; t++) {
          const prefix = Math.floor(n / K ** (H - t));
          chance *= softmax(t, prefix)[intended[t]] * channel[intended[t] * K + path[t]];
        }
        total += chance;
      }
      return total;
    });
    const measures = exactMeasures({ policy, logFlow }, logReward, channel);
    expect(largestDifference(measures.law, law)).toBeLessThan(1e-7);
    const target = logReward.map((log) => Math.exp(log - logZ));
    expect(measures.tv).toBeCloseTo(totalVariation(target, law), 6);
    expect(measures.tv).toBeGreaterThan(0.05);
    expect(measures.logZError).toBeCloseTo(0.5, 5);
    expect(measures.flowError).toBeCloseTo(0.5, 5);
  });

  test("say how near any policy can come where the target is out of reach", () => {
    const steep = Float64Array.from({ length: leaves }, (_, n) => -3 * pathOf(n, K, H)[0]);
    const measures = exactMeasures(tables(channel), steep, channel);
    // Only the first token is out of reach: two of its shares are below the channel's own.
    const shares = [0, -3, -6].map(Math.exp);
    const sum = shares.reduce((total, share) => total + share);
    const floor = 0.2 / K;
    const missing = shares.slice(1).reduce((total, share) => total + floor - share / sum, 0);
    expect(measures.limitTv).toBeCloseTo(missing, 12);
    expect(measures.limitTv).toBeGreaterThan(0.05);
    expect(measures.tv).toBeGreaterThan(measures.limitTv);
  });

  test("of many contexts come as means and the worst", () => {
    const some = [0.1, 0.3].map((tv) => ({
      tv,
      kl: tv,
      logZ: 0,
      logZError: -tv,
      flowError: tv,
      limitTv: 0,
      limitKl: 0,
    }));
    const { tv, worstTv, logZError, worstLogZError, flowError } = summaryOf(some);
    expect([tv, worstTv, logZError, worstLogZError, flowError]).toEqual([0.2, 0.3, 0.2, 0.3, 0.3]);
  });
});

describe("tables of a network", () => {
  const problem = {
    tokens: K,
    horizon: H,
    inputs: { earlier: spec([1, K]), logTable: spec([H, K, K]) },
    reader: {
      context: 0,
      known: 0,
      earlier: 1,
      read: ({ earlier }: Readonly<Record<string, import("@jax-js/jax").numpy.Array>>) => ({ earlier }),
    },
    reward: markovReward(1),
  };
  const model = flowModel(problem, { hidden: [6], activation: "tanh" });
  const params = Float32Array.from(randomInput([model.layout.size], "params").data);

  test("hold what it says of whole paths, for every context", async () => {
    // More contexts than one pass takes.
    const count = 1500;
    const earlier = new Float32Array(count * K);
    for (let c = 0; c < count; c++) earlier[c * K + (c % K)] = 1;
    const logTable = Float32Array.from(randomInput([count, H, K, K], "tables").data);
    const reader = await tableReader(model, { forwardLooking: true });
    const all: Awaited<ReturnType<ReturnType<typeof reader.read>["next"]>>["value"][] = [];
    for await (const one of reader.read(params, { earlier, logTable })) all.push(one);
    await reader.dispose();
    expect(all.length).toBe(count);
    for (const c of [0, 4, count - 1]) {
      const paths = Array.from({ length: leaves }, (_, n) => pathOf(n, K, H));
      const tokens = paths.flatMap((path) =>
        path.flatMap((token) => Array.from({ length: K }, (_, k) => Number(k === token))),
      );
      const repeated = (array: Float32Array, size: number) =>
        paths.flatMap(() => Array.from(array.subarray(c * size, (c + 1) * size)));
      const said = evaluate(
        ({ flat, tokens, earlier, logTable }) => {
          const { policy, flow } = model.all(model.params(flat), { earlier }, tokens);
          const reward = problem.reward;
          return {
            policy,
            flow,
            log: reward.log(tokens, { earlier, logTable }),
            partial: reward.partial!(tokens, { earlier, logTable }),
          };
        },
        {
          flat: { shape: [params.length], data: params },
          tokens: { shape: [leaves, H, K], data: tokens },
          earlier: { shape: [leaves, 1, K], data: repeated(earlier, K) },
          logTable: { shape: [leaves, H, K, K], data: repeated(logTable, H * K * K) },
        },
      );
      for (let n = 0; n < leaves; n++) {
        expect(all[c].logReward[n]).toBeCloseTo(said.log[n], 4);
        let before = 0;
        for (let t = 0; t < H; t++) {
          const prefix = Math.floor(n / K ** (H - t));
          expect(all[c].logFlow[t][prefix]).toBeCloseTo(said.flow[t * leaves + n] + before, 4);
          for (let a = 0; a < K; a++) {
            expect(all[c].policy[t][prefix * K + a]).toBeCloseTo(said.policy[(t * leaves + n) * K + a], 4);
          }
          before += said.partial[n * H + t];
        }
      }
    }
  });

  test("are refused where there are too many paths", async () => {
    const wide = flowModel({ ...problem, horizon: 9 }, { hidden: [4] });
    await expect(tableReader(wide)).rejects.toThrow(
      "flow: a tree may have at most 16384 paths, got 3^9 = 19683",
    );
  });
});
