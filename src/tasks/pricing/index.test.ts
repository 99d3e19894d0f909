import { describe, expect, test } from "vitest";
import { enumerationOf } from "../../gfn/environment/environment.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { limitOf } from "../../gfn/evaluate/limit.ts";
import { rewardTable } from "../../gfn/reward/reward.ts";
import { UserError } from "../../issues.ts";
import { klDivergence, normaliseRewards, totalVariation } from "../../math/distances.ts";
import { expectedProfit, type PricingTaskOptions, pricingTask } from "./index.ts";

const task = pricingTask({ stick: 0.25 });

/** Index of the state after these premiums and answers. */
function stateAfter({ paths }: typeof task.environment, ...outcomes: readonly number[]): number {
  return outcomes.reduce((state, outcome, t) => paths.child(state, t, outcome), 0);
}

/** Distribution of the outcomes of an action, from the enumeration. */
function outcomeDistribution({ environment }: typeof task, state: number, action: number): number[] {
  const { actions, offsets, probabilities } = enumerationOf(environment);
  const row = state * actions + action;
  return [...probabilities.subarray(offsets[row], offsets[row + 1])];
}

/**
 * KL(target ‖ kernel) of the customer's answers alone, with each state weighted by its probability under the target.
 */
function divergenceOfAnswers({ environment }: typeof task, target: Float64Array): number {
  const { states, targets, offsets, probabilities, actions } = enumerationOf(environment);
  const mass = new Float64Array(states);
  let sum = 0;
  for (let state = states - 1; state >= 0; state--) {
    const isAnswer = environment.paths.outcomesOf(state).length % 2 === 1;
    const after = (i: number) => (targets[i] >= 0 ? mass[targets[i]] : target[-1 - targets[i]]);
    // In a state before an answer, all actions have the same transitions, so one action is enough. In a state before a
    // premium, each action has one transition, because there is no noise.
    const rows = isAnswer ? 1 : actions;
    const [from, to] = [offsets[state * actions], offsets[state * actions + rows]];
    for (let i = from; i < to; i++) mass[state] += after(i);
    for (let i = from; i < to && isAnswer; i++) {
      sum += after(i) * Math.log(after(i) / mass[state] / probabilities[i]);
    }
  }
  return sum;
}

test("the score is multiplied by e for each 60 of profit, and a customer who leaves pays nothing", () => {
  expect(task.scores).toHaveLength(2073);
  expect(task.profits[task.encode("UqUqUqUq")]).toBe(500);
  expect(task.scores[task.encode("UqUqUqUq")]).toBe(1);
  expect(task.profits[task.encode("SqUcDl")]).toBe(100 + 125 - 150);
  expect(task.scores[task.encode("SqUcDl")]).toBeCloseTo(Math.exp(-425 / 60), 12);
  expect(task.profits[task.encode("Ul")]).toBe(0);
  expect(task.modes).toHaveLength(81);
});

test("paths survive a round trip through text", () => {
  for (let path = 0; path < 2073; path++) expect(task.encode(task.decode(path))).toBe(path);
  expect(task.decode(0)).toBe("Dl");
  expect(task.decode(2072)).toBe("UcUcUcUc");
  expect(task.distance?.("SqDcUl", "SqSl")).toBe(4);
});

test("premiums have stick noise", () => {
  expect(outcomeDistribution(task, 0, 2).map((p) => p.toFixed(6))).toEqual([
    "0.083333",
    "0.083333",
    "0.833333",
  ]);
});

test("a new customer who pays the competitor's premium leaves and claims with the probabilities of the formula", () => {
  const leaves = 0.02 + 0.9 / (1 + Math.exp(2.2));
  const expected = [0.9 * (1 - leaves), 0.1 * (1 - leaves), leaves];
  const standard = stateAfter(task.environment, 1);
  // The answer does not depend on the action.
  for (const action of [0, 1, 2]) {
    outcomeDistribution(task, standard, action).forEach((p, answer) => {
      expect(p).toBeCloseTo(expected[answer], 12);
    });
  }
});

test("surcharges raise the probability of leaving, discounts lower it, and claims raise that of further claims", () => {
  const answers = (...outcomes: number[]) =>
    outcomeDistribution(task, stateAfter(task.environment, ...outcomes), 0);
  const [discount, standard, surcharge] = [0, 1, 2].map((premium) => answers(premium)[2]);
  expect(discount).toBeLessThan(standard);
  expect(standard).toBeLessThan(surcharge);
  expect(answers(0, 0, 1)[2]).toBeLessThan(answers(2, 0, 1)[2]);
  const claimsOf = ([quiet, claim]: readonly number[]) => claim / (quiet + claim);
  expect(claimsOf(answers(1, 1, 1))).toBeCloseTo(0.2, 12);
  expect(claimsOf(answers(1, 1, 1, 1, 1))).toBeCloseTo(0.35, 12);
});

test.each([1, 2, 3])(
  "with %i months and no noise on premiums, the limit is the KL of the customer's answers alone",
  (months) => {
    const noiseless = pricingTask({ stick: 0, months });
    const { environment, scores } = noiseless;
    const { target } = normaliseRewards(rewardTable(scores));
    const limit = limitOf(environment, enumerationOf(environment), target);
    expect(limit.kl).toBeCloseTo(divergenceOfAnswers(noiseless, target), 8);
    expect(limit.kl).toBeGreaterThan(0.05);
    expect(limit.gap).toBeLessThan(1e-6);
  },
);

test("the limit is below the KL of the uniform policy, and the target has 66 % more profit than the limit", () => {
  const enumeration = enumerationOf(task.environment);
  const { target } = normaliseRewards(rewardTable(task.scores));
  const limit = limitOf(task.environment, enumeration, target);
  const uniform = visitation(enumeration, uniformPolicy(enumeration)).terminals;
  expect(limit.kl).toBeCloseTo(0.8998, 3);
  expect(totalVariation(target, limit.terminals)).toBeCloseTo(0.5348, 3);
  expect(klDivergence(target, uniform)).toBeCloseTo(1.073, 3);
  expect(expectedProfit(task, target)).toBeGreaterThan(1.66 * expectedProfit(task, limit.terminals));
});

describe("invalid options and texts are refused:", () => {
  test.each<[Partial<PricingTaskOptions>, string]>([
    [{ months: 7 }, "months: must be a whole number from 1 to 6, got 7"],
    [{ months: 1.5 }, "months: must be a whole number from 1 to 6, got 1.5"],
    [{ stick: 1 }, "stick: must be a number in [0, 1), got 1"],
    [{ priceSensitivity: -1 }, "priceSensitivity: must be a number of at least 0, got -1"],
    [{ claimCost: Number.NaN }, "claimCost: must be a number of at least 0, got NaN"],
    [{ profitScale: 0 }, "profitScale: must be a number above 0, got 0"],
  ])("%j", (options, message) => {
    expect(() => pricingTask({ stick: 0, ...options })).toThrow(UserError);
    expect(() => pricingTask({ stick: 0, ...options })).toThrow(message);
  });

  test.each(["", "Sq", "SqSqSqSl ", "SlSq", "SqSqSqSqSq", "Xq"])("the text %j", (text) => {
    expect(() => task.encode(text)).toThrow(`pricing: ${JSON.stringify(text)} is not a path of 4 months`);
  });

  test("an invalid terminal", () => {
    expect(() => task.decode(2073)).toThrow("a terminal must be a whole number from 0 to 2072, got 2073");
  });
});
