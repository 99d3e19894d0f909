// Array functions of the cells of a hypergrid. On a grid of moderate size they look values up by the index of the cell, because a step
// of a rollout has few rows, and each operation on few rows costs as much as a lookup. On a larger grid they compute the values from
// the features, so that programs contain no large tables.

import { numpy as np } from "@jax-js/jax";
import { oneHotIndices } from "../../nn/one-hot.ts";
import { constantTable } from "./constant-table.ts";
import type { State } from "./environment.ts";
import { coordinate, type GridSpace } from "./hypergrid-states.ts";

/** Largest table, in numbers. */
const LARGEST_TABLE = 2 ** 20;

export interface GridArrays {
  /** Coordinates of the cells, float32 [B, d]. */
  coordinates(state: State): np.Array;
  /** Mask of the legal moves, bool [B, d]. */
  canMove(state: State): np.Array;
  /** What moves add to the index of a cell, int32 [B]; 0 for a row of zeros. */
  indexSteps(outcome: np.Array): np.Array;
  /** Mask of the backward actions into the cells, bool [B, d·d]: pair (i, a) is possible if the move along axis i can have led
   * into the cell, and action a was legal before it. Without noise, i is a. */
  backwardAllowed(state: State): np.Array;
}

export function gridArrays(space: GridSpace, stick: number): GridArrays {
  const { dimensions: d, side: H } = space;
  return H ** d * d * d <= LARGEST_TABLE ? lookedUp(space, stick) : computed(space, stick);
}

function lookedUp({ dimensions: d, side: H }: GridSpace, stick: number): GridArrays {
  const cells = H ** d;
  const table = (width: number, entryOf: (cell: number, column: number) => number | boolean) => {
    const values = Float32Array.from({ length: cells * width }, (_, i) =>
      Number(entryOf(Math.floor(i / width), i % width)),
    );
    return constantTable(values, [cells, width]);
  };
  const coordinates = table(d, (cell, axis) => coordinate(cell, axis, H));
  const backward = table(d * d, (cell, pair) => {
    const [moved, action] = [Math.floor(pair / d), pair % d];
    if (coordinate(cell, moved, H) === 0) return false;
    if (moved === action) return true;
    return stick > 0 && coordinate(cell, action, H) < H - 1;
  });
  const strides = constantTable(
    Float32Array.from({ length: d }, (_, axis) => H ** axis),
    [d, 1],
  );
  const coordinatesOf = ({ index }: State) => np.take(coordinates(), index, 0); // [B, d]
  return {
    coordinates: coordinatesOf,
    indexSteps: (outcome) => np.dot(outcome, strides()).reshape([-1]).astype(np.int32), // [B]
    canMove: (state) => np.less(coordinatesOf(state), H - 1), // [B, d]
    backwardAllowed: ({ index }) => np.less(0.5, np.take(backward(), index, 0)), // [B, d·d]
  };
}

function computed({ dimensions: d, side: H }: GridSpace, stick: number): GridArrays {
  const coordinatesOf = ({ features }: State) => oneHotIndices(features.reshape([-1, H])).reshape([-1, d]); // [B, d]
  const strides = () => np.array(Int32Array.from({ length: d }, (_, axis) => H ** axis)); // [d]
  return {
    coordinates: coordinatesOf,
    // In int32, because indices of a large grid have more digits than a float32.
    indexSteps: (outcome) => np.sum(np.multiply(outcome.astype(np.int32), strides()), 1), // [B]
    canMove: (state) => np.less(coordinatesOf(state), H - 1), // [B, d]
    backwardAllowed(state) {
      const x = coordinatesOf(state); // [B, d]
      const [batch] = x.shape;
      const moved = np.less(0.5, x).reshape([batch, d, 1]); // [B, d, 1]
      const identity = np.eye(d); // [d, d]
      const parent = np.subtract(x.reshape([batch, 1, d]), identity); // [B, d, d], coordinates of the parent along axis i
      const legal = np.less(parent, H - 1); // [B, d, d]
      const possible = stick > 0 ? np.ones([d, d], { dtype: np.bool }) : np.less(0.5, identity); // [d, d]
      return np.logicalAnd(np.logicalAnd(moved, legal), possible).reshape([batch, d * d]); // [B, d·d]
    },
  };
}
