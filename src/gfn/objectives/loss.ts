// Regression functions g of a residual d, elementwise: g(0) = 0, g ≥ 0, and near zero all are about d²/2 or d².

import { numpy as np } from "@jax-js/jax";
import type { RegressionName } from "./choice.ts";

/** Where the exponential of the KL form gives way to its tangent. */
const TANGENT_FROM = -5;

/** Where Huber's parabola gives way to lines. */
const HUBER_FROM = 1;

export function lossOf(name: RegressionName, d: np.Array): np.Array {
  switch (name) {
    case "squared":
      return np.multiply(d, d); // [...]
    case "huber": {
      const size = np.maximum(d, np.negative(d)); // [...]
      const inside = np.minimum(size, HUBER_FROM); // [...]
      // ½x² up to the edge, then a line of the slope it has there.
      return np.subtract(np.multiply(inside, size), np.multiply(np.multiply(inside, inside), 0.5)); // [...]
    }
    case "kl": {
      // d + e^(−d) − 1. Clamping d inside the exponential would leave slope +1 below it, and run away to −∞.
      const inside = np.maximum(d, TANGENT_FROM); // [...]
      const outside = np.minimum(np.subtract(d, TANGENT_FROM), 0); // [...], 0 where d is inside
      const curve = np.subtract(np.add(inside, np.exp(np.negative(inside))), 1); // [...]
      return np.add(curve, np.multiply(outside, 1 - Math.exp(-TANGENT_FROM))); // [...]
    }
    default:
      return name satisfies never;
  }
}
