// Evolutionary search: tournaments choose parents, children are crossed at one cut and mutated, the best are kept.
//
// An individual is a realised object with its own score, never the intended one: a score says something of what was
// made, and an intended object with one lucky realisation would be kept for what it is not. The population is the last
// batch and the elite, the best distinct objects ever made. Nothing in this samples a target; what is judged is what
// each generation made.

import type { RandomStream } from "../engine/index.ts";
import { checkRange } from "../nn/checks.ts";
import { drawNeighbour, type ObjectSpace, objectSpace } from "./object-space.ts";
import { realiser } from "./realise.ts";
import { checkSearch, DEFAULT_BATCH, type SearchOptions, type StringSearch, searchMemory } from "./search.ts";

/** `batch` is the number of children of a generation; the first is uniform. What is not given was the surest of several
 * to find the best string of TFBind8's surrogate, out of 20 seeds with and without noise. */
export interface EvolutionOptions extends SearchOptions {
  /** Individuals of the best that stay. */
  readonly elite?: number;
  /** Individuals that a parent is the best of. */
  readonly tournament?: number;
  /** Probability of a change to a neighbour, and of another one after each. */
  readonly mutation?: number;
}

export function evolution(options: EvolutionOptions): StringSearch {
  const {
    environment,
    reward,
    seed,
    batch = DEFAULT_BATCH,
    elite = 128,
    tournament = 2,
    mutation = 0.75,
  } = options;
  checkSearch("evolution", options, { batch, elite, tournament });
  checkRange("evolution", "mutation", mutation, { low: 0, high: 1 });
  const space = objectSpace("evolution", environment);
  const realise = realiser(environment);
  const { streams, arrays, save, restore } = searchMemory("evolution", seed, {
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
          ? streams.choice.integer(space.objects)
          : child(
              space,
              () => parent(population, reward, tournament, streams.choice),
              mutation,
              streams.choice,
            ),
      );
      const terminals = realise.drawAll(intended, streams.environment);
      latest.set(terminals);
      for (const terminal of terminals) keepBest(best, terminal, reward);
      return { terminals, samples: terminals };
    },
    save,
    restore,
  };
}

/** The best of some individuals, drawn alike. */
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

/** Two parents crossed at a uniform cut, then changed none, one or several times. */
function child(space: ObjectSpace, draw: () => number, mutation: number, stream: RandomStream): number {
  const [first, second] = [draw(), draw()];
  let object = space.cross(first, second, stream.integer(space.cuts(first, second)));
  while (stream.uniform() < mutation) object = drawNeighbour(space, object, stream);
  return object;
}

/** Puts an object in its place among the best, which are sorted and distinct; the last one falls out. */
function keepBest(best: Int32Array, object: number, reward: Float64Array): void {
  if (best.includes(object)) return;
  let place = best.length;
  while (place > 0 && (best[place - 1] < 0 || reward[best[place - 1]] < reward[object])) place--;
  if (place === best.length) return;
  best.copyWithin(place + 1, place, best.length - 1);
  best[place] = object;
}
