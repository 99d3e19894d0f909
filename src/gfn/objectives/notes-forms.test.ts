// Formulas of the original notes that are not implemented, and why each fails (docs/history/from-the-notes.md).

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, largestMagnitude } from "../../../test/support/difference.ts";
import { evaluate, randomInput } from "../../../test/support/gradients.ts";
import {
  balancedTables,
  inFloat64,
  randomPolicy,
  stepsOf,
  type Tables,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { softmax } from "../../nn/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { uniformPolicy, visitation } from "../evaluate/exact.ts";
import { entropyRatio, normalisedEntropy, quantiles } from "./entropy-ratio/ratio.ts";

const GAMMA = 0.5;
const ratioOf = (high: number, low: number) => high / (GAMMA * high + (1 - GAMMA) * low);

/** Σ P (log P − log Q − log r) over all entries, []. */
function divergence(p: np.Array, q: np.Array, ratio: number): np.Array {
  return np.sum(np.multiply(p, np.subtract(np.subtract(np.log(p), np.log(q)), Math.log(ratio))));
}

test("an entropy of raw network outputs is NaN if one of them is negative", () => {
  const entropy = (outputs: number[]) => -outputs.reduce((sum, x) => sum + x * Math.log(x + 1e-10), 0);
  expect(entropy([0.25, 0.75])).toBeCloseTo(0.5623, 4);
  expect(entropy([0.25, -0.75])).toBeNaN();
});

describe("an entropy ratio", () => {
  test("of random numbers instead of entropies has no logarithm in a quarter of all draws", () => {
    const stream = RandomStream.fromSeed(1);
    const draws = Array.from({ length: 20_000 }, () => ratioOf(stream.normal(), stream.normal()));
    const share = draws.filter((ratio) => !(ratio > 0)).length / draws.length;
    // Four standard deviations of a frequency.
    expect(Math.abs(share - 1 / 4)).toBeLessThan(4 * Math.sqrt(3 / 16 / draws.length));
  });

  test("of quantiles of logits changes if a constant is added to the logits; that of entropies does not", () => {
    const at = (shift: number) =>
      evaluate(
        ({ logits, shift, weight, gamma }) => {
          const moved = np.add(logits, shift); // [16, 4]
          const [low, high] = quantiles(moved.reshape([64]), np.ones([64]), [0.25, 0.75]); // [1], [1]
          const entropy = normalisedEntropy(moved, np.ones([16, 4]).astype(np.bool)); // [16]
          const ours = entropyRatio({ estimator: "quantile", quantile: 0.25 }, entropy, weight, gamma);
          return { low, high, ours: ours.logRatio };
        },
        {
          logits: randomInput([16, 4], "logits", 0.1),
          shift: { shape: [], data: [shift] },
          weight: { shape: [16], data: new Float32Array(16).fill(1) },
          gamma: { shape: [], data: [GAMMA] },
        },
      );
    const [here, there] = [at(0), at(1)];
    expect(ratioOf(here.high[0], here.low[0])).toBeGreaterThan(2);
    expect(ratioOf(there.high[0], there.low[0])).toBeLessThan(1.2);
    expect(largestDifference(here.ours, there.ours)).toBeLessThan(1e-9);
  });
});

test("the notes' dynamics loss is finite only if both entropies are equal", () => {
  const TINY = 1e-10;
  const loss = (high: number, low: number, entropy: number) => {
    const ratio = ratioOf(high, low);
    return -entropy * (Math.log(ratio) + (1 - GAMMA) * (1 - entropy) * Math.log(1 - ratio + TINY));
  };
  for (let i = 1; i <= 10; i++) {
    for (let j = 1; j <= i; j++) expect(Number.isFinite(loss(i / 10, j / 10, 0.5))).toBe(i === j);
  }
  // 1 − H changes its sign: a uniform policy over four letters has more than one nat.
  expect(1 - Math.log(4)).toBeLessThan(0);
});

describe("the divergence of a policy from", () => {
  const logits = randomInput([3, 3], "logits");

  test("itself, in place of the backward policy, has no gradient", () => {
    const { value, slope } = evaluate(
      ({ logits }) => {
        const at = (x: np.Array) => divergence(softmax(x), softmax(x), 1.5); // []
        return { value: at(logits), slope: grad(at)(logits) };
      },
      { logits },
    );
    expect(value[0]).toBeCloseTo(-3 * Math.log(1.5), 6);
    expect(largestMagnitude(slope)).toBeLessThan(1e-12);
  });

  test("its own transpose is not zero", () => {
    const { value } = evaluate(
      ({ logits }) => ({ value: divergence(softmax(logits), np.transpose(softmax(logits)), 1) }),
      { logits },
    );
    expect(Math.abs(value[0])).toBeGreaterThan(0.1);
  });
});

test("the summed difference has the same gradient for all rewards, and no minimum", () => {
  const at = (reward: number, logit: number) =>
    evaluate(
      ({ logits, back }) => {
        const value = (x: np.Array) => {
          const [policy, backward] = [softmax(x), softmax(back)]; // [3]
          const [taken, takenBack] = [np.split(policy, 3)[0], np.split(backward, 3)[0]]; // [1]
          const gap = np.sum(np.subtract(np.log(taken), np.log(takenBack))); // []
          return np.add(gap, np.subtract(reward, divergence(policy, backward, 1.5))); // []
        };
        return { value: value(logits), slope: grad(value)(logits) };
      },
      { logits: { shape: [3], data: [logit, 0.3, -0.2] }, back: { shape: [3], data: [0.1, 0, 0.4] } },
    );
  expect(largestDifference(at(0, 1).slope, at(100, 1).slope)).toBeLessThan(1e-12);
  expect(largestMagnitude(at(0, 1).slope)).toBeGreaterThan(0.1);
  expect(at(1, -60).value[0]).toBeLessThan(at(1, -10).value[0] - 49);
});

test("a policy that imitates its outcomes becomes uniform, whatever the reward", () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 });
  const enumeration = environment.enumerate();
  let policy = randomPolicy(enumeration, RandomStream.fromSeed(2));
  const uniform = uniformPolicy(enumeration);
  expect(largestDifference(policy, uniform)).toBeGreaterThan(0.2);
  for (let round = 0; round < 80; round++) {
    const outcomes = new Float64Array(policy.length);
    for (const { state, action, outcome, probability } of stepsOf(enumeration)) {
      outcomes[state * enumeration.actions + outcome] +=
        policy[state * enumeration.actions + action] * probability;
    }
    // The cross-entropy of outcomes is smallest if the policy equals their distribution.
    policy = outcomes;
  }
  expect(largestDifference(policy, uniform)).toBeLessThan(1e-9);
  expect(largestDifference(visitation(enumeration, policy).terminals, new Array(9).fill(1 / 9))).toBeLessThan(
    1e-9,
  );
});

