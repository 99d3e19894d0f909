// Inverted dropout: training scales the remaining entries up, so evaluation needs no dropout.

import { numpy as np } from "@jax-js/jax";
import { checkRange, ShapeError } from "./checks.ts";

/** Zeroes each entry whose uniform number is below `rate` and divides the others by 1 − rate. Rate 0 changes nothing. */
export function dropout(x: np.Array, uniforms: np.Array, rate: number): np.Array {
  checkRange("dropout", "rate", rate, { low: 0, high: 1 });
  if (rate === 0) return x; // [...]
  if (uniforms.shape.join() !== x.shape.join()) {
    throw new ShapeError("dropout", `uniforms must be [${x.shape.join(", ")}]`, uniforms.shape);
  }
  return np.where(np.less(uniforms, rate), 0, np.multiply(x, 1 / (1 - rate))); // [...]
}
