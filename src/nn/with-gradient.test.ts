// Tests of values with hand-written derivatives.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { checkGradients, evaluate, randomInput, weightedSum } from "../../test/support/gradients.ts";
import { withGradient } from "./with-gradient.ts";

const x = randomInput([5], "x");

test("the value is unchanged to the bit", () => {
  const { value, kept } = evaluate(
    ({ x }) => {
      const value = np.exp(x);
      return { value, kept: withGradient(x, value, np.multiply(x, 1e6)) };
    },
    { x },
    "float32",
  );
  expect(kept).toEqual(value);
});

test("the hand-written derivative is used in the chain rule", () => {
  const cube = (x: np.Array) =>
    withGradient(x, np.multiply(np.multiply(x, x), x), np.multiply(np.multiply(x, x), 3));
  checkGradients(({ x }) => weightedSum(cube(np.exp(np.multiply(x, 0.5)))), { x });
});

test("the gradient check detects a derivative that is wrong by a factor of 1.001", () => {
  const wrong = ({ x }: Readonly<Record<string, np.Array>>) => {
    const value = np.exp(x);
    return weightedSum(withGradient(x, value, np.multiply(value, 1.001)));
  };
  expect(() => checkGradients(wrong, { x }, { name: "exp" })).toThrow("gradient of exp is wrong in 5 places");
});
