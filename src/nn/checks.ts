// Checks of sizes, when a module is created, and of array shapes, when it is traced.

import type { numpy as np } from "@jax-js/jax";

/** Thrown if an array has the wrong shape. The message names the function, the rule and the actual shape. */
export class ShapeError extends TypeError {
  override readonly name: string = "ShapeError";

  constructor(where: string, rule: string, got: readonly number[]) {
    super(`${where}: ${rule}, got [${got.join(", ")}]`);
  }
}

/** Throws unless all sizes are positive integers. */
export function checkSizes(where: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new RangeError(`${where}: ${name} must be a positive whole number, got ${size}`);
    }
  }
}

/** Throws unless a number lies in [low, high). */
export function checkRange(
  where: string,
  name: string,
  value: number,
  { low, high }: { low: number; high: number },
): void {
  if (value >= low && value < high) return;
  throw new RangeError(`${where}: ${name} must be in [${low}, ${high}), got ${value}`);
}

/**
 * Throws unless an array has these axes. In the list of axes, a number is a required extent, and a name allows any
 * extent.
 */
export function checkShape(
  where: string,
  name: string,
  array: np.Array,
  axes: readonly (number | string)[],
): void {
  const { shape } = array;
  if (shape.length === axes.length && axes.every((axis, i) => typeof axis === "string" || axis === shape[i]))
    return;
  throw new ShapeError(where, `${name} must be [${axes.join(", ")}]`, shape);
}

/** Throws unless the last axis of an array has this extent. */
export function checkLastAxis(where: string, name: string, array: np.Array, size: number): void {
  const { shape } = array;
  if (shape.length > 0 && shape[shape.length - 1] === size) return;
  throw new ShapeError(where, `${name} must be [..., ${size}]`, shape);
}
