// The literal KL on tables in float64: its value, its gradient, and the environments that cannot use it.

import { grad, lax, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { checkGradients, weightedSum } from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import {
  balancedTables,
  inFloat64,
  nodeAfter,
  randomPolicy,
  stepsOf,
  tabularBatch,
  tabularInputs,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { literalKl, literalProblem } from "./literal-kl.ts";

const A = 3;
const TRAJECTORIES = 64;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 });
const enumeration = environment.enumerate();
const stream = RandomStream.fromSeed(3);
const policy = randomPolicy(enumeration, stream.split("policy"));
/** The backward table is correct, by Bayes' rule. */
const inputs = tabularInputs(
  environment,
  balancedTables(environment, enumeration, policy, 0),
  TRAJECTORIES,
  stream.split("uniform"),
);

/** The loss of each step, and its part that trains π_B. */
function literalOf({ forward, backward, logFlow, uniform, behaviour }: Arrays, logRatio: np.Array | null) {
  const batch = tabularBatch(environment, behaviour ?? forward, uniform);
  const { index, T, B } = batch;
  const outputs = { forward: np.take(forward, index, 0), backward: np.take(backward, index, 0), logFlow };
  const [, later] = np.split(outputs.backward, [B], 0); // [N, A], log-probabilities
  const crossEntropy = np.negative(np.sum(np.multiply(later, batch.backwardAction), 1)); // [N]
  return { loss: literalKl(batch, outputs, logRatio), crossEntropy, index: np.split(index, [T * B], 0)[0] };
}

/** The divergence of each step, [N]. */
function divergences(backward: ArrayLike<number>): Float64Array {
  const changed = { ...inputs, backward: { ...inputs.backward, data: backward } };
  const { loss, crossEntropy } = inFloat64((arrays) => literalOf(arrays, null), changed);
  return loss.map((value, i) => value - crossEntropy[i]);
}

describe("the literal KL", () => {
  test("is above zero for a correct backward policy", () => {
    const found = divergences(inputs.backward.data);
    const mean = found.reduce((a, b) => a + b) / found.length;
    expect(mean).toBeGreaterThan(0.3);
  });

  test("is zero for every policy if the backward policy copies it", () => {
    const copy = Float64Array.from(inputs.backward.data);
    for (const step of stepsOf(enumeration)) {
      for (let a = 0; a < A; a++) {
        copy[nodeAfter(enumeration, step) * A + a] = Math.log(policy[step.state * A + a]);
      }
    }
    for (const value of divergences(copy)) expect(value).toBeCloseTo(0, 9);
  });

  test("decreases by the logarithm of the entropy ratio", () => {
    const at = (logRatio: np.Array | null) => (arrays: Arrays) => literalOf(arrays, logRatio);
    const plain = inFloat64(at(null), inputs).loss;
    const { loss } = inFloat64((arrays) => at(np.full([2 * TRAJECTORIES], 0.5))(arrays), inputs);
    loss.forEach((value, i) => {
      expect(value).toBeCloseTo(plain[i] - 0.5, 9);
    });
  });

  test("has the gradient of its values by the policy, and both engines agree", async () => {
    const { forward, ...rest } = inputs;
    const fixed = { ...rest, behaviour: forward };
    await expectGradientsOnEngines(
      checkGradients((arrays) => weightedSum(literalOf(arrays, null).loss), { forward }, { fixed }),
    );
  });

  test("has no gradient through the entropy ratio", () => {
    const gradientBy = (ratioOf: (forward: np.Array) => np.Array) =>
      inFloat64((arrays) => {
        const loss = (forward: np.Array) => {
          const tables = { ...arrays, forward, behaviour: arrays.forward };
          return np.sum(literalOf(tables, ratioOf(forward)).loss); // []
        };
        return { gradient: grad(loss)(arrays.forward) };
      }, inputs).gradient;
    const trained = gradientBy((forward) => np.multiply(np.ones([2 * TRAJECTORIES]), np.sum(forward)));
    const fixed = gradientBy((forward) =>
      np.multiply(np.ones([2 * TRAJECTORIES]), lax.stopGradient(np.sum(forward))),
    );
    expect(trained).toEqual(fixed);
  });

  test.each([
    [
      "an environment that declares that it is not a tree",
      { ...sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 }), tree: false },
      "kl-literal needs a tree",
    ],
    ["a grid", hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }), "kl-literal needs a tree"],
    [
      "strings without noise",
      sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 }),
      "kl-literal is infinite without noise, because every outcome is the action; use kl",
    ],
  ])("is rejected for %s", (_, other, message) => {
    expect(literalProblem(other)).toContain(message);
  });

  test("is accepted for strings with noise", () => {
    expect(literalProblem(environment)).toBeNull();
  });
});
