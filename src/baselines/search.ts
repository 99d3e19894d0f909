// The interface and shared state of search methods over whole objects (random search, Metropolis–Hastings, evolution).
//
// A step proposes a batch of intended objects. The noisy environment turns each intended object into a realised object,
// whose score costs one oracle call. A method learns about scores only through these calls.

import { type RandomState, RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import { checkSizes } from "../nn/checks.ts";
import { fixedDefaults } from "../settings/keys.ts";
import { SEARCH_KEYS, type SearchSettings } from "./search-keys.ts";

export interface ObjectSearch {
  readonly name: string;
  step(): SearchStep;
  /** The complete state between two steps; a restored search continues bit-identically. */
  save(): SavedSearch;
  restore(saved: SavedSearch): void;
}

export interface SearchStep {
  /** Realised objects, each scored with one oracle call. */
  readonly terminals: Int32Array;
  /** Realised objects that count as samples from the target in the sampled total variation. */
  readonly samples: Int32Array;
}

export interface SearchOptions {
  readonly environment: EnumerableEnvironment;
  /** Reward of every terminal. A search reads only the rewards of realised objects. */
  readonly reward: Float64Array;
  readonly seed: number;
  /** Oracle calls per step. Default: 32. */
  readonly batch?: number;
}

export const DEFAULT_SEARCH_BATCH = (fixedDefaults(SEARCH_KEYS) as SearchSettings).batch;

/** The state of a search as plain data; its typed arrays are not JSON. */
export interface SavedSearch {
  readonly name: string;
  readonly arrays: Readonly<Record<string, Int32Array>>;
  readonly streams: Readonly<Record<StreamName, RandomState>>;
}

/** Separate random streams for the choices of the method and for the noise of the environment. */
const STREAMS = ["choice", "environment"] as const;
type StreamName = (typeof STREAMS)[number];

/** The mutable state of a search. It is kept in one place, so that saving it misses nothing. */
export interface SearchState<Name extends string> {
  readonly streams: Readonly<Record<StreamName, RandomStream>>;
  readonly arrays: Readonly<Record<Name, Int32Array>>;
  save(): SavedSearch;
  restore(saved: SavedSearch): void;
}

/** Arrays start filled with −1, which marks an empty entry. */
export function searchState<Name extends string>(
  name: string,
  seed: number,
  sizes: Readonly<Record<Name, number>>,
): SearchState<Name> {
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
        throw new RangeError(`${name}: the saved search must be ${name}, got ${saved.name}`);
      for (const array of names) {
        const length = saved.arrays[array]?.length ?? 0;
        if (length !== sizes[array]) {
          throw new RangeError(
            `${name}: ${array} of the saved search must have ${sizes[array]} numbers, got ${length}`,
          );
        }
      }
      for (const array of names) arrays[array].set(saved.arrays[array]);
      for (const stream of STREAMS) streams[stream] = RandomStream.restore(saved.streams[stream]);
    },
  };
}

/** Throws if a size is not a positive whole number, or if a reward is missing, negative or not finite. */
export function checkSearchOptions(
  where: string,
  { environment, reward }: SearchOptions,
  sizes: Readonly<Record<string, number>>,
): void {
  checkSizes(where, sizes);
  const { terminals } = enumerationOf(environment);
  if (reward.length !== terminals) {
    throw new RangeError(
      `${where}: there must be one reward per object (${terminals} in ${environment.name}), got ${reward.length}`,
    );
  }
  const invalid = reward.findIndex((value) => !(value >= 0 && value < Number.POSITIVE_INFINITY));
  if (invalid >= 0) {
    throw new RangeError(
      `${where}: rewards must be finite and not negative, got ${reward[invalid]} for terminal ${invalid}`,
    );
  }
}
