// A condition on token paths: probabilities against sums over all numbers that tokens may be, and steps against passes.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { holds, parseCondition } from "./condition.ts";
import { watch } from "./watch.ts";

/** Tokens that are two numbers each, with equal chances: k − 0.3 and k + 0.3. */
const [K, H, M] = [4, 3, 2];
const halves = [-0.3, 0.3];
const context = {
  values: Float64Array.from({ length: H * M * K }, (_, i) => i % K),
  spreads: new Float64Array(H * M * K).fill(0.3),
  below: (_: number, token: number, x: number) => halves.filter((half) => token + half < x).length / 2,
};

const stream = RandomStream.fromSeed(4);
const drawn = Array.from({ length: 50 }, () => Float64Array.from({ length: H }, () => stream.integer(K)));
const paths = Array.from({ length: 40 }, () => Array.from({ length: H * M }, () => stream.integer(K)));
const oneHot = Float32Array.from(paths.flat().flatMap((x) => [0, 1, 2, 3].map((k) => +(k === x))));
const B = paths.length;

async function said(text: string, target: number) {
  const one = watch({ condition: parseCondition(text), tokens: K, steps: H * M, targets: M, target });
  const names = Object.keys(one.inputs);
  const program = await compile(
    (inputs: Readonly<Record<string, np.Array>>) => {
      const arrays = Object.fromEntries(
        names.map((name) => [name, np.broadcastTo(inputs[name], [B, ...one.inputs[name].shape])]),
      );
      const steps = Array.from({ length: H * M }, (_, t) => {
        const path = Array.from({ length: t }, (_, step) => inputs.tokens.slice([], step)); // t × [B, K]
        return one.at(t, path, arrays);
      });
      return {
        logMet: one.logMet(inputs.tokens, arrays),
        at: np.stack(steps, 1),
        all: one.all(inputs.tokens, arrays),
      };
    },
    {
      tokens: spec([B, H * M, K]),
      ...Object.fromEntries(names.map((name) => [name, spec([1, ...one.inputs[name].shape])])),
    } as Record<string, ReturnType<typeof spec>>,
    { name: "watched" },
  );
  const outputs = await program.run({ tokens: oneHot, ...one.arrays(context, drawn) });
  await program.dispose();
  return outputs;
}

/** Share of the numbers of a path's tokens, all combinations alike, that meet a condition. */
function shareMet(text: string, tokens: readonly number[]): number {
  const condition = parseCondition(text);
  const all = Array.from({ length: 2 ** H }, (_, i) =>
    tokens.map((token, h) => token + halves[(i >> h) & 1]),
  );
  return all.filter((values) => holds(condition, values)).length / all.length;
}

test.each([
  ["max >= 2.9", 0],
  ["max < 2", 1],
  ["min <= 0.1", 0],
  ["min > 0.9", 1],
  ["crosses 1.8", 1],
])("%s of target %i: tokens meet extremes as likely as their numbers do", async (text, target) => {
  const { logMet } = await said(text, target);
  const shares = paths.map((path) =>
    shareMet(
      text,
      path.filter((_, t) => t % M === target),
    ),
  );
  expect(new Set(shares).size).toBeGreaterThan(2);
  shares.forEach((share, i) => {
    // What is less likely than e⁻² may be worth more than that, but never more than e⁻².
    if (share > Math.exp(-2)) expect(Math.exp(logMet[i])).toBeCloseTo(share, 5);
    else expect(logMet[i]).toBeLessThan(-1.99);
  });
});

test("a total is met as likely as a bell of the same spread says", async () => {
  const { logMet } = await said("sum <= 4.5", 0);
  paths.forEach((path, i) => {
    const sum = path.reduce((total, token, t) => (t % M === 0 ? total + token : total), 0);
    const x = (1.702 * (sum - 4.5)) / (0.3 * Math.sqrt(3));
    // Near the bound the probability decides; farther off it is the way there that counts.
    if (sum <= 5) expect(logMet[i]).toBeCloseTo(-Math.log(1 + Math.exp(x)), 2);
    else expect(logMet[i]).toBeLessThan(-1.6);
  });
});

test.each(["sum <= 4", "max >= 2 and min < 1", "crosses 2 and value[2] >= 1"])(
  "%s stands step by step as it does in one pass",
  async (text) => {
    for (const target of [0, 1]) {
      const { at, all } = await said(text, target);
      at.forEach((value, i) => {
        expect(value).toBeCloseTo(all[i], 4);
      });
      expect(new Set(at).size).toBeGreaterThan(4);
    }
  },
);
