// Compiled constraints: probabilities compared with sums over all values of the tokens, and features at a step compared with
// features at all steps.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { compileConstraint } from "./compiled-constraint.ts";
import { meetsCondition, parseCondition } from "./condition.ts";

/** Token k stands for two equally likely values: k − 0.3 and k + 0.3. */
const [K, H, M] = [4, 3, 2];
const offsets = [-0.3, 0.3];
const context = {
  tokenMeans: Float64Array.from({ length: H * M * K }, (_, i) => i % K),
  tokenDeviations: new Float64Array(H * M * K).fill(0.3),
  shareBelow: (_: number, token: number, x: number) =>
    offsets.filter((offset) => token + offset < x).length / 2,
};

const stream = RandomStream.fromSeed(4);
const samples = Array.from({ length: 50 }, () => Float64Array.from({ length: H }, () => stream.integer(K)));
const paths = Array.from({ length: 40 }, () => Array.from({ length: H * M }, () => stream.integer(K)));
const oneHot = Float32Array.from(paths.flat().flatMap((x) => [0, 1, 2, 3].map((k) => +(k === x))));
const B = paths.length;

async function outputsOf(text: string, target: number) {
  const constraint = compileConstraint({
    condition: parseCondition(text),
    tokens: K,
    steps: H * M,
    targets: M,
    target,
  });
  const names = Object.keys(constraint.inputs);
  const program = await compile(
    (inputs: Readonly<Record<string, np.Array>>) => {
      const arrays = Object.fromEntries(
        names.map((name) => [name, np.broadcastTo(inputs[name], [B, ...constraint.inputs[name].shape])]),
      );
      const steps = Array.from({ length: H * M }, (_, t) => {
        const path = Array.from({ length: t }, (_, step) => inputs.tokens.slice([], step)); // t × [B, K]
        return constraint.featuresAtStep(t, path, arrays);
      });
      return {
        logProbability: constraint.logProbability(inputs.tokens, arrays),
        at: np.stack(steps, 1),
        all: constraint.featuresAtAllSteps(inputs.tokens, arrays),
      };
    },
    {
      tokens: spec([B, H * M, K]),
      ...Object.fromEntries(names.map((name) => [name, spec([1, ...constraint.inputs[name].shape])])),
    } as Record<string, ReturnType<typeof spec>>,
    { name: "constraint" },
  );
  const outputs = await program.run({ tokens: oneHot, ...constraint.inputsOf(context, samples) });
  await program.dispose();
  return outputs;
}

/** Share of all combinations of values of the tokens that meet a condition. */
function shareMet(text: string, tokens: readonly number[]): number {
  const condition = parseCondition(text);
  const all = Array.from({ length: 2 ** H }, (_, i) =>
    tokens.map((token, h) => token + offsets[(i >> h) & 1]),
  );
  return all.filter((values) => meetsCondition(condition, values)).length / all.length;
}

test.each([
  ["max >= 2.9", 0],
  ["max < 2", 1],
  ["min <= 0.1", 0],
  ["min > 0.9", 1],
  ["crosses 1.8", 1],
])("%s of target %i: probabilities of minima and maxima are exact", async (text, target) => {
  const { logProbability } = await outputsOf(text, target);
  const shares = paths.map((path) =>
    shareMet(
      text,
      path.filter((_, t) => t % M === target),
    ),
  );
  expect(new Set(shares).size).toBeGreaterThan(2);
  shares.forEach((share, i) => {
    // Below e⁻² the soft bound may raise the probability, but not above e⁻².
    if (share > Math.exp(-2)) expect(Math.exp(logProbability[i])).toBeCloseTo(share, 5);
    else expect(logProbability[i]).toBeLessThan(-1.99);
  });
});

test("the probability of a total follows the normal approximation", async () => {
  const { logProbability } = await outputsOf("sum <= 4.5", 0);
  paths.forEach((path, i) => {
    const sum = path.reduce((total, token, t) => (t % M === 0 ? total + token : total), 0);
    const x = (1.702 * (sum - 4.5)) / (0.3 * Math.sqrt(3));
    // Near the bound the probability decides, farther away the soft bound.
    if (sum <= 5) expect(logProbability[i]).toBeCloseTo(-Math.log(1 + Math.exp(x)), 2);
    else expect(logProbability[i]).toBeLessThan(-1.6);
  });
});

test.each(["sum <= 4", "max >= 2 and min < 1", "crosses 2 and value[2] >= 1"])(
  "%s has the same features step by step and in one pass",
  async (text) => {
    for (const target of [0, 1]) {
      const { at, all } = await outputsOf(text, target);
      at.forEach((value, i) => {
        expect(value).toBeCloseTo(all[i], 4);
      });
      expect(new Set(at).size).toBeGreaterThan(4);
    }
  },
);
