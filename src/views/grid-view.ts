// The view `grid`: probabilities of the cells of a hypergrid, as the marginal of two axes or as a slice.

import { isGrid } from "../gfn/environment/capabilities.ts";
import { coordinate, type GridSpace } from "../gfn/environment/hypergrid-states.ts";
import { UserError } from "../issues.ts";
import { short, shortAll } from "./numbers.ts";
import type { EnumeratedRun } from "./opened-run.ts";
import { limitNotes } from "./run-limit.ts";
import { SAMPLES, sampledFrequencies } from "./sampled-frequencies.ts";
import type { GridView, ViewOptions } from "./view-data.ts";

/** Rows and columns of an answer. */
const MOST_ROWS = 100;

export async function gridView(
  run: EnumeratedRun,
  options: Pick<ViewOptions, "axes" | "fixed">,
): Promise<GridView> {
  const { environment } = run.task;
  if (!isGrid(environment)) {
    throw new UserError(`there is no grid, because the objects of ${environment.name} are not cells of one`);
  }
  if (!run.known) {
    throw new UserError("there is no grid, because the scores of this run are not stored with it");
  }
  const { dimensions, side } = environment;
  const axes = axesOf(options.axes, dimensions);
  const fixed = fixedOf(options.fixed, { dimensions, side }, axes);
  const tables = await run.tables();
  const cells = side ** dimensions;
  const learned = tables ? tables.visits.terminals : await sampledFrequencies(run, cells);
  const { target } = run.known;
  const limit = run.limit();
  const block = Math.ceil(side / MOST_ROWS);
  const shown = (values: Float64Array) =>
    shortAll(marginal(values, { dimensions, side }, axes, fixed, block), 5);
  const masses = [target, learned].map((values) =>
    marginal(values, { dimensions, side }, axes, fixed, side).reduce((a, b) => a + b, 0),
  );
  return {
    view: "grid",
    exact: tables !== null,
    notes: [
      ...(fixed.some((index) => index !== null)
        ? [
            `The slice has ${short(masses[0], 3)} of the target and ${short(masses[1], 3)} of the learned distribution.`,
          ]
        : dimensions > 2
          ? ["Probabilities are summed over the axes that are not shown."]
          : []),
      ...(tables ? [] : [`The learned probabilities are frequencies of ${SAMPLES} samples.`]),
      ...limitNotes(limit),
      ...(block > 1 ? [`A square stands for ${block} × ${block} cells.`] : []),
    ],
    ...{ dimensions, side, axes, fixed, ...(block > 1 && { block }) },
    target: shown(target),
    learned: shown(learned),
    limit: limit && shown(limit.terminals),
  };
}

function axesOf(given: ViewOptions["axes"], dimensions: number): readonly [number, number] {
  if (given === undefined) return [0, dimensions > 1 ? 1 : 0];
  const [x, y] = given;
  const isAxis = (axis: number) => Number.isInteger(axis) && axis >= 0 && axis < dimensions;
  if (given.length === 2 && isAxis(x) && isAxis(y) && (x !== y || dimensions === 1)) return [x, y];
  throw new UserError(
    `axes: must be two different axes from 0 to ${dimensions - 1}, got ${JSON.stringify(given)}`,
  );
}

function fixedOf(
  given: ViewOptions["fixed"],
  { dimensions, side }: GridSpace,
  axes: readonly [number, number],
): (number | null)[] {
  if (given === undefined) return new Array<null>(dimensions).fill(null);
  const isIndex = (index: number | null) =>
    index === null || (Number.isInteger(index) && index >= 0 && index < side);
  if (given.length !== dimensions || !given.every(isIndex)) {
    throw new UserError(
      `fixed: must have null or an index from 0 to ${side - 1} for each of ${dimensions} axes, got ${JSON.stringify(given)}`,
    );
  }
  return given.map((index, axis) => (axes.includes(axis) ? null : index));
}

/** Sums over the axes that are not shown, of the cells that have the fixed indices, in squares of `block` cells. */
export function marginal(
  values: Float64Array,
  { dimensions, side }: GridSpace,
  [x, y]: readonly [number, number],
  fixed: readonly (number | null)[],
  block: number,
): Float64Array {
  const columns = Math.ceil(side / block);
  const sums = new Float64Array(dimensions === 1 ? columns : columns * columns);
  for (let cell = 0; cell < values.length; cell++) {
    if (fixed.some((index, axis) => index !== null && coordinate(cell, axis, side) !== index)) continue;
    const column = Math.floor(coordinate(cell, x, side) / block);
    const row = dimensions === 1 ? 0 : Math.floor(coordinate(cell, y, side) / block);
    sums[row * columns + column] += values[cell];
  }
  return sums;
}
