// Balances for policies conditioned on the thought, over all histories of a tiny environment, in float64. A flow of states
// is too restrictive for thoughts, and the trajectory balance of histories is expectation maximisation
// (docs/mathematics.md).

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, largestMagnitude } from "../../../test/support/difference.ts";
import { inFloat64, randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { normaliseRewards } from "../../math/distances.ts";
import { regimeEnvironment } from "../environment/regime.ts";
import { type PolicyTable, uniformPolicy, visitation } from "../evaluate/exact.ts";
import { enumerateHistories } from "../evaluate/history-enumeration.ts";
import { thoughtLimits } from "../evaluate/thought-limits.ts";
import { model as modelOf } from "../policy/model.ts";
import { flattenTrajectories } from "../sampling/batch.ts";
import { followTrajectories } from "../sampling/rollout.ts";
import { defaultSettings } from "../training/defaults.ts";
import { balanceTerms } from "./balance-terms.ts";
import { residualLoss } from "./loss.ts";
import { logThoughtPosterior, objectMarginal } from "./object-marginal.ts";
import { balanceResiduals } from "./residuals.ts";

const [A, T] = [2, 3];
const regimes = [
  { stick: 0.1, share: 0.5 },
  { stick: 0.6, share: 0.5 },
];
const environment = regimeEnvironment({ alphabet: "AB", length: T, regimes });
const settings = { ...defaultSettings(environment), hidden: [], dynamicsHidden: [], stateTableRows: 0 };
const model = modelOf(environment, settings);
const enumeration = enumerateHistories(environment);

/**
 * Every pair of a thought and an outcome sequence is one row. In base A, two digits of the row number are the action
 * and the outcome at step t.
 */
const B = (A * A) ** T;
const actionOf = (row: number, t: number) => Math.floor(row / A ** (2 * t)) % A;
const outcomeOf = (row: number, t: number) => Math.floor(row / A ** (2 * t + 1)) % A;
const childOf = (history: number, a: number, c: number) => history * A * A + 1 + a * A + c;
const steps = Array.from({ length: T * B }, (_, i) => ({ row: i % B, t: Math.floor(i / B) }));
const histories = steps.map(({ row, t }) => {
  let history = 0;
  for (let s = 0; s < t; s++) history = childOf(history, actionOf(row, s), outcomeOf(row, s));
  return history;
});
const terminals = Array.from({ length: B }, (_, row) =>
  Array.from({ length: T }, (_, t) => outcomeOf(row, t)).reduce((number, c) => number * A + c, 0),
);

/** Index of the prefix before each step, below PREFIXES. */
const prefixes = steps.map(({ row, t }) =>
  Array.from({ length: t }, (_, s) => outcomeOf(row, s)).reduce((number, c) => number * A + c, 1),
);
const PREFIXES = A ** T;

function kernel(history: number, a: number, c: number): number {
  return enumeration.probabilities[enumeration.offsets[history * A + a] + c];
}

/** Probability of every row under a policy, [B]. */
function rowProbabilities(policy: PolicyTable): Float64Array {
  const probabilities = new Float64Array(B).fill(1);
  steps.forEach(({ row, t }, i) => {
    const [a, c] = [actionOf(row, t), outcomeOf(row, t)];
    probabilities[row] *= policy[histories[i] * A + a] * kernel(histories[i], a, c);
  });
  return probabilities;
}

/** Posterior probability of a row's thought, given its sequence, [B]. */
function posteriorOf(policy: PolicyTable): Float64Array {
  const ends = visitation(enumeration, policy).terminals;
  return rowProbabilities(policy).map((p, row) => p / ends[terminals[row]]);
}

/** Log-probabilities of the next letter after each prefix under the policy, for histories sampled by a behaviour policy,
 * [PREFIXES · A]. */
function nextLetterLogs(policy: PolicyTable, behaviour = policy): Float64Array {
  const counts = new Float64Array(PREFIXES * A);
  const drawn = rowProbabilities(behaviour);
  steps.forEach(({ row }, i) => {
    for (let c = 0; c < A; c++) {
      const next = Array.from(
        { length: A },
        (_, a) => policy[histories[i] * A + a] * kernel(histories[i], a, c),
      );
      counts[prefixes[i] * A + c] += drawn[row] * next.reduce((x, y) => x + y);
    }
  });
  return counts.map((count, i) => {
    const first = i - (i % A);
    const sum = counts.subarray(first, first + A).reduce((x, y) => x + y);
    return sum > 0 ? Math.log(count / sum) : 0;
  });
}

interface Point {
  readonly policy: PolicyTable;
  /** Log-probabilities of the next letter in the object marginal, [PREFIXES · A]. */
  readonly marginalLogs: Float64Array;
  readonly target: Float64Array;
  /** log Z minus the logarithm of the sum of rewards. Default: 0. */
  readonly logZ?: number;
  /** Probability of each row in the data, [B]. Default: on-policy. */
  readonly weight?: Float64Array;
}

/** The expected training loss over all rows: its gradients, the residuals of both forms, and the log-probabilities. */
function evaluateAt({ policy, marginalLogs, target, logZ = 0, weight = rowProbabilities(policy) }: Point) {
  const N = T * B;
  const parts = ({ forward, marginalLogs, ...inputs }: Arrays) => {
    const batch = flattenTrajectories(
      environment,
      followTrajectories(environment, { actions: inputs.actions, outcomes: inputs.outcomes }),
    );
    const outputs = {
      forward: np.concatenate([np.take(forward, inputs.histories, 0), np.zeros([B, A])], 0), // [(T + 1)·B, A]
      backward: np.zeros([(T + 1) * B, A]),
      logFlow: np.zeros([(T + 1) * B]),
    };
    const withMarginal = { ...model, objectMarginalLogits: () => np.take(marginalLogs, inputs.prefixes, 0) };
    const marginalModel = objectMarginal(
      withMarginal,
      forward,
      batch,
      outputs,
      inputs.logKernel,
      inputs.weight,
    );
    const logThought = logThoughtPosterior(
      balanceTerms("thought", batch, outputs, inputs.logKernel),
      batch,
      marginalModel,
    ); // [B]
    const residual = (form: "thought" | "marginal", logReward: np.Array) =>
      balanceResiduals("tb", batch, balanceTerms(form, batch, outputs, inputs.logKernel), logReward, {
        lambda: 1,
        logZ: inputs.logZ,
      }).residual; // [B]
    const logReward = np.take(inputs.logTarget, batch.terminal, 0); // [B]
    const thought = residual("thought", np.add(logReward, logThought)); // [B]
    const loss = np.add(
      np.sum(np.multiply(residualLoss("kl", thought), inputs.weight)),
      marginalModel.crossEntropy,
    ); // []
    return { thought, marginal: residual("marginal", logReward), loss, logThought, ...marginalModel };
  };
  const by = (name: string, all: Arrays) =>
    grad((moved: np.Array) => parts({ ...all, [name]: moved }).loss)(all[name]);
  return inFloat64(
    (all) => ({
      ...parts(all),
      byPolicy: by("forward", all), // [histories, A]
      byMarginal: by("marginalLogs", all), // [PREFIXES, A]
      byLogZ: by("logZ", all), // []
    }),
    {
      forward: { shape: [enumeration.states, A], data: policy.map((p) => Math.log(Math.max(p, 1e-12))) },
      marginalLogs: { shape: [PREFIXES, A], data: marginalLogs },
      prefixes: { shape: [N], dtype: "int32", data: prefixes },
      logTarget: { shape: [enumeration.terminals], data: target.map(Math.log) },
      logZ: { shape: [], data: [logZ] },
      weight: { shape: [B], data: weight },
      histories: { shape: [N], dtype: "int32", data: histories },
      actions: { shape: [T, B], dtype: "int32", data: steps.map(({ row, t }) => actionOf(row, t)) },
      outcomes: { shape: [T, B], dtype: "int32", data: steps.map(({ row, t }) => outcomeOf(row, t)) },
      logKernel: {
        shape: [N, A, A],
        data: histories.flatMap((history) =>
          Array.from({ length: A * A }, (_, i) => Math.log(kernel(history, Math.floor(i / A), i % A))),
        ),
      },
    },
  );
}

/** −E[∇ log π(a|h)] by logits, for an object from the target and its thought from q, [histories · A]. */
function maximisationGradient(policy: PolicyTable, target: Float64Array, q: ArrayLike<number>): Float64Array {
  const gradient = new Float64Array(policy.length);
  steps.forEach(({ row, t }, i) => {
    const count = target[terminals[row]] * q[row];
    for (let a = 0; a < A; a++) {
      const cell = histories[i] * A + a;
      gradient[cell] -= count * (+(a === actionOf(row, t)) - policy[cell]);
    }
  });
  return gradient;
}

const stream = RandomStream.fromSeed(4);
const policy = randomPolicy(enumeration, stream.split("policy"));
const marginalLogs = nextLetterLogs(policy);
const uniformLogs = new Float64Array(PREFIXES * A);
const target = normaliseRewards(
  Float64Array.from({ length: enumeration.terminals }, () => Math.exp(stream.normal())),
).target;

describe("a flow of states", () => {
  test("has a residual for a policy that reaches the target if the outcomes depend on the thought", () => {
    const reached = visitation(enumeration, policy).terminals;
    const { marginal, thought } = evaluateAt({ policy, marginalLogs, target: reached });
    expect(largestMagnitude(marginal)).toBeGreaterThan(0.1);
    expect(largestMagnitude(thought)).toBeLessThan(1e-9);
  });

  test("has no residual only if the outcome probabilities are the same for every thought, with different actions", () => {
    // Outcomes have probability 0.6 and 0.4 after every history, which is reachable at every noise level.
    const same = Float64Array.from({ length: enumeration.states * A }, (_, i) => {
      const noise = 2 * kernel(Math.floor(i / A), 0, 1);
      return ((i % A === 0 ? 0.6 : 0.4) - noise / 2) / (1 - noise);
    });
    const reached = visitation(enumeration, same).terminals;
    expect(reached[0]).toBeCloseTo(0.6 ** T, 12);
    expect(
      largestMagnitude(evaluateAt({ policy: same, marginalLogs: uniformLogs, target: reached }).marginal),
    ).toBeLessThan(1e-9);
    // After a first outcome A, with the action A and with the action B.
    expect(Math.abs(same[childOf(0, 0, 0) * A] - same[childOf(0, 1, 0) * A])).toBeGreaterThan(0.05);
  });
});

describe("the object marginal", () => {
  const ends = visitation(enumeration, policy).terminals;

  test("is exact if the probabilities of the next letter are, and gives the posterior of thoughts", () => {
    const { logProbability, logThought } = evaluateAt({ policy, marginalLogs, target });
    const expected = Float64Array.from(terminals, (x) => Math.log(ends[x]));
    expect(largestDifference(logProbability, expected)).toBeLessThan(1e-9);
    expect(largestDifference(logThought, posteriorOf(policy).map(Math.log))).toBeLessThan(1e-9);
    expect(
      largestDifference(evaluateAt({ policy, marginalLogs: uniformLogs, target }).logProbability, expected),
    ).toBeGreaterThan(0.01);
  });

  test("has its minimal cross-entropy there, which is the entropy of objects per letter", () => {
    const minimum = -ends.reduce((sum, p) => sum + p * Math.log(p), 0) / T;
    const [exact, wrong] = [
      evaluateAt({ policy, marginalLogs, target }),
      evaluateAt({ policy, marginalLogs: uniformLogs, target }),
    ];
    expect(exact.crossEntropy[0]).toBeCloseTo(minimum, 9);
    expect(largestMagnitude(exact.byMarginal)).toBeLessThan(1e-9);
    expect(wrong.crossEntropy[0]).toBeGreaterThan(minimum + 1e-3);
    expect(largestMagnitude(wrong.byMarginal)).toBeGreaterThan(1e-3);
  });
});

describe("trajectory balance of histories, on-policy,", () => {
  test.each([
    ["the policy", marginalLogs, true],
    ["another distribution", marginalLogs.map((_, i) => Math.sin(7 * i) / 2), false],
  ])(
    "has the gradient of the maximisation step, with posteriors from the object marginal of %s",
    (_, marginalLogs, isExact) => {
      const { byPolicy, byLogZ, thought, logThought } = evaluateAt({ policy, marginalLogs, target });
      // No residual is below −5, where the kl loss continues as its tangent.
      expect(Math.min(...thought)).toBeGreaterThan(-5);
      const posteriors = logThought.map(Math.exp);
      const expected = maximisationGradient(policy, target, posteriors);
      expect(largestDifference(byPolicy, expected)).toBeLessThan(1e-9);
      expect(largestMagnitude(expected)).toBeGreaterThan(0.01);
      const total = posteriors.reduce((sum, p, row) => sum + target[terminals[row]] * p, 0);
      expect(byLogZ[0]).toBeCloseTo(1 - total, 9);
      expect(Math.abs(1 - total) < 1e-9).toBe(isExact);
    },
  );

  test("moves log Z to the logarithm of the sum of rewards; until then the gradient is only scaled", () => {
    const { byPolicy, byLogZ } = evaluateAt({ policy, marginalLogs, target, logZ: 0.5 });
    expect(byLogZ[0]).toBeCloseTo(1 - Math.exp(-0.5), 9);
    const expected = maximisationGradient(policy, target, posteriorOf(policy));
    expect(
      largestDifference(
        byPolicy,
        expected.map((x) => x * Math.exp(-0.5)),
      ),
    ).toBeLessThan(1e-9);
  });

  test("has the gradient of KL(target ‖ distribution of objects) with the exact object marginal", () => {
    const { byPolicy } = evaluateAt({ policy, marginalLogs, target });
    const divergenceAt = (cell: number, shift: number) => {
      const moved = Float64Array.from(policy);
      moved[cell] *= Math.exp(shift);
      const start = cell - (cell % A);
      const sum = moved[start] + moved[start + 1];
      for (const i of [start, start + 1]) moved[i] /= sum;
      const ends = visitation(enumeration, moved).terminals;
      return target.reduce((total, p, x) => total - p * Math.log(ends[x]), 0);
    };
    const step = 1e-4;
    const differences = byPolicy.map(
      (_, cell) => (divergenceAt(cell, step) - divergenceAt(cell, -step)) / (2 * step),
    );
    expect(largestDifference(byPolicy, differences)).toBeLessThan(1e-8);
  });

  test("has no gradient at the best policy conditioned on the thought", () => {
    const uneven = normaliseRewards(Float64Array.from(target, (p, x) => (x % 3 === 0 ? 9 : 1) * p)).target;
    const best = thoughtLimits(enumeration, uneven, { tolerance: 1e-12, starts: 1 }).withThought;
    expect(best.kl).toBeGreaterThan(1e-3);
    const gradientAt = (policy: PolicyTable) =>
      largestMagnitude(evaluateAt({ policy, marginalLogs: nextLetterLogs(policy), target: uneven }).byPolicy);
    expect(gradientAt(best.policy)).toBeLessThan(1e-5);
    expect(gradientAt(uniformPolicy(enumeration))).toBeGreaterThan(0.01);
  });
});

describe("exploration", () => {
  const reached = visitation(enumeration, policy).terminals;
  /** Largest gradient at a policy that reaches the target, with the object marginal that training learns from trajectories
   * of an ε-uniform behaviour policy. */
  const gradientAt = (epsilon: number) => {
    const behaviour = policy.map((p) => (1 - epsilon) * p + epsilon / A);
    const weight = rowProbabilities(behaviour);
    const exploredLogs = nextLetterLogs(policy, behaviour);
    const { byPolicy, byMarginal } = evaluateAt({
      policy,
      marginalLogs: exploredLogs,
      target: reached,
      weight,
    });
    expect(largestMagnitude(byMarginal)).toBeLessThan(1e-9);
    return largestMagnitude(byPolicy);
  };

  test("changes the solution even for a reachable target, in proportion to ε", () => {
    expect(gradientAt(0)).toBeLessThan(1e-9);
    expect(gradientAt(0.1)).toBeGreaterThan(1e-4);
    expect(gradientAt(0.01) / gradientAt(0.005)).toBeGreaterThan(1.9);
    expect(gradientAt(0.01) / gradientAt(0.005)).toBeLessThan(2.1);
  });
});
