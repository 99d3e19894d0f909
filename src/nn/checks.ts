// Checks that modules make when they are built (sizes) and when they are traced (shapes).

import type { numpy as np } from "@jax-js/jax";

/** An array has another shape than the function wants: says which function, which rule, and what came. */
export class ShapeError extends TypeError {
  override readonly name: string = "ShapeError";

  constructor(where: string, rule: string, got: readonly number[]) {
    super(`${where}: ${rule}, got [${got.join(", ")}]`);
  }
}

/** Every size must be a positive whole number. */
export function checkSizes(where: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new RangeError(`${where}: ${name} must be a positive whole number, got ${size}`);
    }
  }
}

/** A number must lie in [low, high). */
export function checkRange(
  where: string,
  name: string,
  value: number,
  { low, high }: { low: number; high: number },
): void {
  if (value >= low && value < high) return;
  throw new RangeError(`${where}: ${name} must be in [${low}, ${high}), got ${value}`);
}

/** The array must have as many axes as `axes`; numbers among them are fixed extents, names may be anything. */
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

/** The last axis of the array must have this extent; any axes may come before it. */
export function checkLastAxis(where: string, name: string, array: np.Array, size: number): void {
  const { shape } = array;
  if (shape.length > 0 && shape[shape.length - 1] === size) return;
  throw new ShapeError(where, `${name} must be [..., ${size}]`, shape);
}
