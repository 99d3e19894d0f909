// Balances for policies that read the thought, over all histories of a tiny environment, in float64: what a flow of
// states forces on thoughts, and that the trajectory balance of histories is expectation maximisation
// (docs/mathematics.md, "Policies that read the thought").

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import type { Arrays } from "../src/engine/trace.ts";
import { flatten } from "../src/gfn/batch.ts";
import { regimeEnvironment } from "../src/gfn/environments/regime.ts";
import { normalise } from "../src/gfn/evaluate/distances.ts";
import { type PolicyTable, uniformPolicy, visitation } from "../src/gfn/evaluate/exact.ts";
import { historyListing } from "../src/gfn/evaluate/histories.ts";
import { thoughtLimits } from "../src/gfn/evaluate/thought-limits.ts";
import { model as modelOf } from "../src/gfn/model.ts";
import { objectLaw, shareOfThought } from "../src/gfn/object-law.ts";
import { residualsOf } from "../src/gfn/objectives/balance.ts";
import { lossOf } from "../src/gfn/objectives/loss.ts";
import { termsOf } from "../src/gfn/objectives/terms.ts";
import { follow } from "../src/gfn/rollout.ts";
import { largestDifference, peak } from "./support/difference.ts";
import { inFloat64, randomPolicy } from "./support/tabular.ts";

const [A, T] = [2, 3];
const regimes = [
  { stick: 0.1, share: 0.5 },
  { stick: 0.6, share: 0.5 },
];
const environment = regimeEnvironment({ alphabet: "AB", length: T, regimes });
const network = { hidden: [] };
const model = modelOf(environment, { policy: network, dynamics: network });
const listed = historyListing(environment);

/** Every pair of thought and string is one row: its intention and outcome at step t are two of its digits. */
const B = (A * A) ** T;
const intention = (row: number, t: number) => Math.floor(row / A ** (2 * t)) % A;
const outcome = (row: number, t: number) => Math.floor(row / A ** (2 * t + 1)) % A;
const childOf = (history: number, a: number, c: number) => history * A * A + 1 + a * A + c;
const steps = Array.from({ length: T * B }, (_, i) => ({ row: i % B, t: Math.floor(i / B) }));
const histories = steps.map(({ row, t }) => {
  let history = 0;
  for (let s = 0; s < t; s++) history = childOf(history, intention(row, s), outcome(row, s));
  return history;
});
const terminals = Array.from({ length: B }, (_, row) =>
  Array.from({ length: T }, (_, t) => outcome(row, t)).reduce((number, c) => number * A + c, 0),
);

/** Number of the letters that are written before each step; PREFIXES of them. */
const written = steps.map(({ row, t }) =>
  Array.from({ length: t }, (_, s) => outcome(row, s)).reduce((number, c) => number * A + c, 1),
);
const PREFIXES = A ** T;

function kernel(history: number, a: number, c: number): number {
  return listed.probabilities[listed.offsets[history * A + a] + c];
}

/** Probability of every row under a policy, [B]. */
function lawOf(policy: PolicyTable): Float64Array {
  const law = new Float64Array(B).fill(1);
  steps.forEach(({ row, t }, i) => {
    const [a, c] = [intention(row, t), outcome(row, t)];
    law[row] *= policy[histories[i] * A + a] * kernel(histories[i], a, c);
  });
  return law;
}

/** Probability of a row's thought given its string, [B]. */
function posteriorOf(policy: PolicyTable): Float64Array {
  const ends = visitation(listed, policy).terminals;
  return lawOf(policy).map((p, row) => p / ends[terminals[row]]);
}

/** Logarithms of how often each letter comes next where something is written, when the policy chooses and histories are
 * drawn by a behaviour, [PREFIXES · A]. */
