// The cells of a hypergrid: every move adds one along an axis, a stop ends the episode in the cell.
//
// A cell's number is Σ xᵢ Hⁱ; moves only raise it, so numbers are in order.

import { type Enumeration, enumeration, terminal } from "../enumeration.ts";

export interface GridSpace {
  readonly dimensions: number;
  /** Cells along each axis. */
  readonly side: number;
}

export interface GridReward {
  /** Everywhere. */
  readonly r0: number;
  /** Added in the outer ring of every axis. */
  readonly r1: number;
  /** Added in the modes. */
  readonly r2: number;
}

export const DEFAULT_GRID_REWARD: GridReward = { r0: 1e-3, r1: 0.5, r2: 2 };

/** All cells. With probability `stick` a move becomes a uniform legal move; stops are never noisy. */
export function enumerateGrid({ dimensions: d, side: H }: GridSpace, stick: number): Enumeration {
  const cells = H ** d;
  return enumeration({ states: cells, terminals: cells, actions: d + 1, outcomes: d }, (cell, action) => {
    if (action === d) return [{ target: terminal(cell), outcome: -1, probability: 1 }];
    const legal = Array.from({ length: d }, (_, axis) => axis).filter(
      (axis) => coordinate(cell, axis, H) < H - 1,
    );
    if (!legal.includes(action)) return [];
    return legal
      .map((axis) => ({
        target: cell + H ** axis,
        outcome: axis,
        probability: (axis === action ? 1 - stick : 0) + stick / legal.length,
      }))
      .filter(({ probability }) => probability > 0);
  });
}

/** The usual reward of hypergrids, with cells decided in whole numbers: |x/(H−1) − ½| against ¼, 0.3 and 0.4. */
export function gridRewards({ dimensions: d, side: H }: GridSpace, { r0, r1, r2 }: GridReward): Float64Array {
  return Float64Array.from({ length: H ** d }, (_, cell) => {
    let [ring, mode] = [true, true];
    for (let axis = 0; axis < d; axis++) {
      // Distance from the centre in units of 1 / (20 (H − 1)).
      const distance = Math.abs(20 * coordinate(cell, axis, H) - 10 * (H - 1));
      ring &&= distance > 5 * (H - 1);
      mode &&= distance > 6 * (H - 1) && distance < 8 * (H - 1);
    }
    return r0 + (ring ? r1 : 0) + (mode ? r2 : 0);
  });
}

export function coordinate(cell: number, axis: number, side: number): number {
  return Math.floor(cell / side ** axis) % side;
}

export function coordinatesOf(cell: number, { dimensions, side }: GridSpace): number[] {
  return Array.from({ length: dimensions }, (_, axis) => coordinate(cell, axis, side));
}
