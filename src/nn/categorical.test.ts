// Tests of categorical sampling: frequencies, each option, and a graph without operations for unused options.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { evaluate, type HostInput } from "../../test/support/gradients.ts";
import { printGraph, RandomStream, simplify, spec, trace } from "../engine/index.ts";
import { logSoftmax } from "./activations.ts";
import { gumbelNoise, oneHotArgmax, sampleByInversion, sampleCategorical } from "./categorical.ts";

const [B, A] = [6_000, 4];
const LOGITS = [0.5, -1, 2, 0];

function uniforms(shape: readonly number[], seed = 1): HostInput {
  const size = shape.reduce((product, extent) => product * extent, 1);
  return { shape, data: RandomStream.fromSeed(seed).fillUniform(new Float32Array(size)) };
}

const rows = (values: readonly number[]): HostInput => ({
  shape: [B, A],
  data: Float32Array.from({ length: B * A }, (_, i) => values[i % A]),
});
const inputs = { logits: rows(LOGITS), uniform: uniforms([B, A]), chance: uniforms([B, 1], 2) };

/** Counts of the sampled entries. Checks that each row is one-hot. */
function countsOf(
  sample: (arrays: Readonly<Record<"logits" | "uniform" | "chance", np.Array>>) => np.Array,
): number[] {
  const { y } = evaluate((arrays) => ({ y: sample(arrays as never) }), inputs, "float32");
  const counts = new Array<number>(A).fill(0);
  for (let row = 0; row < B; row++) {
    const entries = y.subarray(row * A, (row + 1) * A);
    expect(entries.reduce((sum, x) => sum + x, 0)).toBe(1);
    counts[entries.indexOf(1)]++;
  }
  return counts;
}

function softmax(logits: readonly number[]): number[] {
  const exponentials = logits.map(Math.exp);
  const sum = exponentials.reduce((a, b) => a + b);
  return exponentials.map((x) => x / sum);
}

function expectFrequencies(counts: readonly number[], probabilities: readonly number[]): void {
  expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
}

describe("samples have the probabilities of", () => {
  test("the softmax", () => {
    expectFrequencies(
      countsOf(({ logits, uniform }) => sampleCategorical(logits, uniform)),
      softmax(LOGITS),
    );
  });

  test("the given probabilities, by inversion", () => {
    expectFrequencies(
      countsOf(({ logits, chance }) => sampleByInversion(np.exp(logSoftmax(logits)), chance)),
      softmax(LOGITS),
    );
  });

  test("the softmax of logits divided by a temperature, and also by a flattening", () => {
    const options = { temperature: np.array(2), flattening: np.array([[0.5]]) };
    expectFrequencies(
      countsOf(({ logits, uniform }) =>
        sampleCategorical(logits, uniform, { temperature: options.temperature }),
      ),
      softmax(LOGITS.map((x) => x / 2)),
    );
    expectFrequencies(
      countsOf(({ logits, uniform }) => sampleCategorical(logits, uniform, options)),
      softmax(LOGITS),
    );
  });

  test("the mixture with the uniform distribution", () => {
    const counts = countsOf(({ logits, uniform, chance }) =>
      sampleCategorical(logits, uniform, { exploration: { epsilon: np.array(0.4), uniform: chance } }),
    );
    expectFrequencies(
      counts,
      softmax(LOGITS).map((p) => 0.6 * p + 0.1),
    );
  });

  test("the softmax over the allowed entries", () => {
    const allowed = () => np.array([[true, false, false, true]]);
    const counts = countsOf(({ logits, uniform }) =>
      sampleCategorical(logits, uniform, { allowed: allowed() }),
    );
    const [a, d] = softmax([LOGITS[0], LOGITS[3]]);
    expectFrequencies(counts, [a, 0, 0, d]);
  });
});

test("entries that are not allowed are never sampled, even with extreme logits", () => {
  const { y } = evaluate(
    ({ logits, uniform, temperature }) => ({
      y: sampleCategorical(logits, uniform, { allowed: np.array([[false, true]]), temperature }),
    }),
    {
      logits: { shape: [2, 2], data: [3e38, -3e38, 0, -3e38] },
      uniform: uniforms([2, 2]),
      temperature: { shape: [], data: [0.01] },
    },
    "float32",
  );
  expect([...y]).toEqual([0, 1, 0, 1]);
});

test("given a batch size instead of random numbers, the first of the most probable entries is taken", () => {
  const { y } = evaluate(({ logits }) => ({ y: sampleCategorical(logits, 2) }), {
    logits: { shape: [1, 3], data: [0, 1, 1] },
  });
  expect([...y]).toEqual([0, 1, 0, 0, 1, 0]);
});

test("forced rows are returned unchanged", () => {
  const { y } = evaluate(
    ({ logits, forced }) => ({
      y: sampleCategorical(logits, 2, { forced: { mask: np.array([[true], [false]]), rows: forced } }),
    }),
    {
      logits: { shape: [2, 2], data: [0, 1, 0, 1] },
      forced: { shape: [2, 2], data: [1, 0, 1, 0] },
    },
  );
  expect([...y]).toEqual([1, 0, 0, 1]);
});

test("the graph has no operations for options that are not used", () => {
  const example = { logits: spec([3, A]), uniform: spec([3, A]), mask: spec([1, A], "bool"), t: spec([]) };
  const print = (f: (arrays: Readonly<Record<string, np.Array>>) => np.Array) =>
    printGraph(simplify(trace((arrays) => ({ y: f(arrays) }), example, "sample")));
  expect(print(({ logits, uniform }) => sampleCategorical(logits, uniform))).toBe(
    print(({ logits, uniform }) => oneHotArgmax(np.add(logits, gumbelNoise(uniform)))),
  );
  expect(
    print(({ logits, uniform, mask, t }) =>
      sampleCategorical(logits, uniform, { allowed: mask, temperature: t }),
    ),
  ).toBe(
    print(({ logits, uniform, mask, t }) => {
      const tempered = np.maximum(np.divide(logits, t), -3e38);
      return oneHotArgmax(np.where(mask, np.add(tempered, gumbelNoise(uniform)), -3.4028e38));
    }),
  );
});

test("inversion takes the entry in whose interval of cumulative probability the random number lies", () => {
  const uniform = [0.1, 0.24, 0.26, 0.74, 0.76, 0.999];
  const { y } = evaluate(
    ({ p, u }) => ({ y: sampleByInversion(p, u) }),
    {
      p: { shape: [6, 4], data: uniform.flatMap(() => [0.25, 0, 0.5, 0.25]) },
      u: { shape: [6, 1], data: uniform },
    },
    "float32",
  );
  const samples = uniform.map((_, row) => y.subarray(row * 4, row * 4 + 4).indexOf(1));
  expect(samples).toEqual([0, 0, 2, 2, 3, 3]);
  expect(y.reduce((sum, x) => sum + x, 0)).toBe(6);
});
