// The settings of searches: the rule, help and default of each.
//
// The module imports no networks, because `--help` loads it.

import { is, type Keys, key } from "../settings/keys.ts";
import { number, whole } from "../settings/kinds.ts";

export interface SearchSettings {
  /** Oracle calls per step. */
  readonly batch: number;
}

export interface EvolutionSettings extends SearchSettings {
  /** Size of the elite. */
  readonly elite: number;
  /** Individuals per tournament. */
  readonly tournament: number;
  /** Probability that a child mutates; after each mutation, the probability of another one. */
  readonly mutation: number;
}

export const SEARCH_KEYS: Keys<SearchSettings> = {
  batch: key(whole(1), "learning", "oracle calls per step", is(32)),
};

// biome-ignore format: a table
export const EVOLUTION_KEYS: Keys<EvolutionSettings> = {
  ...SEARCH_KEYS,
  elite: key(whole(1), "learning", "size of the elite", is(128)),
  tournament: key(whole(1), "learning", "individuals per tournament", is(2)),
  mutation: key(number({ from: 0, below: 1 }), "learning", "probability that a child mutates, and of each further mutation", is(0.75)),
};
