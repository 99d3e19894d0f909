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
import { growingTransformer } from "./growing-transformer.ts";
import { layout } from "./params.ts";
import { type EachSum, recalling, recorder } from "./recall.ts";
import { transformer } from "./transformer.ts";

const options = { layers: 2, width: 4, heads: 2, feedForward: 6 };
const [P, L, B, D] = [2, 3, 5, 4];
const growing = growingTransformer(options);
const params = layout(growing.params);
const inputs = {
  flat: randomInput([params.size], "flat", 0.5),
  shared: randomInput([P, D], "shared"),
  later: randomInput([L * B, D], "later"),
};

type Tree = Parameters<typeof growing.enter>[0];

/** All positions at once: [P + L·B, D]. */
function whole(tree: Tree, shared: np.Array, later: np.Array | null, each?: EachSum): np.Array {
  const entered = later && growing.enter(tree, later); // [L·B, 4·D]
  return growing.all(tree, growing.enter(tree, shared), entered, B, each);
}

/** Position by position: [P + L·B, D]. */
function stepwise(arrays: Record<string, np.Array>, each?: () => ReturnType<typeof recorder>): np.Array {
  const tree = params.split(arrays.flat);
  let grown = growing.begin(tree, growing.enter(tree, arrays.shared), each?.().each);
  const outputs = [grown.output];
  for (const x of np.split(arrays.later, L, 0)) {
    grown = growing.next(tree, grown.offered, growing.enter(tree, x), each?.().each);
    outputs.push(grown.output);
  }
  return np.concatenate(outputs, 0);
}

test("all positions at once are the causal transformer on every sequence", () => {
  const usual = transformer({ ...options, causal: true });
  const { ours, theirs } = evaluate(({ flat, shared, later }) => {
    const tree = params.split(flat);
    const first = np.broadcastTo(shared.reshape([P, 1, D]), [P, B, D]); // [P, B, D]
    const rows = np.concatenate([first, later.reshape([L, B, D])], 0); // [P + L, B, D]
    const output = usual.apply(tree, np.transpose(rows, [1, 0, 2])); // [B, P + L, D]
    const all = whole(tree, shared, later); // [P + L·B, D]
    const [ownShared, ownLater] = np.split(all, [P], 0);
    const spread = np.broadcastTo(ownShared.reshape([P, 1, D]), [P, B, D]);
    return {
      ours: np.concatenate([spread, ownLater.reshape([L, B, D])], 0),
      theirs: np.transpose(output, [1, 0, 2]),
    };
  }, inputs);
  expect(largestDifference(ours, theirs)).toBeLessThan(1e-12);
});

test("a long sequence is the causal transformer too", () => {
  const long = 20;
  const usual = transformer({ ...options, causal: true });
  const { ours, theirs } = evaluate(
    ({ flat, shared, later }) => {
      const tree = params.split(flat);
      const first = np.broadcastTo(shared.reshape([P, 1, D]), [P, B, D]); // [P, B, D]
      const rows = np.concatenate([first, later.reshape([long, B, D])], 0); // [P + long, B, D]
      const output = usual.apply(tree, np.transpose(rows, [1, 0, 2])); // [B, P + long, D]
      return {
        ours: np.split(whole(tree, shared, later), [P], 0)[1],
        theirs: np.split(np.transpose(output, [1, 0, 2]), [P], 0)[1],
      };
    },
    { ...inputs, later: randomInput([long * B, D], "long") },
  );
  expect(largestDifference(ours, theirs)).toBeLessThan(1e-12);
});

test("position by position it gives the same", () => {
  const { all, steps } = evaluate(
    (arrays) => ({
      all: whole(params.split(arrays.flat), arrays.shared, arrays.later),
      steps: stepwise(arrays),
    }),
    inputs,
  );
  expect(largestDifference(all, steps)).toBeLessThan(1e-12);
});