function lawOfNext(policy: PolicyTable, behaviour = policy): Float64Array {
  const counts = new Float64Array(PREFIXES * A);
  const drawn = lawOf(behaviour);
  steps.forEach(({ row }, i) => {
    for (let c = 0; c < A; c++) {
      const next = Array.from(
        { length: A },
        (_, a) => policy[histories[i] * A + a] * kernel(histories[i], a, c),
      );
      counts[written[i] * A + c] += drawn[row] * next.reduce((x, y) => x + y);
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
  /** What the model of objects has learned: log-probabilities of what comes next, [PREFIXES · A]. */
  readonly law: Float64Array;
  readonly target: Float64Array;
  /** log of Z over the sum of rewards. */
  readonly logZ?: number;
  /** How often each row is drawn; by the policy itself unless told, [B]. */
  readonly weight?: Float64Array;
}

/** The loss as training has it, in expectation over rows: its gradients, residuals of both forms, and both logarithms. */
function at({ policy, law, target, logZ = 0, weight = lawOf(policy) }: Point) {
  const N = T * B;
  const parts = ({ forward, law, ...given }: Arrays) => {
    const batch = flatten(
      environment,
      follow(environment, { actions: given.actions, outcomes: given.outcomes }),
    );
    const outputs = {
      forward: np.concatenate([np.take(forward, given.histories, 0), np.zeros([B, A])], 0), // [(T + 1)·B, A]
      backward: np.zeros([(T + 1) * B, A]),
      logFlow: np.zeros([(T + 1) * B]),
    };
    const knowing = { ...model, nextOf: () => np.take(law, given.written, 0) };
    const learned = objectLaw(knowing, forward, batch, outputs, given.logKernel, given.weight);
    const logThought = shareOfThought(termsOf("thought", batch, outputs, given.logKernel), batch, learned); // [B]
    const residual = (form: "thought" | "marginal", logReward: np.Array) =>
      residualsOf("tb", batch, termsOf(form, batch, outputs, given.logKernel), logReward, {
        lambda: 1,
        logZ: given.logZ,
      }).residual; // [B]
    const logReward = np.take(given.logTarget, batch.terminal, 0); // [B]
    const thought = residual("thought", np.add(logReward, logThought)); // [B]
    const loss = np.add(np.sum(np.multiply(lossOf("kl", thought), given.weight)), learned.crossEntropy); // []
    return { thought, marginal: residual("marginal", logReward), loss, logThought, ...learned };
  };
  const by = (name: string, all: Arrays) =>
    grad((moved: np.Array) => parts({ ...all, [name]: moved }).loss)(all[name]);
  return inFloat64(
    (all) => ({
      ...parts(all),
      byPolicy: by("forward", all), // [histories, A]
      byLaw: by("law", all), // [PREFIXES, A]
      byLogZ: by("logZ", all), // []
    }),
    {
      forward: { shape: [listed.states, A], data: policy.map((p) => Math.log(Math.max(p, 1e-12))) },
      law: { shape: [PREFIXES, A], data: law },
      written: { shape: [N], dtype: "int32", data: written },
      logTarget: { shape: [listed.terminals], data: target.map(Math.log) },
      logZ: { shape: [], data: [logZ] },
      weight: { shape: [B], data: weight },
      histories: { shape: [N], dtype: "int32", data: histories },
      actions: { shape: [T, B], dtype: "int32", data: steps.map(({ row, t }) => intention(row, t)) },
      outcomes: { shape: [T, B], dtype: "int32", data: steps.map(({ row, t }) => outcome(row, t)) },
      logKernel: {
        shape: [N, A, A],
        data: histories.flatMap((history) =>
          Array.from({ length: A * A }, (_, i) => Math.log(kernel(history, Math.floor(i / A), i % A))),
        ),
      },
    },
  );
}

/** −E[∇ log π(a|h)] by logits, for x drawn from the target and its thought from q, [histories · A]. */
function maximisationGradient(policy: PolicyTable, target: Float64Array, q: ArrayLike<number>): Float64Array {
  const gradient = new Float64Array(policy.length);
  steps.forEach(({ row, t }, i) => {
    const count = target[terminals[row]] * q[row];
    for (let a = 0; a < A; a++) {
      const cell = histories[i] * A + a;
      gradient[cell] -= count * (+(a === intention(row, t)) - policy[cell]);
    }
  });
  return gradient;
}

const stream = RandomStream.fromSeed(4);
const policy = randomPolicy(listed, stream.split("policy"));
const law = lawOfNext(policy);
const nothing = new Float64Array(PREFIXES * A);
const target = normalise(
  Float64Array.from({ length: listed.terminals }, () => Math.exp(stream.normal())),
).target;

describe("a flow of states", () => {
  test("finds fault with a policy that ends at the target, where thoughts differ in what they realise", () => {
    const reached = visitation(listed, policy).terminals;
    const { marginal, thought } = at({ policy, law, target: reached });
    expect(peak(marginal)).toBeGreaterThan(0.1);
    expect(peak(thought)).toBeLessThan(1e-9);
  });

  test("is content only if every thought realises the same shares, which takes other intentions", () => {
    // Every letter is wanted with probability 0.6 or 0.4, in reach of all noise; α of a history is in its kernel.
    const same = Float64Array.from({ length: listed.states * A }, (_, i) => {
      const noise = 2 * kernel(Math.floor(i / A), 0, 1);
      return ((i % A === 0 ? 0.6 : 0.4) - noise / 2) / (1 - noise);
    });
    const reached = visitation(listed, same).terminals;
    expect(reached[0]).toBeCloseTo(0.6 ** T, 12);
    expect(peak(at({ policy: same, law: nothing, target: reached }).marginal)).toBeLessThan(1e-9);
    // After the first letter came out A: as intended, and not.
    expect(Math.abs(same[childOf(0, 0, 0) * A] - same[childOf(0, 1, 0) * A])).toBeGreaterThan(0.05);
  });
});

describe("the law of objects", () => {
  const ends = visitation(listed, policy).terminals;

  test("is how often they are made where it is how often each letter comes next, and gives the posterior of thoughts", () => {
    const { logObject, logThought } = at({ policy, law, target });
    const made = Float64Array.from(terminals, (x) => Math.log(ends[x]));
    expect(largestDifference(logObject, made)).toBeLessThan(1e-9);
    expect(largestDifference(logThought, posteriorOf(policy).map(Math.log))).toBeLessThan(1e-9);
    expect(largestDifference(at({ policy, law: nothing, target }).logObject, made)).toBeGreaterThan(0.01);
  });

  test("has its smallest cross-entropy there, the entropy of objects by letter", () => {
    const least = -ends.reduce((sum, p) => sum + p * Math.log(p), 0) / T;
    const [there, elsewhere] = [at({ policy, law, target }), at({ policy, law: nothing, target })];
    expect(there.crossEntropy[0]).toBeCloseTo(least, 9);
    expect(peak(there.byLaw)).toBeLessThan(1e-9);
    expect(elsewhere.crossEntropy[0]).toBeGreaterThan(least + 1e-3);
    expect(peak(elsewhere.byLaw)).toBeGreaterThan(1e-3);
  });
});

describe("trajectory balance of histories, on the policy's own episodes,", () => {
  test.each([
    ["that of the policy", law, true],
    ["another", law.map((_, i) => Math.sin(7 * i) / 2), false],
  ])(
    "has the gradient of maximisation with the shares of thoughts from a law that is %s",
    (_, law, isOwn) => {
      const { byPolicy, byLogZ, thought, logThought } = at({ policy, law, target });
      // The kl loss is its tangent below −5, where nothing here is.
      expect(Math.min(...thought)).toBeGreaterThan(-5);
      const shares = logThought.map(Math.exp);
      const expected = maximisationGradient(policy, target, shares);
      expect(largestDifference(byPolicy, expected)).toBeLessThan(1e-9);
      expect(peak(expected)).toBeGreaterThan(0.01);
      const total = shares.reduce((sum, share, row) => sum + target[terminals[row]] * share, 0);
      expect(byLogZ[0]).toBeCloseTo(1 - total, 9);
      expect(Math.abs(1 - total) < 1e-9).toBe(isOwn);
    },
  );

  test("moves log Z to the sum of rewards, and before it is there scales the gradient only", () => {
    const { byPolicy, byLogZ } = at({ policy, law, target, logZ: 0.5 });
    expect(byLogZ[0]).toBeCloseTo(1 - Math.exp(-0.5), 9);
    const expected = maximisationGradient(policy, target, posteriorOf(policy));
    expect(
      largestDifference(
        byPolicy,
        expected.map((x) => x * Math.exp(-0.5)),
      ),
    ).toBeLessThan(1e-9);
  });

  test("has with the law of the policy the gradient of KL(target ‖ law of objects)", () => {
    const { byPolicy } = at({ policy, law, target });
    const divergenceAt = (cell: number, shift: number) => {
      const moved = Float64Array.from(policy);
      moved[cell] *= Math.exp(shift);
      const start = cell - (cell % A);
      const sum = moved[start] + moved[start + 1];
      for (const i of [start, start + 1]) moved[i] /= sum;
      const ends = visitation(listed, moved).terminals;
      return target.reduce((total, p, x) => total - p * Math.log(ends[x]), 0);
    };
    const step = 1e-4;
    const differences = byPolicy.map(
      (_, cell) => (divergenceAt(cell, step) - divergenceAt(cell, -step)) / (2 * step),
    );
    expect(largestDifference(byPolicy, differences)).toBeLessThan(1e-8);
  });

  test("has no gradient at the best policy that reads the thought", () => {
    const uneven = normalise(Float64Array.from(target, (p, x) => (x % 3 === 0 ? 9 : 1) * p)).target;
    const best = thoughtLimits(listed, uneven, { tolerance: 1e-12, starts: 1 }).withThought;
    expect(best.kl).toBeGreaterThan(1e-3);
    const gradientAt = (policy: PolicyTable) =>
      peak(at({ policy, law: lawOfNext(policy), target: uneven }).byPolicy);
    expect(gradientAt(best.policy)).toBeLessThan(1e-5);
    expect(gradientAt(uniformPolicy(listed))).toBeGreaterThan(0.01);
  });
});

describe("exploration", () => {
  const reached = visitation(listed, policy).terminals;
  /** At a policy that ends at the target, with the law of objects as it would be learned from what is explored. */
  const gradientAt = (epsilon: number) => {
    const behaviour = policy.map((p) => (1 - epsilon) * p + epsilon / A);
    const weight = lawOf(behaviour);
    const explored = lawOfNext(policy, behaviour);
    const { byPolicy, byLaw } = at({ policy, law: explored, target: reached, weight });
    expect(peak(byLaw)).toBeLessThan(1e-9);
    return peak(byPolicy);
  };

  test("moves the end of training even where the target is in reach, in proportion to ε", () => {
    expect(gradientAt(0)).toBeLessThan(1e-9);
    expect(gradientAt(0.1)).toBeGreaterThan(1e-4);
    expect(gradientAt(0.01) / gradientAt(0.005)).toBeGreaterThan(1.9);
    expect(gradientAt(0.01) / gradientAt(0.005)).toBeLessThan(2.1);
  });
});