describe("on strings of two letters", () => {
  const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
  const enumeration = environment.enumerate();
  const stream = RandomStream.fromSeed(4);
  const policy = randomPolicy(enumeration, stream.split("policy"));
  const tables = balancedTables(environment, enumeration, policy, 0);
  const TRAJECTORIES = 32;
  /** Residuals of detailed balance in the marginal form, for trajectories of that policy, ordered by step. */
  const residualsAt = (changed: Partial<Tables>) => {
    const inputs = tabularInputs(
      environment,
      { ...tables, ...changed },
      TRAJECTORIES,
      stream.split("uniform"),
    );
    return inFloat64(
      ({ behaviour, ...all }) => {
        const batch = tabularBatch(environment, behaviour, all.uniform);
        return tabularResiduals({ balance: "db", dynamics: "marginal" }, batch, all);
      },
      { ...inputs, behaviour: { ...inputs.forward, data: tables.forward } },
    ).residual;
  };

  test("residuals from the second step on do not detect a wrong first step", () => {
    const wrong = tables.forward.map((logit, i) => (i === 0 ? logit + 1 : logit));
    const residuals = residualsAt({ forward: wrong });
    expect(largestMagnitude(residuals.slice(TRAJECTORIES))).toBeLessThan(1e-9);
    expect(largestMagnitude(residuals)).toBeGreaterThan(0.1);
  });

  test("a dynamics model trained by the balance can make any policy look right", () => {
    const target = [0.1, 0.2, 0.3, 0.4];
    const flows = [1, 0.3, 0.7, ...target];
    // A dynamics model that ignores the action: the probability of a letter is its share of the flow.
    const logDynamics = Float64Array.from({ length: flows.length * 4 }, (_, i) => {
      const [node, letter] = [Math.floor(i / 4), i % 2];
      return node < enumeration.states ? Math.log(flows[2 * node + 1 + letter] / flows[node]) : 0;
    });
    const residuals = residualsAt({
      logKernel: logDynamics,
      logFlow: Float64Array.from(flows, Math.log),
      logReward: Float64Array.from(target, Math.log),
    });
    expect(largestMagnitude(residuals)).toBeLessThan(1e-9);
    expect(
      totalVariation(Float64Array.from(target), visitation(enumeration, policy).terminals),
    ).toBeGreaterThan(0.1);
  });

  test("with actions sampled from the reversed noise, the model learns the kernel only from uniform data", () => {
    const kernel = (a: number, c: number) => (a === c ? 0.875 : 0.125);
    /** The minimum of the cross-entropy: the probability of c given a, if a was sampled from the reversed noise. */
    const learned = (a: number, c: number, share: readonly number[]) =>
      (share[c] * kernel(a, c)) / (share[0] * kernel(a, 0) + share[1] * kernel(a, 1));
    expect(learned(0, 1, [0.5, 0.5])).toBeCloseTo(kernel(0, 1), 12);
    expect(Math.abs(learned(0, 1, [0.2, 0.8]) - kernel(0, 1))).toBeGreaterThan(0.2);
  });
});

test("thoughts indexed by finished strings belong to other strings if one is unfinished", () => {
  const [strings, thoughts] = [
    ["AAA", "BB", "CCC"],
    ["aaa", "bb", "ccc"],
  ];
  const pairs = strings.filter(({ length }) => length === 3).map((string, i) => string + thoughts[i]);
  expect(pairs).toEqual(["AAAaaa", "CCCbb"]);
});

test("standardised values truncated to integers from 0 are mostly 0", () => {
  const stream = RandomStream.fromSeed(3);
  const tokens = Array.from({ length: 5000 }, () => Math.floor(Math.min(Math.max(stream.normal(), 0), 3)));
  const zeros = tokens.filter((token) => token === 0).length / tokens.length;
  // A normal number is below 1 with probability .8413.
  expect(Math.abs(zeros - 0.8413)).toBeLessThan(0.02);
});
