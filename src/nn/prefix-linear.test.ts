// The linear layer on prefixes agrees with the plain product, and its gradients with finite differences.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkGradients,
  evaluate,
  type HostInputs,
  largestDifference,
  randomInput,
  weightedSum,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import { prefixProducts, weightsByPosition } from "./prefix-linear.ts";

const [POSITIONS, WIDTH, OUTPUTS, B] = [5, 3, 4, 2];

function inputsOf(L: number): HostInputs {
  return {
    blocks: randomInput([L * B, WIDTH], "blocks"),
    weight: randomInput([POSITIONS * WIDTH, OUTPUTS], "weight"),
  };
}

describe.each([1, 3, POSITIONS])("over %i of five positions", (L) => {
  test("has the sums of the product of every prefix with the whole matrix", () => {
    const inputs = inputsOf(L);
    const { sums } = evaluate(({ blocks, weight }) => ({ sums: prefixProducts(blocks, weight, B) }), inputs);
    const { product } = evaluate(({ prefixes, weight }) => ({ product: np.matmul(prefixes, weight) }), {
      weight: inputs.weight,
      prefixes: { shape: [L * B, POSITIONS * WIDTH], data: prefixesOf(inputs.blocks.data, L) },
    });
    expect(largestDifference(sums, product)).toBeLessThan(1e-12);
  });

  test("has gradients that agree with finite differences, on every engine", async () => {
    const checked = checkGradients(
      ({ blocks, weight }) => weightedSum(prefixProducts(blocks, weight, B)),
      inputsOf(L),
    );
    await expectGradientsOnEngines(checked);
  });
});

test("the weights of the positions are the rows of the matrix in order", () => {
  const weight = randomInput([POSITIONS * WIDTH, OUTPUTS], "weight");
  const { third } = evaluate(({ weight }) => ({ third: weightsByPosition(weight, POSITIONS)[2] }), {
    weight,
  });
  const size = WIDTH * OUTPUTS;
  expect([...third]).toEqual(Array.from(weight.data).slice(2 * size, 3 * size));
});

/** Rows of the blocks up to each position, and zeros after it, by position and then by sequence. */
function prefixesOf(blocks: ArrayLike<number>, L: number): Float64Array {
  const inputs = POSITIONS * WIDTH;
  const rows = new Float64Array(L * B * inputs);
  for (let t = 0; t < L; t++) {
    for (let row = 0; row < B; row++) {
      for (let s = 0; s <= t; s++) {
        for (let i = 0; i < WIDTH; i++) {
          rows[(t * B + row) * inputs + s * WIDTH + i] = blocks[(s * B + row) * WIDTH + i];
        }
      }
    }
  }
  return rows;
}
