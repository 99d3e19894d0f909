// Rewards as array functions against the same in float64, path by path, and their partial rewards.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInputs, largestDifference, specsOf } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import {
  chainLogRewards,
  inputSpecs,
  mixtureLogRewards,
  mixturePaths,
  packContexts,
  pathOf,
  type SuiteContext,
} from "../verify/contexts.ts";
import { logOf, randomTable } from "../verify/processes.ts";
import { prefixMasses } from "./exact.ts";
import type { PathReward } from "./problem.ts";
import { constrained, markovReward, mixtureReward, tilted, tokenSum } from "./rewards.ts";

const [K, H] = [3, 3];
const stream = RandomStream.fromSeed(5);
const paths = Array.from({ length: K ** H }, (_, n) => pathOf(n, K, H));

/** log R and partial rewards of all paths of one context. */
function said(reward: PathReward, context: SuiteContext) {
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
    ({ tokens, ...rest }) => ({ log: reward.log(tokens, rest), partial: reward.partial!(tokens, rest) }),
    inputs,
  );
}

describe.each([0, 1, 2])("a chain of order %i", (order) => {
  const context = {
    earlier: [2, 0, 1],
    logTables: Array.from({ length: H }, (_, t) =>
      logOf(randomTable(K ** order, K, 1, stream.split(`${order} ${t}`))),
    ),
  };

  test("has the rewards that float64 gives, which sum to one", () => {
    const { log, partial } = said(markovReward(order), context);
    const exact = chainLogRewards(K, context);
    expect(largestDifference(log, exact)).toBeLessThan(1e-5);
    expect(exact.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
    const sums = paths.map((_, n) => partial.subarray(n * H, (n + 1) * H).reduce((a, b) => a + b));
    expect(largestDifference(sums, log)).toBeLessThan(1e-5);
  });

  test("reads the tokens just before each step", () => {
    const exact = chainLogRewards(K, context);
    const [first, second, third] = paths[14];
    const whole = [...context.earlier, first, second, third];
    const byHand = context.logTables.reduce((sum, table, t) => {
      const row = whole.slice(3 + t - order, 3 + t).reduce((index, token) => index * K + token, 0);
      return sum + table[row * K + whole[3 + t]];
    }, 0);
    expect(exact[14]).toBeCloseTo(byHand, 12);
  });
});

describe("a mixture", () => {
  const parts = 4;
  const logKernels = logOf(randomTable(parts * H, K, 1.5, stream.split("kernels")));
  const context = { earlier: [], logWeights: logOf(randomTable(1, parts, 1, stream.split("weights"))) };
  const exact = mixtureLogRewards(mixturePaths(K, H, { logKernels, parts }), context);

  test("has the rewards that float64 gives, which sum to one", () => {
    const { log } = said(mixtureReward({ logKernels, parts }), context);
    expect(largestDifference(log, exact)).toBeLessThan(1e-5);
    expect(exact.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
  });

  test("has partial rewards that are its exact prefix flows", () => {
    const { partial } = said(mixtureReward({ logKernels, parts }), context);
    const { masses, logPeak } = prefixMasses(exact, K, H);
    for (let n = 0; n < paths.length; n++) {
      let sum = 0;
      for (let t = 0; t < H; t++) {
        sum += partial[n * H + t];
        const prefix = Math.floor(n / K ** (H - 1 - t));
        expect(sum).toBeCloseTo(Math.log(masses[t + 1][prefix]) + logPeak, 5);
      }
    }
  });
});

describe("a chain on top", () => {
  const context = {
    earlier: [1],
    logTables: Array.from({ length: H }, () => logOf(randomTable(K, K, 1, stream.split("tilted")))),
  };
  const sums = paths.map((path) => path.reduce((sum, token) => sum + token, 0));
  const plain = chainLogRewards(K, context);

  test("may be tilted by its whole path", () => {
    const { log } = said(
      tilted(markovReward(1), (tokens) => np.multiply(tokenSum(tokens), -0.5)),
      context,
    );
    expect(
      largestDifference(
        log,
        plain.map((value, n) => value - 0.5 * sums[n]),
      ),
    ).toBeLessThan(1e-5);
  });

  test("may be constrained down to a floor", () => {
    const reward = constrained(markovReward(1), (tokens) => np.less(3.5, tokenSum(tokens)), -8);
    const { log } = said(reward, context);
    expect(
      largestDifference(
        log,
        plain.map((value, n) => (sums[n] >= 4 ? value : value - 8)),
      ),
    ).toBeLessThan(1e-5);
    expect(() => constrained(markovReward(1), tokenSum, Number.NEGATIVE_INFINITY)).toThrow(
      "constrained: logFloor must be finite and below 0, got -Infinity",
    );
  });
});
