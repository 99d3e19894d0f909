// Options of the task `hypergrid`: their defaults, help and rules.

import {
  DEFAULT_GRID_REWARD,
  type GridReward,
  type GridSpace,
} from "../../gfn/environment/hypergrid-states.ts";
import type { Issue } from "../../issues.ts";
import { is, type Keys, key } from "../../settings/keys.ts";
import { number, whole } from "../../settings/kinds.ts";
import { stickKey } from "../stick-key.ts";
import { MAX_TABLE_SIZE } from "../task.ts";

/** Options of `hypergridTask`. */
export interface HypergridTaskOptions extends Partial<GridSpace>, Partial<GridReward> {
  /** Probability that the environment replaces an action by a uniform draw among the legal ones. */
  readonly stick: number;
}

export const HYPERGRID_DEFAULTS = { dimensions: 2, side: 8, ...DEFAULT_GRID_REWARD } as const;

/** All scores must fit into a table, so there are at most 2^24 cells. */
const LOG2_CELLS = Math.log2(MAX_TABLE_SIZE);
const notNegative = number({ from: 0 });

export const HYPERGRID_KEYS: Keys<Required<HypergridTaskOptions>> = {
  stick: stickKey,
  dimensions: key(
    whole(1, LOG2_CELLS),
    "task",
    "number of axes of the grid",
    is(HYPERGRID_DEFAULTS.dimensions),
  ),
  side: key(
    whole(2, 2 ** LOG2_CELLS),
    "task",
    "number of cells along each axis",
    is(HYPERGRID_DEFAULTS.side),
  ),
  r0: key(notNegative, "task", "reward of every cell", is(HYPERGRID_DEFAULTS.r0)),
  r1: key(notNegative, "task", "reward added in the outer ring", is(HYPERGRID_DEFAULTS.r1)),
  r2: key(notNegative, "task", "reward added in the modes", is(HYPERGRID_DEFAULTS.r2)),
};

/** Issues with combinations of options, each of which is valid alone. */
export function hypergridIssues({ side, dimensions }: Required<HypergridTaskOptions>): Issue[] {
  if (side ** dimensions <= 2 ** LOG2_CELLS) return [];
  const message = `must give at most 2^${LOG2_CELLS} cells, got ${side}^${dimensions}; lower it or \`dimensions\``;
  return [{ path: "side", code: "range", message }];
}
