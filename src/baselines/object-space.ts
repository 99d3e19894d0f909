// Objects as what search changes: strings letter by letter, cells of a grid coordinate by coordinate.
//
// Objects are terminal numbers, and everything is arithmetic on them. Being neighbours is mutual, nobody is its own
// neighbour and none is listed twice, so a walk to a uniform neighbour has the Hastings ratio of their counts.

import type { RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import type { HypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { coordinate } from "../gfn/environments/hypergrid-states.ts";
import { isGrid, isStrings } from "../gfn/environments/kind.ts";
import type { SequenceEnvironment } from "../gfn/environments/sequence.ts";
import { prefixLength } from "../gfn/environments/sequence-states.ts";

export interface ObjectSpace {
  readonly objects: number;
  /** How many neighbours an object has. Of a string: another letter at one place and, if lengths vary, one letter more
   * or less at the end. Of a cell: one step along an axis. */
  neighbours(object: number): number;
  /** Neighbour number `which` of an object, counted from 0. */
  neighbour(object: number, which: number): number;
  /** How many places two objects can be cut at together, both ends included. */
  cuts(first: number, second: number): number;
  /** What stands before the cut in the first object, and after it in the second. */
  cross(first: number, second: number, cut: number): number;
}

/** Errors begin with `where`. */
export function objectSpace(where: string, environment: EnumerableEnvironment): ObjectSpace {
  if (isGrid(environment)) return cells(environment);
  if (isStrings(environment)) return strings(environment as SequenceEnvironment);
  throw new RangeError(
    `${where}: ${environment.name} are neither strings nor a grid, so it is not known what a small change of them is`,
  );
}

/** A uniform neighbour; the object itself if it has none. */
export function drawNeighbour(space: ObjectSpace, object: number, stream: RandomStream): number {
  const count = space.neighbours(object);
  return count === 0 ? object : space.neighbour(object, stream.integer(count));
}

/** Strings by their place in the heap of prefixes (`sequence-states.ts`), which for those of fixed length is shifted. */
function strings(environment: SequenceEnvironment): ObjectSpace {
  const { outcomes: A, length, variable } = environment;
  const shift = variable ? 0 : firstOf(length);
  const lengthOf = (object: number) => (variable ? prefixLength(object, A) : length);

  function firstOf(letters: number): number {
    return A === 1 ? letters : (A ** letters - 1) / (A - 1);
  }

  return {
    objects: listingOf(environment).terminals,
    neighbours(object) {
      const letters = lengthOf(object);
      const longer = variable && letters < length ? A : 0;
      const shorter = variable && letters > 0 ? 1 : 0;
      return letters * (A - 1) + longer + shorter;
    },
    neighbour(object, which) {
      const letters = lengthOf(object);
      const changes = letters * (A - 1);
      if (which < changes) {
        const place = A ** Math.floor(which / (A - 1));
        const own = Math.floor((object + shift - firstOf(letters)) / place) % A;
        // Counted on from its own, no letter is itself.
        const letter = (own + 1 + (which % (A - 1))) % A;
        return object + (letter - own) * place;
      }
      if (letters < length && which < changes + A) return object * A + 1 + (which - changes);
      return Math.floor((object - 1) / A);
    },
    cuts: (first, second) => Math.min(lengthOf(first), lengthOf(second)) + 1,
    cross(first, second, cut) {
      const [before, after] = [lengthOf(first), lengthOf(second)];
      const head = Math.floor((first + shift - firstOf(before)) / A ** (before - cut));
      const tail = (second + shift - firstOf(after)) % A ** (after - cut);
      return firstOf(after) + head * A ** (after - cut) + tail - shift;
    },
  };
}

function cells({ dimensions, side }: HypergridEnvironment): ObjectSpace {
  /** Goes through the neighbours, ends early when `visit` says so. */
  const each = (cell: number, visit: (neighbour: number) => boolean) => {
    for (let axis = 0; axis < dimensions; axis++) {
      const x = coordinate(cell, axis, side);
      if (x > 0 && visit(cell - side ** axis)) return;
      if (x < side - 1 && visit(cell + side ** axis)) return;
    }
  };
  return {
    objects: side ** dimensions,
    neighbours(cell) {
      let count = 0;
      each(cell, () => {
        count++;
        return false;
      });
      return count;
    },
    neighbour(cell, which) {
      let [left, found] = [which, cell];
      each(cell, (neighbour) => {
        found = neighbour;
        return left-- === 0;
      });
      return found;
    },
    cuts: () => dimensions + 1,
    cross(first, second, cut) {
      const place = side ** cut;
      return (first % place) + Math.floor(second / place) * place;
    },
  };
}
