// Mean matching: the factor on the exponent follows the gap between the gain of the target and that of the policy.

import { expect, test } from "vitest";
import { type Draw, MeanMatching, type MeanMatchingOptions, policyGain } from "./mean-matching.ts";

const options: MeanMatchingOptions = { calls: 1000, rewardOf: (score) => score };
const draw = (score: number, policyRatio = 1, targetRatio = 1): Draw => ({
  score,
  logPolicyRatio: Math.log(policyRatio),
  logTargetRatio: Math.log(targetRatio),
});
const times = (count: number, ...draws: readonly Draw[]) => Array.from({ length: count }, () => draws).flat();

/** The uniform mean is ½, that of the target (1/16 + 9/16) / (1/4 + 3/4) = 5/8. */
const first = times(100, draw(0.25), draw(0.75));
/** Draws that show this part of the target's gain, ¼ (1 − u/π) = part / 8. */
const policyWith = (part: number, count: number) => times(count, draw(0.75, 1 / (1 - part / 2)));

function matchingAfter(...parts: readonly (readonly Draw[])[]): MeanMatching {
  const matching = new MeanMatching(options);
  matching.addUniform(first);
  for (const draws of parts) matching.add(draws);
  return matching;
}

test("the gain of a policy does not depend on the constant if draws have the frequencies of the policy", () => {
  // Uniform probabilities ½ and ½; the policy has ¾ and ¼.
  const draws = [draw(0.9, 1.5), draw(0.9, 1.5), draw(0.9, 1.5), draw(0.1, 0.5)];
  for (const constant of [0, 0.5, 3]) expect(policyGain(draws, constant)).toBeCloseTo(0.7 - 0.5, 12);
});

test("a policy with the gain of the target has the factor 1, as a policy without draws", () => {
  expect(matchingAfter(policyWith(1, 500)).factor).toBeCloseTo(1, 12);
  expect(matchingAfter([]).factor).toBe(1);
  expect(new MeanMatching(options).factor).toBe(1);
});

test("the log factor rises by 8 over a budget of draws without any gain, and at most to log 8", () => {
  const later = [policyWith(0.4, 50), policyWith(0.8, 150)];
  const expected = 8 * (0.6 * 0.05 + 0.2 * 0.15);
  expect(Math.log(matchingAfter(...later).factor)).toBeCloseTo(expected, 12);
  expect(matchingAfter(policyWith(0, 1000)).factor).toBeCloseTo(8, 12);
});

test("the factor falls again when the policy gains more than the target, and never below 1", () => {
  const risen = policyWith(0, 100);
  const up = matchingAfter(risen).factor;
  const down = matchingAfter(risen, policyWith(1.5, 100)).factor;
  expect(down).toBeCloseTo(up * Math.exp(-8 * 0.5 * 0.1), 10);
  expect(matchingAfter(policyWith(1.9, 100)).factor).toBe(1);
});

test("rewards that are too large for a number leave the factor at 1, and the state can be saved", () => {
  for (const unit of [1e200, 1e300, Number.POSITIVE_INFINITY]) {
    const matching = new MeanMatching(options);
    matching.addUniform(first.map((each) => ({ ...each, score: unit * each.score })));
    matching.add(policyWith(0, 100).map((each) => ({ ...each, score: unit * each.score })));
    expect(matching.factor).toBe(1);
    expect(Object.values(matching.save()).every(Number.isFinite)).toBe(true);
  }
});

test("weights have the ratio of the target to the uniform policy, however large it is", () => {
  // The uniform policy draws ¾ half as often as the others, by its share of all objects.
  const uneven = times(50, draw(0.25), draw(0.25), draw(0.75, 1, 2));
  const huge = uneven.map((each) => ({ ...each, logTargetRatio: each.logTargetRatio + 2000 }));
  // Weights ¼, ¼ and 2 · ¾: the mean of the target is (1/16 + 1/16 + 9/8) / 2 = 5/8. The policy has half of the gain.
  const later = times(10, draw(5 / 8, 2));
  for (const draws of [uneven, huge, [...huge].reverse()]) {
    const matching = new MeanMatching(options);
    matching.addUniform(draws);
    matching.add(later);
    expect(Math.log(matching.factor)).toBeCloseTo(8 * 0.5 * 0.01, 10);
  }
});

test("a target that is concentrated on few of the first objects is not matched", () => {
  const matching = new MeanMatching(options);
  matching.addUniform([...times(20, draw(1)), ...times(180, draw(1e-4))]);
  matching.add(times(500, draw(1e-4)));
  expect(matching.factor).toBe(1);
});

test("a restored state continues with the same factor", () => {
  const whole = matchingAfter(policyWith(0.3, 40), policyWith(0.6, 40));
  const continued = new MeanMatching(options);
  continued.restore(JSON.parse(JSON.stringify(matchingAfter(policyWith(0.3, 40)).save())));
  continued.add(policyWith(0.6, 40));
  expect(continued.factor).toBe(whole.factor);
  expect(continued.save()).toEqual(whole.save());
});
