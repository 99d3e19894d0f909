// Probabilities of draws, summed over all trajectories of small environments: they give the exact gains over the uniform
// policy, of a policy and of the target.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { uniformPolicy, visitation } from "../evaluate/exact.ts";
import { type Draw, policyGain } from "../training/mean-matching.ts";
import { drawProbabilities } from "./draw-probabilities.ts";
import { followTrajectories } from "./rollout.ts";

/** A trajectory with its probabilities under two policies. */
interface Walk {
  readonly actions: readonly number[];
  readonly outcomes: readonly number[];
  readonly terminal: number;
  readonly byPolicy: number;
  readonly byUniform: number;
}

/** All trajectories of an environment, one per sequence of actions and outcomes. */
function allWalks(environment: EnumerableEnvironment, policy: Float64Array): Walk[] {
  const enumeration = environment.enumerate();
  const { actions: A, offsets, targets, outcome, probabilities } = enumeration;
  const uniform = uniformPolicy(enumeration);
  const from = (state: number, walk: Walk): Walk[] =>
    Array.from({ length: A }, (_, action) => {
      const row = state * A + action;
      return Array.from({ length: offsets[row + 1] - offsets[row] }, (_, i) => {
        const at = offsets[row] + i;
        const next: Walk = {
          actions: [...walk.actions, action],
          outcomes: [...walk.outcomes, outcome[at]],
          terminal: -1 - targets[at],
          byPolicy: walk.byPolicy * policy[row] * probabilities[at],
          byUniform: walk.byUniform * uniform[row] * probabilities[at],
        };
        return targets[at] < 0 ? [next] : from(targets[at], next);
      }).flat();
    }).flat();
  return from(0, { actions: [], outcomes: [], terminal: -1, byPolicy: 1, byUniform: 1 });
}

/** A random policy, its logits, and all trajectories as draws with random scores. */
function setting(environment: EnumerableEnvironment) {
  const enumeration = environment.enumerate();
  const { states, actions: A, terminals } = enumeration;
  const stream = RandomStream.fromSeed(4);
  const logits = Float64Array.from({ length: states * A }, () => stream.normal());
  const legal = uniformPolicy(enumeration);
  const policy = logits.map((logit, i) => {
    const first = i - (i % A);
    let sum = 0;
    for (let a = first; a < first + A; a++) if (legal[a] > 0) sum += Math.exp(logits[a]);
    return legal[i] > 0 ? Math.exp(logit) / sum : 0;
  });
  const scores = Float64Array.from({ length: terminals }, () => stream.uniform());
  const walks = allWalks(environment, policy);
  const [T, B] = [environment.maxSteps, walks.length];
  const perStep = (kind: "actions" | "outcomes") =>
    Array.from({ length: T }, (_, t) => walks.map((walk) => walk[kind][t] ?? -1)).flat();
  const { logPolicyRatio, logTargetRatio } = evaluate(
    ({ actions, outcomes, table }) => {
      const trajectories = followTrajectories(environment, { actions, outcomes });
      const steps = trajectories.states.slice(0, T).map(({ index }) => np.take(table, index, 0)); // T × [B, A]
      return drawProbabilities(environment, trajectories, steps);
    },
    {
      actions: { shape: [T, B], dtype: "int32", data: perStep("actions") },
      outcomes: { shape: [T, B], dtype: "int32", data: perStep("outcomes") },
      // The states after the last step have indices of their own.
      table: { shape: [states + 1, A], data: [...logits, ...new Array<number>(A).fill(0)] },
    },
  );
  const draws = walks.map(
    ({ terminal }, i): Draw => ({
      score: scores[terminal],
      logPolicyRatio: logPolicyRatio[i],
      logTargetRatio: logTargetRatio[i],
    }),
  );
  const meanOf = (table: Float64Array) =>
    visitation(enumeration, table).terminals.reduce((sum, p, i) => sum + p * scores[i], 0);
  return { walks, draws, scores, policyMean: meanOf(policy), uniformMean: meanOf(legal) };
}

const strings = (stick: number) => sequenceEnvironment({ alphabet: "ABC", length: 3, stick, variable: true });
const grid = (stick: number) => hypergridEnvironment({ dimensions: 2, side: 3, stick });

describe("the expected gain of the policy over its own draws is exact", () => {
  test.each([
    ["for strings of variable length", strings(0)],
    ["for strings with noise", strings(0.25)],
    ["for a grid", grid(0)],
    ["for a grid with noise", grid(0.25)],
  ])("%s, whatever the constant", (_, environment) => {
    const { walks, draws, policyMean, uniformMean } = setting(environment);
    expect(Math.abs(policyMean - uniformMean)).toBeGreaterThan(0.01);
    for (const constant of [0, 0.7]) {
      const gain = draws.reduce((sum, draw, i) => sum + walks[i].byPolicy * policyGain([draw], constant), 0);
      // The ratios have the precision of float32.
      expect(gain).toBeCloseTo(policyMean - uniformMean, 7);
    }
  });
});

describe("draws of the uniform policy, weighted by reward and ratio, are draws of the target", () => {
  test.each([
    ["for strings of variable length", strings(0)],
    ["for strings with stick noise, which leaves uniform actions uniform", strings(0.25)],
    ["for a grid, where many trajectories lead to an object", grid(0)],
    ["for a grid with stick noise", grid(0.25)],
  ])("%s", (_, environment) => {
    const { walks, draws, scores } = setting(environment);
    const weights = new Float64Array(scores.length);
    draws.forEach(({ logTargetRatio }, i) => {
      weights[walks[i].terminal] += walks[i].byUniform * Math.exp(logTargetRatio);
    });
    for (const weight of weights) expect(weight).toBeCloseTo(1, 10);
  });
});
