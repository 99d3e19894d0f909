// Computes the exact distribution of the objects that result from intended objects in a noisy environment
// (`terminal-sampler.ts` samples from it).
//
// The rest of a trajectory depends only on its state and the remaining actions. So the computation moves probability
// between pairs (state, remaining actions). For strings there are as many pairs as strings. For grids, a pair is two
// cells: the moves are in random order, so only the number of remaining moves along each axis matters, and a cell can
// encode these numbers.

import { hasAllStrings, isGrid } from "../gfn/environment/capabilities.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import type { HypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { rowAfterLastAction } from "./terminal-sampler.ts";

/** Maximum number of pairs of grid cells, which take 128 MB. */
const MAX_PAIRS = 2 ** 24;

/**
 * Probability of each resulting terminal, given the probability of each intended terminal. Throws unless objects are
 * strings or cells of a grid.
 */
export function realisedDistribution(
  environment: EnumerableEnvironment,
  intended: Float64Array,
): Float64Array {
  const { terminals } = enumerationOf(environment);
  if (intended.length !== terminals) {
    throw new RangeError(
      `realisedDistribution: there must be one probability per object (${terminals} in ${environment.name}), got ${intended.length}`,
    );
  }
  if (isGrid(environment)) return gridDistribution(environment, intended);
  if (!hasAllStrings(environment)) {
    throw new RangeError(
      `realisedDistribution: ${environment.name} are neither strings without constraints nor a grid, so their exact distribution is unavailable`,
    );
  }
  const { length, variable } = environment;
  const distribution = intended.slice();
  // Noise does not change the length of a string, so the strings of each length, which have consecutive indices, are
  // computed separately.
  for (let first = 0, letters = variable ? 0 : length; letters <= length; letters++) {
    const count = environment.outcomes ** letters;
    realiseLetters(environment, distribution.subarray(first, first + count), letters);
    first += count;
  }
  return distribution;
}

/** Turns the distribution of intended strings of one length into that of realised strings, in place, letter by letter. */
function realiseLetters(
  environment: EnumerableEnvironment,
  distribution: Float64Array,
  letters: number,
): void {
  const { actions, outcomes: A, offsets, outcome, probabilities } = enumerationOf(environment);
  const column = new Float64Array(A);
  // Before step t, the first t letters of an index are realised and the others are intended.
  for (let t = 0, state = 0, suffixes = distribution.length; t < letters; t++) {
    suffixes /= A;
    for (let prefix = 0; prefix < A ** t; prefix++, state++) {
      for (let suffix = 0; suffix < suffixes; suffix++) {
        const base = prefix * A * suffixes + suffix;
        column.fill(0);
        for (let action = 0; action < A; action++) {
          const mass = distribution[base + action * suffixes];
          const row = state * actions + action;
          for (let i = offsets[row]; i < offsets[row + 1]; i++) column[outcome[i]] += mass * probabilities[i];
        }
        for (let letter = 0; letter < A; letter++) distribution[base + letter * suffixes] = column[letter];
      }
    }
  }
}

function gridDistribution(environment: HypergridEnvironment, intended: Float64Array): Float64Array {
  const { dimensions, side } = environment;
  const { actions, offsets, targets, probabilities, terminals: cells } = enumerationOf(environment);
  if (cells ** 2 > MAX_PAIRS) {
    throw new RangeError(
      `realisedDistribution: the grid must have at most ${Math.sqrt(MAX_PAIRS)} cells, got ${cells} in ${environment.name}; sample instead`,
    );
  }
  // The remaining moves are encoded as the cell that they reach from the origin.
  const mass = new Float64Array(cells * cells);
  for (let remaining = 0; remaining < cells; remaining++) mass[remaining * cells] = intended[remaining];
  for (let remaining = cells - 1; remaining > 0; remaining--) {
    const counts = Array.from(
      { length: dimensions },
      (_, axis) => Math.floor(remaining / side ** axis) % side,
    );
    const moves = counts.reduce((a, b) => a + b);
    for (let cell = 0; cell < cells; cell++) {
      const here = mass[remaining * cells + cell];
      if (here === 0) continue;
      for (let axis = 0; axis < dimensions; axis++) {
        const share = (here * counts[axis]) / moves;
        if (share === 0) continue;
        const next = (remaining - side ** axis) * cells;
        const row = cell * actions + axis;
        if (offsets[row] === offsets[row + 1]) mass[next + cell] += share; // illegal: skipped
        for (let i = offsets[row]; i < offsets[row + 1]; i++)
          mass[next + targets[i]] += share * probabilities[i];
      }
    }
  }
  const distribution = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++)
    distribution[-1 - targets[offsets[rowAfterLastAction(environment, cell)]]] += mass[cell];
  return distribution;
}