test("rows chosen from what entered once are the rows entered", () => {
  const which = [2, 0, 1, 1, 2];
  const { chosen, entered } = evaluate(
    ({ flat, shared, kinds }) => {
      const tree = params.split(flat);
      const choice = np.array(
        which.flatMap((kind) => [0, 1, 2].map((other) => +(kind === other))),
        { shape: [B, 3] },
      ); // [B, 3]
      const { offered } = growing.begin(tree, growing.enter(tree, shared));
      return {
        chosen: growing.next(tree, offered, np.matmul(choice, growing.enter(tree, kinds))).output,
        entered: growing.next(tree, offered, growing.enter(tree, np.matmul(choice, kinds))).output,
      };
    },
    { ...inputs, kinds: randomInput([3, D], "kinds") },
  );
  expect(largestDifference(chosen, entered)).toBeLessThan(1e-12);
});

test("shared positions alone are a sequence of their own", () => {
  const { alone, begun, all } = evaluate(({ flat, shared, later }) => {
    const tree = params.split(flat);
    return {
      alone: whole(tree, shared, null),
      begun: growing.begin(tree, growing.enter(tree, shared)).output,
      all: np.split(whole(tree, shared, later), [P], 0)[0],
    };
  }, inputs);
  expect(largestDifference(alone, all)).toBeLessThan(1e-12);
  expect(largestDifference(begun, all)).toBeLessThan(1e-12);
});

/** All positions at once, with what was noted position by position: [P + L·B, D]. */
function recalledAtOnce(arrays: Record<string, np.Array>): np.Array {
  const passes: np.Array[][] = [];
  stepwise(arrays, () => {
    const noted = recorder();
    passes.push(noted.sums);
    return noted;
  });
  const constant = passes.map((sums) => sums.map((sum) => lax.stopGradient(sum)));
  return whole(params.split(arrays.flat), arrays.shared, arrays.later, recalling(constant));
}

const atOnce = (arrays: Record<string, np.Array>) =>
  whole(params.split(arrays.flat), arrays.shared, arrays.later);

test("what was noted position by position can be recalled in the pass over all of them", () => {
  const { plain, recalled } = evaluate(
    (arrays) => ({ plain: atOnce(arrays), recalled: recalledAtOnce(arrays) }),
    inputs,
  );
  expect(largestDifference(plain, recalled)).toBeLessThan(1e-12);
});

test("the pass has the same gradients where values are recalled", () => {
  const slopes = (run: (arrays: Record<string, np.Array>) => np.Array, arrays: Record<string, np.Array>) =>
    grad((flat: np.Array) => weightedSum(run({ ...arrays, flat })))(arrays.flat); // [parameters]
  const { plain, recalled } = evaluate(
    (arrays) => ({ plain: slopes(atOnce, arrays), recalled: slopes(recalledAtOnce, arrays) }),
    inputs,
  );
  expect(largestDifference(plain, recalled)).toBeLessThan(1e-12);
});

test("without later positions, what the shared ones noted is recalled", () => {
  const { plain, recalled } = evaluate(({ flat, shared }) => {
    const tree = params.split(flat);
    const { sums, each } = recorder();
    growing.begin(tree, growing.enter(tree, shared), each);
    return {
      plain: whole(tree, shared, null),
      recalled: whole(tree, shared, null, recalling([sums])),
    };
  }, inputs);
  expect(largestDifference(plain, recalled)).toBeLessThan(1e-12);
});

test("has the gradients of float64 differences, at once and position by position", async () => {
  for (const run of [atOnce, stepwise]) {
    await expectGradientsOnEngines(
      checkGradients((arrays) => weightedSum(run(arrays)), inputs, { coordinates: 12 }),
    );
  }
});

test("refuses heads that do not divide the width", () => {
  expect(() => growingTransformer({ layers: 1, width: 6, heads: 4 })).toThrow(
    "selfAttention: heads must divide the width 6, got 4",
  );
});
