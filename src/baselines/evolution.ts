// Evolutionary search: tournament selection of parents, one-point crossover, mutation, and an elite.
//
// An individual is a realised object with its score, not the intended object. The score belongs to the realised object;
// an intended object would survive because of one lucky outcome. The population is the last batch and the elite, the
// best distinct objects so far. The search does not sample from the target; it is evaluated on the objects of each
// generation.

import type { RandomStream } from "../engine/index.ts";
import { checkRange } from "../nn/checks.ts";
import { fixedDefaults } from "../settings/keys.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import { type Neighbourhood, neighbourhoodOf, sampleNeighbour } from "./neighbourhood.ts";
import { checkSearchOptions, type ObjectSearch, type SearchOptions, searchState } from "./search.ts";
import { EVOLUTION_KEYS, type EvolutionSettings } from "./search-keys.ts";
import { terminalSampler } from "./terminal-sampler.ts";

const DEFAULTS = fixedDefaults(EVOLUTION_KEYS) as EvolutionSettings;

/** `batch` is the number of children per generation; the first generation is uniform. With the defaults, the search found
 * the best string of the TFBind8 surrogate most reliably (20 seeds, with and without noise). */
export interface EvolutionOptions extends SearchOptions, Partial<EvolutionSettings> {}

export function evolution(options: EvolutionOptions): ObjectSearch {
  const { environment, reward, seed } = options;
  const { batch, elite, tournament, mutation } = { ...DEFAULTS, ...withoutUndefined(options) };
  checkSearchOptions("evolution", options, { batch, elite, tournament });
  checkRange("evolution", "mutation", mutation, { low: 0, high: 1 });
  const neighbourhood = neighbourhoodOf("evolution", environment);
  const sampler = terminalSampler(environment);
  const { streams, arrays, save, restore } = searchState("evolution", seed, {
    best: elite,
    latest: batch,
  });
  const { best, latest } = arrays;

  return {
    name: "evolution",
    step() {
      const population = [...best, ...latest].filter((object) => object >= 0);
      const intended = latest.map(() =>
        population.length === 0
          ? streams.choice.integer(neighbourhood.objectCount)
          : child(
              neighbourhood,
              () => parent(population, reward, tournament, streams.choice),
              mutation,
              streams.choice,
            ),
      );
      const terminals = sampler.sampleFromTerminals(intended, streams.environment);
      latest.set(terminals);
      for (const terminal of terminals) keepBest(best, terminal, reward);
      return { terminals, samples: terminals };
    },
    save,
    restore,
  };
}

/** The best of `tournament` individuals drawn uniformly. */
function parent(
  population: readonly number[],
  reward: Float64Array,
  tournament: number,
  stream: RandomStream,
): number {
  let winner = population[stream.integer(population.length)];
  for (let i = 1; i < tournament; i++) {
    const other = population[stream.integer(population.length)];
    if (reward[other] > reward[winner]) winner = other;
  }
  return winner;
}

/** Crossover of two parents at a uniform cut, then zero or more mutations. */
function child(
  neighbourhood: Neighbourhood,
  draw: () => number,
  mutation: number,
  stream: RandomStream,
): number {
  const [first, second] = [draw(), draw()];
  let object = neighbourhood.crossover(first, second, stream.integer(neighbourhood.cutCount(first, second)));
  while (stream.uniform() < mutation) object = sampleNeighbour(neighbourhood, object, stream);
  return object;
}

/** Inserts an object into the sorted list of the best distinct objects, and removes the last one. */
function keepBest(best: Int32Array, object: number, reward: Float64Array): void {
  if (best.includes(object)) return;
  let position = best.length;
  while (position > 0 && (best[position - 1] < 0 || reward[best[position - 1]] < reward[object])) position--;
  if (position === best.length) return;
  best.copyWithin(position + 1, position, best.length - 1);
  best[position] = object;
}
