// Losses g(d) of a residual d, elementwise, with g(0) = 0 and g ≥ 0. Near zero, `squared` is d², the others about d²/2.

import { numpy as np } from "@jax-js/jax";
import type { ResidualLossName } from "./objective.ts";

/** Residual below which the KL loss continues as its tangent. */
const TANGENT_FROM = -5;

/** Absolute residual above which the Huber loss is linear. */
const HUBER_FROM = 1;

export function residualLoss(name: ResidualLossName, d: np.Array): np.Array {
  switch (name) {
    case "squared":
      return np.multiply(d, d); // [...]
    case "huber": {
      const size = np.maximum(d, np.negative(d)); // [...]
      const inside = np.minimum(size, HUBER_FROM); // [...]
      // ½x² up to the threshold, then linear with the slope at the threshold.
      return np.subtract(np.multiply(inside, size), np.multiply(np.multiply(inside, inside), 0.5)); // [...]
    }
    case "kl": {
      // d + e^(−d) − 1. If d were only clamped inside the exponential, the slope below would be +1, and d would diverge to −∞.
      const inside = np.maximum(d, TANGENT_FROM); // [...]
      const outside = np.minimum(np.subtract(d, TANGENT_FROM), 0); // [...], 0 above the threshold
      const curve = np.subtract(np.add(inside, np.exp(np.negative(inside))), 1); // [...]
      return np.add(curve, np.multiply(outside, 1 - Math.exp(-TANGENT_FROM))); // [...]
    }
    default:
      return name satisfies never;
  }
}
