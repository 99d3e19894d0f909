// The modes of a task for comparisons: sets of terminals; a mode is found when any terminal of its set is sampled.

import { hasAllStrings, isGrid } from "../gfn/environment/capabilities.ts";
import type { EnumerableEnvironment, Environment } from "../gfn/environment/environment.ts";
import { topLocalMaxima } from "../gfn/evaluate/mode-counts.ts";
import { neighbourhoodOf } from "./neighbourhood.ts";

/** The members of a `Task` that define its modes. */
export interface TaskWithModes {
  readonly name: string;
  readonly environment: Environment;
  /** Score of every terminal. */
  readonly scores: Float64Array;
  /** Terminals of the known modes. Optional. */
  readonly modes?: readonly number[];
}

/**
 * The modes of a task. On a grid, they are the connected regions of cells with the highest score (2^d regions with the
 * usual reward). For other tasks with known modes, such as bit-sequence, each known mode is a set of its own. For other
 * tasks with strings of one length, such as tfbind8, they are the local maxima among the best 1 % of scores, as in
 * evaluation.
 */
export function modeSetsOf({ name, environment, scores, modes }: TaskWithModes): number[][] {
  if (isGrid(environment)) return highestRegions(environment, scores);
  if (modes && modes.length > 0) return modes.map((terminal) => [terminal]);
  if (hasAllStrings(environment) && !environment.variable) {
    return topLocalMaxima(scores, { letters: environment.outcomes, length: environment.length }).map(
      (terminal) => [terminal],
    );
  }
  throw new RangeError(
    `modeSetsOf: the modes of ${name} are unknown, because it is neither a grid nor strings of one length without constraints; give the task a list of modes`,
  );
}

/** Connected regions of the cells with the highest score. */
function highestRegions(environment: EnumerableEnvironment, scores: Float64Array): number[][] {
  const neighbourhood = neighbourhoodOf("modeSetsOf", environment);
  const highest = scores.reduce((a, b) => Math.max(a, b));
  const unvisited = new Set<number>();
  scores.forEach((score, cell) => {
    if (score === highest) unvisited.add(cell);
  });
  const regions: number[][] = [];
  for (const first of unvisited) {
    const region = [first];
    unvisited.delete(first);
    // The loop appends cells to the list that it iterates over.
    for (const cell of region) {
      for (let i = 0; i < neighbourhood.neighbourCount(cell); i++) {
        const neighbour = neighbourhood.neighbour(cell, i);
        if (unvisited.delete(neighbour)) region.push(neighbour);
      }
    }
    regions.push(region.sort((a, b) => a - b));
  }
  return regions;
}
