// Rewards as array functions compared with float64 for every path, and their partial rewards.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInputs, largestDifference, specsOf } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import {
  chainLogRewards,
  inputSpecs,
  mixtureLogRewards,
  mixturePathProbabilities,
  packContexts,
  pathOf,
  type SuiteContext,
} from "../verify/contexts.ts";
import { logarithms, randomTable } from "../verify/processes.ts";
import { prefixFlows } from "./exact.ts";
import type { PathReward } from "./problem.ts";
import { constrainedReward, markovReward, mixtureReward, tiltedReward, tokenSum } from "./rewards.ts";

const [K, H] = [3, 3];
const stream = RandomStream.fromSeed(5);
const paths = Array.from({ length: K ** H }, (_, n) => pathOf(n, K, H));

/** log R and partial rewards of all paths of one context. */
function rewardsOf(reward: PathReward, context: SuiteContext) {
  const specs = inputSpecs(K, context);
  const packed = packContexts(
    K,
    paths.map(() => context),
  );
  const tokens = paths.flatMap((path) =>
    path.flatMap((token) => Array.from({ length: K }, (_, k) => Number(k === token))),
  );
  const inputs: HostInputs = {
    tokens: { shape: [paths.length, H, K], data: tokens },
    ...Object.fromEntries(
      Object.entries(specs).map(([name, { shape }]) => [
        name,
        { shape: [paths.length, ...shape], data: packed[name] },
      ]),
    ),
  };
  expect(Object.keys(specsOf(inputs)).length).toBeGreaterThan(1);
  return evaluate(
    ({ tokens, ...rest }) => ({
      log: reward.logReward(tokens, rest),
      partial: reward.partialLogRewards!(tokens, rest),
    }),
    inputs,
  );
}

describe.each([0, 1, 2])("a chain of order %i", (order) => {
  const context = {
    past: [2, 0, 1],
    logTables: Array.from({ length: H }, (_, t) =>
      logarithms(randomTable(K ** order, K, 1, stream.split(`${order} ${t}`))),
    ),
  };

  test("has the same rewards as in float64, and they sum to 1", () => {
    const { log, partial } = rewardsOf(markovReward(order), context);
    const exact = chainLogRewards(K, context);
    expect(largestDifference(log, exact)).toBeLessThan(1e-5);
    expect(exact.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
    const sums = paths.map((_, n) => partial.subarray(n * H, (n + 1) * H).reduce((a, b) => a + b));
    expect(largestDifference(sums, log)).toBeLessThan(1e-5);
  });

  test("depends on the tokens directly before each step", () => {
    const exact = chainLogRewards(K, context);
    const [first, second, third] = paths[14];
    const sequence = [...context.past, first, second, third];
    const byHand = context.logTables.reduce((sum, table, t) => {
      const row = sequence.slice(3 + t - order, 3 + t).reduce((index, token) => index * K + token, 0);
      return sum + table[row * K + sequence[3 + t]];
    }, 0);
    expect(exact[14]).toBeCloseTo(byHand, 12);
  });
});

describe("a mixture", () => {
  const components = 4;
  const logKernels = logarithms(randomTable(components * H, K, 1.5, stream.split("kernels")));
  const context = {
    past: [],
    logWeights: logarithms(randomTable(1, components, 1, stream.split("weights"))),
  };
  const exact = mixtureLogRewards(mixturePathProbabilities(K, H, { logKernels, components }), context);

  test("has the same rewards as in float64, and they sum to 1", () => {
    const { log } = rewardsOf(mixtureReward({ logKernels, components }), context);
    expect(largestDifference(log, exact)).toBeLessThan(1e-5);
    expect(exact.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
  });

  test("has partial rewards that sum to its exact prefix flows", () => {
    const { partial } = rewardsOf(mixtureReward({ logKernels, components }), context);
    const { flows, logPeak } = prefixFlows(exact, K, H);
    for (let n = 0; n < paths.length; n++) {
      let sum = 0;
      for (let t = 0; t < H; t++) {
        sum += partial[n * H + t];
        const prefix = Math.floor(n / K ** (H - 1 - t));
        expect(sum).toBeCloseTo(Math.log(flows[t + 1][prefix]) + logPeak, 5);
      }
    }
  });
});

describe("the reward of a chain", () => {
  const context = {
    past: [1],
    logTables: Array.from({ length: H }, () => logarithms(randomTable(K, K, 1, stream.split("tilted")))),
  };
  const sums = paths.map((path) => path.reduce((sum, token) => sum + token, 0));
  const untilted = chainLogRewards(K, context);

  test("can be tilted by a function of the whole path", () => {
    const { log } = rewardsOf(
      tiltedReward(markovReward(1), (tokens) => np.multiply(tokenSum(tokens), -0.5)),
      context,
    );
    expect(
      largestDifference(
        log,
        untilted.map((value, n) => value - 0.5 * sums[n]),
      ),
    ).toBeLessThan(1e-5);
  });

  test("can be constrained, with a floor for the other paths", () => {
    const reward = constrainedReward(markovReward(1), (tokens) => np.less(3.5, tokenSum(tokens)), -8);
    const { log } = rewardsOf(reward, context);
    expect(
      largestDifference(
        log,
        untilted.map((value, n) => (sums[n] >= 4 ? value : value - 8)),
      ),
    ).toBeLessThan(1e-5);
    expect(() => constrainedReward(markovReward(1), tokenSum, Number.NEGATIVE_INFINITY)).toThrow(
      "constrainedReward: logFloor must be finite and below 0, got -Infinity",
    );
  });
});
