// Task `hypergrid`: cells of a grid, with high reward in small regions far from the start.

import { type HypergridEnvironment, hypergridEnvironment } from "../../gfn/environment/hypergrid.ts";
import { formatCell, parseCell } from "../../gfn/environment/hypergrid-codec.ts";
import { coordinatesOf, gridRewards } from "../../gfn/environment/hypergrid-states.ts";
import { checkTaskOptions } from "../check-task-options.ts";
import { checkTerminal, type Task } from "../task.ts";
import { formulaRewards } from "./formula-reward.ts";
import { HYPERGRID_DEFAULTS, HYPERGRID_KEYS, type HypergridTaskOptions, hypergridIssues } from "./options.ts";
import { type Picture, pictureRewards } from "./picture-reward.ts";

export type { HypergridTaskOptions, Picture };

/**
 * Cells of a grid with the usual hypergrid reward, which is high in small regions far from the start. The modes are the
 * cells to which the reward adds `r2`; a small grid has no modes. The reward may also be a formula of the coordinates or the
 * brightness of a picture.
 *
 * @example
 * ```ts
 * import { hypergridTask } from "gflownet";
 *
 * const task = hypergridTask({ stick: 0.25, side: 16 });
 * console.log(task.modes?.map((cell) => task.decode(cell)).join(" ")); // 2,2 13,2 2,13 13,13
 * console.log(task.scores[task.encode("2,2")]); // 2.501
 * ```
 */
export function hypergridTask({
  stick,
  dimensions = HYPERGRID_DEFAULTS.dimensions,
  side = HYPERGRID_DEFAULTS.side,
  r0 = HYPERGRID_DEFAULTS.r0,
  r1 = HYPERGRID_DEFAULTS.r1,
  r2 = HYPERGRID_DEFAULTS.r2,
  reward,
  picture,
}: HypergridTaskOptions): Task<HypergridEnvironment> {
  const options = { stick, dimensions, side, r0, r1, r2, reward };
  checkTaskOptions(HYPERGRID_KEYS, (valid) => hypergridIssues({ ...valid, picture }), options);
  const environment = hypergridEnvironment({ dimensions, side, stick });
  const space = { dimensions, side };
  const cells = side ** dimensions;
  return {
    name: "hypergrid",
    ...scoresOf({ stick, dimensions, side, r0, r1, r2, reward, picture }, environment.name),
    environment,
    decode(terminal) {
      checkTerminal("hypergrid", terminal, cells);
      return formatCell(coordinatesOf(terminal, space));
    },
    encode(text) {
      return parseCell("hypergrid", text, space).reduce((cell, x, axis) => cell + x * side ** axis, 0);
    },
    distance(a, b) {
      const other = parseCell("hypergrid", b, space);
      return parseCell("hypergrid", a, space).reduce((sum, x, axis) => sum + Math.abs(x - other[axis]), 0);
    },
  };
}

/** The scores of all cells. Only the standard reward has known modes. */
function scoresOf(
  {
    dimensions,
    side,
    r0,
    r1,
    r2,
    reward,
    picture,
  }: Required<Omit<HypergridTaskOptions, "reward" | "picture">> &
    Pick<HypergridTaskOptions, "reward" | "picture">,
  grid: string,
): Pick<Task, "label" | "scores" | "modes"> {
  const space = { dimensions, side };
  if (reward !== undefined) {
    return { label: `reward ${reward} on ${grid}`, scores: formulaRewards(reward, space) };
  }
  if (picture) {
    const label = `brightness of a picture of ${picture.width} × ${picture.height} pixels on ${grid}`;
    return { label, scores: pictureRewards(picture, side) };
  }
  const modes: number[] = [];
  gridRewards(space, { r0: 0, r1: 0, r2: 1 }).forEach((inMode, cell) => {
    if (inMode > 0) modes.push(cell);
  });
  return {
    label: `hypergrid reward with R0 = ${r0}, R1 = ${r1}, R2 = ${r2}, on ${grid}`,
    scores: gridRewards(space, { r0, r1, r2 }),
    ...(modes.length > 0 && { modes }),
  };
}
