// The cells of a hypergrid: their indices, enumeration and standard reward.
//
// The index of a cell is Σ xᵢ Hⁱ. A move only raises it, so every transition leads to a higher index.

import { type Enumeration, enumerationFrom, terminalTarget } from "./enumeration.ts";

export interface GridSpace {
  readonly dimensions: number;
  /** Number of cells along each axis. */
  readonly side: number;
}

export interface GridReward {
  /** Reward of every cell. */
  readonly r0: number;
  /** Added in the outer region, where every |x/(H−1) − ½| is above ¼. */
  readonly r1: number;
  /** Added in the modes, where every |x/(H−1) − ½| is between 0.3 and 0.4. */
  readonly r2: number;
}

export const DEFAULT_GRID_REWARD: GridReward = { r0: 1e-3, r1: 0.5, r2: 2 };

/** Enumerates all cells. Stick noise affects moves, never stops. */
export function enumerateGrid({ dimensions: d, side: H }: GridSpace, stick: number): Enumeration {
  const cells = H ** d;
  return enumerationFrom({ states: cells, terminals: cells, actions: d + 1, outcomes: d }, (cell, action) => {
    if (action === d) return [{ target: terminalTarget(cell), outcome: -1, probability: 1 }];
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

/** The standard hypergrid reward of every cell. Integer arithmetic decides the boundaries of the regions. */
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
