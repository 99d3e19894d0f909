// What counts as a mode of a task when methods are compared: groups of terminals, found when any of a group is seen.

import type { EnumerableEnvironment } from "../gfn/environment.ts";
import { isGrid, isStrings } from "../gfn/environments/kind.ts";
import { bestMaxima } from "../gfn/evaluate/run-metrics.ts";
import { objectSpace } from "./object-space.ts";

/** What must be known of a task; a `Task` is one. */
export interface TaskWithModes {
  readonly name: string;
  readonly environment: EnumerableEnvironment;
  /** Score of every terminal. */
  readonly scores: Float64Array;
  /** Terminals known to be the modes. */
  readonly modes?: readonly number[];
}

/**
 * The modes of a task. On a grid, the cells of the highest score, those that touch being one mode: 2^d with the usual
 * reward. Else the task's own modes, one by one, if it has such (bit-sequence). Else, of strings of one length, the local
 * maxima among the best hundredth, as evaluation counts them (tfbind8).
 */
export function modeSetsOf({ name, environment, scores, modes }: TaskWithModes): number[][] {
  if (isGrid(environment)) return highestRegions(environment, scores);
  if (modes && modes.length > 0) return modes.map((terminal) => [terminal]);
  if (isStrings(environment) && !environment.variable) {
    return bestMaxima(scores, environment.outcomes, environment.length).map((terminal) => [terminal]);
  }
  throw new RangeError(
    `modeSetsOf: it is not known what the modes of ${name} are, as it is no grid and its strings are not of one length; give the task its modes`,
  );
}

/** Cells of the highest score, in groups that hang together. */
function highestRegions(environment: EnumerableEnvironment, scores: Float64Array): number[][] {
  const space = objectSpace("modeSetsOf", environment);
  const highest = scores.reduce((a, b) => Math.max(a, b));
  const left = new Set<number>();
  scores.forEach((score, cell) => {
    if (score === highest) left.add(cell);
  });
  const regions: number[][] = [];
  for (const first of left) {
    const region = [first];
    left.delete(first);
    // The region grows while it is gone through.
    for (const cell of region) {
      for (let i = 0; i < space.neighbours(cell); i++) {
        const neighbour = space.neighbour(cell, i);
        if (left.delete(neighbour)) region.push(neighbour);
      }
    }
    regions.push(region.sort((a, b) => a - b));
  }
  return regions;
}
