// Neighbourhoods of objects for search methods: strings that differ in one letter, grid cells that differ by one step.
//
// Objects are terminal indices, and neighbours are computed by arithmetic on them. Being neighbours is symmetric, no
// object is its own neighbour, and each neighbour is listed once. So the Hastings ratio of a move to a uniform
// neighbour is the ratio of the numbers of neighbours.

import type { RandomStream } from "../engine/index.ts";
import { hasAllStrings, isGrid } from "../gfn/environment/capabilities.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import type { HypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { coordinate } from "../gfn/environment/hypergrid-states.ts";
import type { EnumerableSequenceEnvironment } from "../gfn/environment/sequence.ts";
import { prefixLength } from "../gfn/environment/sequence-states.ts";

export interface Neighbourhood {
  readonly objectCount: number;
  /** Number of neighbours of an object. Neighbours of a string differ in one letter or, if lengths vary, have one letter
   * more or less at the end. Neighbours of a grid cell are one step away along an axis. */
  neighbourCount(object: number): number;
  /** Neighbour of an object by its index, from 0. */
  neighbour(object: number, index: number): number;
  /** Number of positions at which both objects can be cut, including both ends. */
  cutCount(first: number, second: number): number;
  /** The part of the first object before the cut, followed by the part of the second after it. */
  crossover(first: number, second: number, cut: number): number;
}

/** `where` is the name of the caller, for error messages. */
export function neighbourhoodOf(where: string, environment: EnumerableEnvironment): Neighbourhood {
  if (isGrid(environment)) return gridNeighbourhood(environment);
  if (hasAllStrings(environment)) return stringNeighbourhood(environment as EnumerableSequenceEnvironment);
  throw new RangeError(
    `${where}: ${environment.name} are neither strings without constraints nor a grid, so their neighbours are undefined`,
  );
}

/** Samples a uniform neighbour; the object itself if it has none. */
export function sampleNeighbour(neighbourhood: Neighbourhood, object: number, stream: RandomStream): number {
  const count = neighbourhood.neighbourCount(object);
  return count === 0 ? object : neighbourhood.neighbour(object, stream.integer(count));
}

/**
 * The neighbourhood of strings, computed from their state index (`sequence-states.ts`). If all strings have the same
 * length, terminals are shifted so that they start at 0.
 */
function stringNeighbourhood(environment: EnumerableSequenceEnvironment): Neighbourhood {
  const { outcomes: A, length, variable } = environment;
  const shift = variable ? 0 : firstIndexOf(length);
  const lengthOf = (object: number) => (variable ? prefixLength(object, A) : length);

  function firstIndexOf(letters: number): number {
    return A === 1 ? letters : (A ** letters - 1) / (A - 1);
  }

  return {
    objectCount: enumerationOf(environment).terminals,
    neighbourCount(object) {
      const letters = lengthOf(object);
      const longer = variable && letters < length ? A : 0;
      const shorter = variable && letters > 0 ? 1 : 0;
      return letters * (A - 1) + longer + shorter;
    },
    neighbour(object, index) {
      const letters = lengthOf(object);
      const changes = letters * (A - 1);
      if (index < changes) {
        const placeValue = A ** Math.floor(index / (A - 1));
        const letter = Math.floor((object + shift - firstIndexOf(letters)) / placeValue) % A;
        // An offset from 1 to A − 1, so that the letter changes.
        const newLetter = (letter + 1 + (index % (A - 1))) % A;
        return object + (newLetter - letter) * placeValue;
      }
      if (letters < length && index < changes + A) return object * A + 1 + (index - changes);
      return Math.floor((object - 1) / A);
    },
    cutCount: (first, second) => Math.min(lengthOf(first), lengthOf(second)) + 1,
    crossover(first, second, cut) {
      const [before, after] = [lengthOf(first), lengthOf(second)];
      const head = Math.floor((first + shift - firstIndexOf(before)) / A ** (before - cut));
      const tail = (second + shift - firstIndexOf(after)) % A ** (after - cut);
      return firstIndexOf(after) + head * A ** (after - cut) + tail - shift;
    },
  };
}

function gridNeighbourhood({ dimensions, side }: HypergridEnvironment): Neighbourhood {
  /** Calls `visit` for each neighbour, until it returns true. */
  const visitNeighbours = (cell: number, visit: (neighbour: number) => boolean) => {
    for (let axis = 0; axis < dimensions; axis++) {
      const x = coordinate(cell, axis, side);
      if (x > 0 && visit(cell - side ** axis)) return;
      if (x < side - 1 && visit(cell + side ** axis)) return;
    }
  };
  return {
    objectCount: side ** dimensions,
    neighbourCount(cell) {
      let count = 0;
      visitNeighbours(cell, () => {
        count++;
        return false;
      });
      return count;
    },
    neighbour(cell, index) {
      let [remaining, found] = [index, cell];
      visitNeighbours(cell, (neighbour) => {
        found = neighbour;
        return remaining-- === 0;
      });
      return found;
    },
    cutCount: () => dimensions + 1,
    crossover(first, second, cut) {
      const placeValue = side ** cut;
      return (first % placeValue) + Math.floor(second / placeValue) * placeValue;
    },
  };
}
