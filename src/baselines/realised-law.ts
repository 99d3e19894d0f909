// Where intended objects end, exactly: the law of what is realised, out of the law of what is intended.
//
// The rest of an episode depends on where it stands and on what is left of its plan, not on how the plan began. So mass
// lies on pairs (place, rest of the plan), and there are few: of strings as many as strings, of a grid pairs of cells,
// since moves in a random order are known by how many are left along each axis.

import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import type { HypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { isGrid, isStrings } from "../gfn/environments/kind.ts";
import { endingRow } from "./realise.ts";

/** More pairs of cells than this are not kept (128 MB). */
const MOST_PAIRS = 2 ** 24;

/** Probability of each terminal if terminals are intended with these probabilities. For strings and grids. */
export function realisedLaw(environment: EnumerableEnvironment, intended: Float64Array): Float64Array {
  const { terminals } = listingOf(environment);
  if (intended.length !== terminals) {
    throw new RangeError(
      `realisedLaw: ${environment.name} has ${terminals} objects, but ${intended.length} probabilities were given`,
    );
  }
  if (isGrid(environment)) return lawOnGrid(environment, intended);
  if (!isStrings(environment)) {
    throw new RangeError(
      `realisedLaw: ${environment.name} are neither strings nor a grid, so their law is not known exactly`,
    );
  }
  const { length, variable } = environment;
  const law = intended.slice();
  // Noise keeps the length, so lengths are worlds of their own, one after the other in the numbering.
  for (let first = 0, letters = variable ? 0 : length; letters <= length; letters++) {
    const count = environment.outcomes ** letters;
    realiseLetters(environment, law.subarray(first, first + count), letters);
    first += count;
  }
  return law;
}

/** In place: turns the law of intended strings of one length into that of realised ones, letter after letter. */
function realiseLetters(environment: EnumerableEnvironment, law: Float64Array, letters: number): void {
  const { actions, outcomes: A, offsets, outcome, probabilities } = listingOf(environment);
  const column = new Float64Array(A);
  // Before step t the first t letters of a number are realised, the others still intended.
  for (let t = 0, state = 0, rests = law.length; t < letters; t++) {
    rests /= A;
    for (let prefix = 0; prefix < A ** t; prefix++, state++) {
      for (let rest = 0; rest < rests; rest++) {
        const base = prefix * A * rests + rest;
        column.fill(0);
        for (let intention = 0; intention < A; intention++) {
          const mass = law[base + intention * rests];
          const row = state * actions + intention;
          for (let i = offsets[row]; i < offsets[row + 1]; i++) column[outcome[i]] += mass * probabilities[i];
        }
        for (let letter = 0; letter < A; letter++) law[base + letter * rests] = column[letter];
      }
    }
  }
}

function lawOnGrid(environment: HypergridEnvironment, intended: Float64Array): Float64Array {
  const { dimensions, side } = environment;
  const { actions, offsets, targets, probabilities, terminals: cells } = listingOf(environment);
  if (cells ** 2 > MOST_PAIRS) {
    throw new RangeError(
      `realisedLaw: ${environment.name} has ${cells} cells, more than the ${Math.sqrt(MOST_PAIRS)} whose pairs are kept; draw instead`,
    );
  }
  // Moves that are left, counted along each axis, are written as the cell that they would reach from the start.
  const mass = new Float64Array(cells * cells);
  for (let left = 0; left < cells; left++) mass[left * cells] = intended[left];
  for (let left = cells - 1; left > 0; left--) {
    const counts = Array.from({ length: dimensions }, (_, axis) => Math.floor(left / side ** axis) % side);
    const moves = counts.reduce((a, b) => a + b);
    for (let cell = 0; cell < cells; cell++) {
      const here = mass[left * cells + cell];
      if (here === 0) continue;
      for (let axis = 0; axis < dimensions; axis++) {
        const share = (here * counts[axis]) / moves;
        if (share === 0) continue;
        const then = (left - side ** axis) * cells;
        const row = cell * actions + axis;
        if (offsets[row] === offsets[row + 1]) mass[then + cell] += share; // not legal: left out
        for (let i = offsets[row]; i < offsets[row + 1]; i++)
          mass[then + targets[i]] += share * probabilities[i];
      }
    }
  }
  const law = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++)
    law[-1 - targets[offsets[endingRow(environment, cell)]]] += mass[cell];
  return law;
}
