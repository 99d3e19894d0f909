// Rewards of the cells of a grid from a formula of their coordinates.

import { type Expression, parseExpression } from "../../expression/expression.ts";
import { formatCell } from "../../gfn/environment/hypergrid-codec.ts";
import { coordinatesOf, type GridSpace } from "../../gfn/environment/hypergrid-states.ts";
import { UserError } from "../../issues.ts";

/** The formula of a reward: x1, x2, … are coordinates from 0 to 1, and i1, i2, … the same as whole numbers from 0 on. */
export function parseReward(text: string, dimensions: number): Expression {
  const names = (letter: string) => Array.from({ length: dimensions }, (_, axis) => `${letter}${axis + 1}`);
  return parseExpression(text, [...names("x"), ...names("i")], "reward");
}

/** The value of a formula for each cell. Throws a UserError that names the first cell in which it is no reward. */
export function formulaRewards(text: string, space: GridSpace): Float64Array {
  const { dimensions, side } = space;
  const formula = parseReward(text, dimensions);
  const values = new Float64Array(2 * dimensions);
  const rewards = new Float64Array(side ** dimensions);
  let best = 0;
  for (let cell = 0; cell < rewards.length; cell++) {
    const indices = coordinatesOf(cell, space);
    indices.forEach((index, axis) => {
      values[axis] = index / (side - 1);
      values[dimensions + axis] = index;
    });
    const reward = formula.evaluate(values);
    if (!(reward >= 0 && reward < Number.POSITIVE_INFINITY)) throw noReward(reward, indices, space);
    rewards[cell] = reward;
    best = Math.max(best, reward);
  }
  if (best > 0) return rewards;
  const message = "must be above 0 in at least one cell, got 0 in all; change the formula";
  throw new UserError([{ path: "reward", code: "range", message }]);
}

function noReward(reward: number, indices: readonly number[], { side }: GridSpace): UserError {
  const coordinates = indices
    .map((index, axis) => `x${axis + 1} = ${Number((index / (side - 1)).toPrecision(4))}`)
    .join(", ");
  const message = `must be finite and not negative in every cell, got ${reward} in the cell ${formatCell(indices)} (${coordinates}); change the formula`;
  return new UserError([{ path: "reward", code: "range", message }]);
}
