// Options of the task `hypergrid`: their defaults, help and rules.

import {
  DEFAULT_GRID_REWARD,
  type GridReward,
  type GridSpace,
} from "../../gfn/environment/hypergrid-states.ts";
import { type Issue, UserError } from "../../issues.ts";
import { depends, fileKey, is, type Keys, key } from "../../settings/keys.ts";
import { number, text, whole } from "../../settings/kinds.ts";
import { stickKey } from "../stick-key.ts";
import { MAX_TABLE_SIZE } from "../task.ts";
import { parseReward } from "./formula-reward.ts";
import type { Picture } from "./picture-reward.ts";

/** Options of `hypergridTask`. */
export interface HypergridTaskOptions extends Partial<GridSpace>, Partial<GridReward> {
  /** Probability that the environment replaces an action by a uniform draw among the legal ones. */
  readonly stick: number;
  /** A formula of the coordinates x1, x2, … from 0 to 1, or of i1, i2, … from 0 to side − 1, as the reward of a cell. */
  readonly reward?: string;
  /** A picture whose brightness is the reward; for a grid of two axes. */
  readonly picture?: Picture;
}

/** The options of the task in a config. */
export interface HypergridConfigOptions extends Omit<HypergridTaskOptions, "picture"> {
  /** The path of a picture. */
  readonly picture?: string;
}

export const HYPERGRID_DEFAULTS = { dimensions: 2, side: 8, ...DEFAULT_GRID_REWARD } as const;

/** All scores must fit into a table, so there are at most 2^24 cells. */
const LOG2_CELLS = Math.log2(MAX_TABLE_SIZE);
const notNegative = number({ from: 0 });

export const HYPERGRID_KEYS: Keys<HypergridConfigOptions> = {
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
  reward: key(
    text("a formula"),
    "task",
    'reward of a cell as a formula of x1, x2, … in [0, 1], such as "exp(-8 * (x1 - x2)^2)", or of whole i1, i2, …',
    depends("`r0`, `r1` and `r2`"),
  ),
  picture: fileKey(
    "task",
    "PNG picture of at most 2^20 pixels whose brightness is the reward; for a grid of two axes",
    depends("none"),
  ),
  r0: key(notNegative, "task", "reward of every cell", is(HYPERGRID_DEFAULTS.r0)),
  r1: key(notNegative, "task", "reward added in the outer ring", is(HYPERGRID_DEFAULTS.r1)),
  r2: key(notNegative, "task", "reward added in the modes", is(HYPERGRID_DEFAULTS.r2)),
};

/** Issues with combinations of options, each of which is valid alone. */
export function hypergridIssues({
  dimensions = HYPERGRID_DEFAULTS.dimensions,
  side = HYPERGRID_DEFAULTS.side,
  reward,
  picture,
}: Omit<HypergridConfigOptions, "picture"> & { readonly picture?: unknown }): Issue[] {
  const issues: Issue[] = [];
  if (side ** dimensions > 2 ** LOG2_CELLS) {
    const message = `must give at most 2^${LOG2_CELLS} cells, got ${side}^${dimensions}; lower it or \`dimensions\``;
    issues.push({ path: "side", code: "range", message });
  }
  if (reward !== undefined && picture !== undefined) {
    issues.push({ path: "picture", code: "conflict", message: "excludes `reward`; give one of them" });
  } else if (picture !== undefined && dimensions !== 2) {
    const message = `needs a grid of two axes, got ${dimensions} \`dimensions\``;
    issues.push({ path: "picture", code: "conflict", message });
  }
  return [...issues, ...(reward === undefined ? [] : formulaIssues(reward, dimensions))];
}

function formulaIssues(reward: string, dimensions: number): readonly Issue[] {
  try {
    parseReward(reward, dimensions);
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.issues;
    throw error;
  }
}
