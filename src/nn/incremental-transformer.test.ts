// Tests of incremental decoding: its results equal those of the causal transformer, step by step and in one pass, with
// and without reused activations.

import { grad, lax, numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import {
  checkGradients,
  evaluate,
  largestDifference,
  randomInput,
  weightedSum,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import {
  type ActivationHook,
  type ActivationRecorder,
  activationRecorder,
  reuseActivations,
} from "./activation-reuse.ts";
import { incrementalTransformer } from "./incremental-transformer.ts";
import { layout } from "./params.ts";
import { transformer } from "./transformer.ts";

const options = { layers: 2, width: 4, heads: 2, feedForward: 6 };
const [P, L, B, D] = [2, 3, 5, 4];
const module = incrementalTransformer(options);
const params = layout(module.params);
const inputs = {
  flat: randomInput([params.size], "flat", 0.5),
  shared: randomInput([P, D], "shared"),
  later: randomInput([L * B, D], "later"),
};

type Tree = Parameters<typeof module.projectInputs>[0];

/** All positions in one pass: [P + L·B, D]. */
function forward(tree: Tree, shared: np.Array, later: np.Array | null, hook?: ActivationHook): np.Array {
  const projected = later && module.projectInputs(tree, later); // [L·B, 4·D]
  return module.forward(tree, module.projectInputs(tree, shared), projected, B, hook);
}

/** Step by step: [P + L·B, D]. `recorderOf` gives a recorder per step. */
function stepwise(arrays: Record<string, np.Array>, recorderOf?: () => ActivationRecorder): np.Array {
  const tree = params.split(arrays.flat);
  let decoded = module.prefill(tree, module.projectInputs(tree, arrays.shared), recorderOf?.().hook);
  const outputs = [decoded.output];
  for (const x of np.split(arrays.later, L, 0)) {
    decoded = module.decodeStep(tree, decoded.cache, module.projectInputs(tree, x), recorderOf?.().hook);
    outputs.push(decoded.output);
  }
  return np.concatenate(outputs, 0);
}

test("one pass over all positions equals the causal transformer on every sequence", () => {
  const reference = transformer({ ...options, causal: true });
  const { actual, expected } = evaluate(({ flat, shared, later }) => {
    const tree = params.split(flat);
    const first = np.broadcastTo(shared.reshape([P, 1, D]), [P, B, D]); // [P, B, D]
    const rows = np.concatenate([first, later.reshape([L, B, D])], 0); // [P + L, B, D]
    const output = reference.apply(tree, np.transpose(rows, [1, 0, 2])); // [B, P + L, D]
    const all = forward(tree, shared, later); // [P + L·B, D]
    const [sharedRows, laterRows] = np.split(all, [P], 0);
    const repeated = np.broadcastTo(sharedRows.reshape([P, 1, D]), [P, B, D]);
    return {
      actual: np.concatenate([repeated, laterRows.reshape([L, B, D])], 0),
      expected: np.transpose(output, [1, 0, 2]),
    };
  }, inputs);
  expect(largestDifference(actual, expected)).toBeLessThan(1e-12);
});

test("a long sequence equals the causal transformer", () => {
  const long = 20;
  const reference = transformer({ ...options, causal: true });
  const { actual, expected } = evaluate(
    ({ flat, shared, later }) => {
      const tree = params.split(flat);
      const first = np.broadcastTo(shared.reshape([P, 1, D]), [P, B, D]); // [P, B, D]
      const rows = np.concatenate([first, later.reshape([long, B, D])], 0); // [P + long, B, D]
      const output = reference.apply(tree, np.transpose(rows, [1, 0, 2])); // [B, P + long, D]
      return {
        actual: np.split(forward(tree, shared, later), [P], 0)[1],
        expected: np.split(np.transpose(output, [1, 0, 2]), [P], 0)[1],
      };
    },
    { ...inputs, later: randomInput([long * B, D], "long") },
  );
  expect(largestDifference(actual, expected)).toBeLessThan(1e-12);
});

test("decoding step by step equals one pass", () => {
  const { all, steps } = evaluate(
    (arrays) => ({
      all: forward(params.split(arrays.flat), arrays.shared, arrays.later),
      steps: stepwise(arrays),
    }),
    inputs,
  );
  expect(largestDifference(all, steps)).toBeLessThan(1e-12);
});

test("selecting from projected rows equals projecting selected rows", () => {
  const which = [2, 0, 1, 1, 2];
  const { selectedAfter, selectedBefore } = evaluate(
    ({ flat, shared, kinds }) => {
      const tree = params.split(flat);
      const choice = np.array(
        which.flatMap((kind) => [0, 1, 2].map((other) => +(kind === other))),
        { shape: [B, 3] },
      ); // [B, 3]
      const { cache } = module.prefill(tree, module.projectInputs(tree, shared));
      return {
        selectedAfter: module.decodeStep(tree, cache, np.matmul(choice, module.projectInputs(tree, kinds)))
          .output,
        selectedBefore: module.decodeStep(tree, cache, module.projectInputs(tree, np.matmul(choice, kinds)))
          .output,
      };
    },
    { ...inputs, kinds: randomInput([3, D], "kinds") },
  );
  expect(largestDifference(selectedAfter, selectedBefore)).toBeLessThan(1e-12);
});

test("shared positions do not depend on later ones", () => {
  const { alone, prefilled, all } = evaluate(({ flat, shared, later }) => {
    const tree = params.split(flat);
    return {
      alone: forward(tree, shared, null),
      prefilled: module.prefill(tree, module.projectInputs(tree, shared)).output,
      all: np.split(forward(tree, shared, later), [P], 0)[0],
    };
  }, inputs);
  expect(largestDifference(alone, all)).toBeLessThan(1e-12);
  expect(largestDifference(prefilled, all)).toBeLessThan(1e-12);
});

/** One pass that reuses the activations of the steps: [P + L·B, D]. */
function reusedForward(arrays: Record<string, np.Array>): np.Array {
  const passes: np.Array[][] = [];
  stepwise(arrays, () => {
    const recorder = activationRecorder();
    passes.push(recorder.recorded);
    return recorder;
  });
  const constant = passes.map((activations) => activations.map((activation) => lax.stopGradient(activation)));
  return forward(params.split(arrays.flat), arrays.shared, arrays.later, reuseActivations(constant));
}

const plainForward = (arrays: Record<string, np.Array>) =>
  forward(params.split(arrays.flat), arrays.shared, arrays.later);

test("a pass with reused activations gives the same outputs", () => {
  const { plain, reused } = evaluate(
    (arrays) => ({ plain: plainForward(arrays), reused: reusedForward(arrays) }),
    inputs,
  );
  expect(largestDifference(plain, reused)).toBeLessThan(1e-12);
});

test("a pass with reused activations gives the same gradients", () => {
  const slopes = (run: (arrays: Record<string, np.Array>) => np.Array, arrays: Record<string, np.Array>) =>
    grad((flat: np.Array) => weightedSum(run({ ...arrays, flat })))(arrays.flat); // [parameters]
  const { plain, reused } = evaluate(
    (arrays) => ({ plain: slopes(plainForward, arrays), reused: slopes(reusedForward, arrays) }),
    inputs,
  );
  expect(largestDifference(plain, reused)).toBeLessThan(1e-12);
});

test("activations of the shared positions are reused without later positions", () => {
  const { plain, reused } = evaluate(({ flat, shared }) => {
    const tree = params.split(flat);
    const { recorded, hook } = activationRecorder();
    module.prefill(tree, module.projectInputs(tree, shared), hook);
    return {
      plain: forward(tree, shared, null),
      reused: forward(tree, shared, null, reuseActivations([recorded])),
    };
  }, inputs);
  expect(largestDifference(plain, reused)).toBeLessThan(1e-12);
});

test("has the right gradients, in one pass and step by step", async () => {
  for (const run of [plainForward, stepwise]) {
    await expectGradientsOnEngines(
      checkGradients((arrays) => weightedSum(run(arrays)), inputs, { coordinates: 12 }),
    );
  }
});

test("rejects heads that do not divide the width", () => {
  expect(() => incrementalTransformer({ layers: 1, width: 6, heads: 4 })).toThrow(
    "selfAttention: heads must divide the width 6, got 4",
  );
});
