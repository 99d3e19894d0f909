// The literal KL in float64, on tables: what it is, where it is zero, and where it cannot be computed.

import { numpy as np } from "@jax-js/jax";
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
import { hypergridEnvironment } from "../environments/hypergrid.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { OBJECTIVES } from "./choice.ts";
import { checkLiteral, literalKl } from "./literal-kl.ts";

const A = 3;
const EPISODES = 64;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 });
const listed = environment.enumerate();
const stream = RandomStream.fromSeed(3);
const policy = randomPolicy(listed, stream.split("policy"));
/** Its backward table is the truth, by Bayes' rule. */
const inputs = tabularInputs(
  environment,
  balancedTables(environment, listed, policy, 0),
  EPISODES,
  stream.split("uniform"),
);

/** The loss of each step, and of its two parts what π_B learns from. */
function literalOf({ forward, backward, logFlow, uniform, behaviour }: Arrays, logRatio: np.Array | null) {
  const batch = tabularBatch(environment, behaviour ?? forward, uniform);
  const { index, T, B } = batch;
  const taken = { forward: np.take(forward, index, 0), backward: np.take(backward, index, 0), logFlow };
  const [, later] = np.split(taken.backward, [B], 0); // [N, A], logarithms already
  const surprise = np.negative(np.sum(np.multiply(later, batch.backwardClass), 1)); // [N]
  return { loss: literalKl(batch, taken, logRatio), surprise, index: np.split(index, [T * B], 0)[0] };
}

/** The divergence of each step, [N]. */
function divergences(backward: ArrayLike<number>): Float64Array {
  const changed = { ...inputs, backward: { ...inputs.backward, data: backward } };
  const { loss, surprise } = inFloat64((arrays) => literalOf(arrays, null), changed);
  return loss.map((value, i) => value - surprise[i]);
}

describe("the literal KL", () => {
  test("is above zero for a backward policy that tells the truth", () => {
    const found = divergences(inputs.backward.data);
    const mean = found.reduce((a, b) => a + b) / found.length;
    expect(mean).toBeGreaterThan(0.3);
  });

  test("is zero for any policy at all if the backward policy copies it", () => {
    const copy = Float64Array.from(inputs.backward.data);
    for (const step of stepsOf(listed)) {
      for (let a = 0; a < A; a++) {
        copy[nodeAfter(listed, step) * A + a] = Math.log(policy[step.state * A + a]);
      }
    }
    for (const value of divergences(copy)) expect(value).toBeCloseTo(0, 9);
  });

  test("is less by the logarithm of the entropy ratio", () => {
    const at = (logRatio: np.Array | null) => (arrays: Arrays) => literalOf(arrays, logRatio);
    const plain = inFloat64(at(null), inputs).loss;
    const { loss } = inFloat64((arrays) => at(np.full([2 * EPISODES], 0.5))(arrays), inputs);
    loss.forEach((value, i) => {
      expect(value).toBeCloseTo(plain[i] - 0.5, 9);
    });
  });

  test("has the gradient of its values by the policy, the same on both engines", async () => {
    const { forward, ...rest } = inputs;
    const fixed = { ...rest, behaviour: forward };
    await expectGradientsOnEngines(
      checkGradients((arrays) => weightedSum(literalOf(arrays, null).loss), { forward }, { fixed }),
    );
  });

  test.each([
    ["a grid", hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }), "kl-literal needs a tree"],
    [
      "strings without noise",
      sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 }),
      "kl-literal is infinite without noise, for what came was intended; use kl",
    ],
  ])("is refused on %s, where kl is not", (_, other, message) => {
    expect(() => checkLiteral(OBJECTIVES["kl-literal"], other)).toThrow(message);
    expect(() => checkLiteral(OBJECTIVES.kl, other)).not.toThrow();
  });
});
