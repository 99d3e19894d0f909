// Search over whole objects: what all methods share that intend an object and see what the environment makes of it.
//
// A step intends a batch of objects; each is realised with the environment's noise and scored, which is one call of the
// oracle. A method knows of scores nothing but those calls.

import { type RandomState, RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import { checkSizes } from "../nn/checks.ts";

export interface StringSearch {
  readonly name: string;
  step(): SearchStep;
  /** All that the search is between two steps: it goes on from there to the bit. */
  save(): SavedSearch;
  restore(saved: SavedSearch): void;
}

export interface SearchStep {
  /** Realised objects that the oracle was asked for, one call each. */
  readonly terminals: Int32Array;
  /** Realised objects that the method gives for draws from the target: what its distribution is judged by. */
  readonly samples: Int32Array;
}

export interface SearchOptions {
  readonly environment: EnumerableEnvironment;
  /** Reward of every terminal; looked up for realised ones only. */
  readonly reward: Float64Array;
  readonly seed: number;
  /** Calls of the oracle in a step. */
  readonly batch?: number;
}

export const DEFAULT_BATCH = 32;

/** Plain data: JSON but for its typed arrays. */
export interface SavedSearch {
  readonly name: string;
  readonly arrays: Readonly<Record<string, Int32Array>>;
  readonly streams: Readonly<Record<StreamName, RandomState>>;
}

/** What a method draws, and what the environment does: noise of one does not move the other. */
const STREAMS = ["choice", "environment"] as const;
type StreamName = (typeof STREAMS)[number];

/** The part of a search that changes, in one place so that it is saved as a whole. */
export interface SearchMemory<Name extends string> {
  readonly streams: Readonly<Record<StreamName, RandomStream>>;
  readonly arrays: Readonly<Record<Name, Int32Array>>;
  save(): SavedSearch;
  restore(saved: SavedSearch): void;
}

/** Arrays are filled with −1: nothing there yet. */
export function searchMemory<Name extends string>(
  name: string,
  seed: number,
  sizes: Readonly<Record<Name, number>>,
): SearchMemory<Name> {
  const names = Object.keys(sizes) as Name[];
  const arrays = Object.fromEntries(
    names.map((array) => [array, new Int32Array(sizes[array]).fill(-1)]),
  ) as Record<Name, Int32Array>;
  const root = RandomStream.fromSeed(seed).split(name);
  const streams = { choice: root.split("choice"), environment: root.split("environment") };

  return {
    streams,
    arrays,
    save: () => ({
      name,
      arrays: Object.fromEntries(names.map((array) => [array, arrays[array].slice()])),
      streams: { choice: streams.choice.save(), environment: streams.environment.save() },
    }),
    restore(saved) {
      if (saved.name !== name)
        throw new RangeError(`${name}: the saved search is ${saved.name}, not ${name}`);
      for (const array of names) {
        const length = saved.arrays[array]?.length ?? 0;
        if (length !== sizes[array]) {
          throw new RangeError(
            `${name}: the saved search has ${length} numbers in ${array} instead of ${sizes[array]}`,
          );
        }
      }
      for (const array of names) arrays[array].set(saved.arrays[array]);
      for (const stream of STREAMS) streams[stream] = RandomStream.restore(saved.streams[stream]);
    },
  };
}

/** Throws unless every terminal has a reward, finite and not negative, and sizes are sizes. */
export function checkSearch(
  where: string,
  { environment, reward }: SearchOptions,
  sizes: Readonly<Record<string, number>>,
): void {
  checkSizes(where, sizes);
  const { terminals } = listingOf(environment);
  if (reward.length !== terminals) {
    throw new RangeError(
      `${where}: ${environment.name} has ${terminals} objects, but ${reward.length} rewards were given`,
    );
  }
  const wrong = reward.findIndex((value) => !(value >= 0 && value < Number.POSITIVE_INFINITY));
  if (wrong >= 0) {
    throw new RangeError(
      `${where}: the reward of terminal ${wrong} is ${reward[wrong]}; rewards must be finite and not negative`,
    );
  }
}
