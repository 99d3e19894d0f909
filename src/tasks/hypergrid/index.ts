// Task `hypergrid`: a walk on a grid whose reward is high in small places far from the start.

import { type HypergridEnvironment, hypergridEnvironment } from "../../gfn/environments/hypergrid.ts";
import { readCell, writeCell } from "../../gfn/environments/hypergrid-codec.ts";
import {
  coordinatesOf,
  DEFAULT_GRID_REWARD,
  type GridReward,
  type GridSpace,
  gridRewards,
} from "../../gfn/environments/hypergrid-states.ts";
import { checkTableSize, checkTerminal, type Task } from "../task.ts";

export interface HypergridTaskOptions extends Partial<GridSpace>, Partial<GridReward> {
  readonly stick: number;
}

/** The usual reward of hypergrids; the modes are the cells that `r2` is added to (none if the side is too small). */
export function hypergridTask({
  stick,
  dimensions = 2,
  side = 8,
  ...reward
}: HypergridTaskOptions): Task<HypergridEnvironment> {
  const { r0, r1, r2 } = { ...DEFAULT_GRID_REWARD, ...reward };
  for (const [name, value] of Object.entries({ r0, r1, r2 })) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`hypergrid: ${name} must be a number that is not negative, got ${value}`);
    }
  }
  const environment = hypergridEnvironment({ dimensions, side, stick });
  const space = { dimensions, side };
  const cells = side ** dimensions;
  checkTableSize("hypergrid", cells, "lower side or dimensions");
  const modes: number[] = [];
  gridRewards(space, { r0: 0, r1: 0, r2: 1 }).forEach((inMode, cell) => {
    if (inMode > 0) modes.push(cell);
  });
  return {
    name: "hypergrid",
    label: `hypergrid reward with R0 = ${r0}, R1 = ${r1}, R2 = ${r2}, on ${environment.name}`,
    environment,
    scores: gridRewards(space, { r0, r1, r2 }),
    ...(modes.length > 0 && { modes }),
    decode(terminal) {
      checkTerminal("hypergrid", terminal, cells);
      return writeCell(coordinatesOf(terminal, space));
    },
    encode(text) {
      return readCell("hypergrid", text, space).reduce((cell, x, axis) => cell + x * side ** axis, 0);
    },
    distance(a, b) {
      const other = readCell("hypergrid", b, space);
      return readCell("hypergrid", a, space).reduce((sum, x, axis) => sum + Math.abs(x - other[axis]), 0);
    },
  };
}
