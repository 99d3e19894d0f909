// A genetic algorithm on strings under constraints: truncation selection from all scored strings, two-point crossover,
// mutation. Only legal children are asked, so that constraints cost no calls.
//
// The defaults were chosen among some eighty settings of selection, crossover, mutation and population, on generated
// landscapes: Ehrlich v20 L15 c2 k5 in 10 × 31 and 20 × 100 calls, v32 L32 c4 k4 in 20 × 100, and NK with K = 1 and 3 of 14
// letters in 4 × 96 and 10 × 128.

import { RandomStream } from "../engine/random-stream.ts";
import { checkSetting } from "./check-setting.ts";
import { legalStrings } from "./legal-strings.ts";
import { SearchMemory } from "./search-memory.ts";
import type { StringSearch, StringSearchOptions } from "./string-search.ts";
import { crossed, mutated } from "./variation.ts";

/** Settings of the genetic algorithm. */
export interface GeneticAlgorithmOptions extends StringSearchOptions {
  /** Number of parents, as a fraction of the strings that are asked at once; at least two. They are the best strings of
   * all rounds. Default: 0.2. */
  readonly parents?: number;
  /** Probability that a child has two parents. Default: 1. */
  readonly crossover?: number;
  /** Expected number of changed tokens of a child. Default: 0.6. */
  readonly mutations?: number;
}

/** Proposes children of the best strings. The first strings are `initial` ones and uniform ones. */
export function geneticAlgorithm(options: GeneticAlgorithmOptions): StringSearch {
  const { environment, seed, initial = [], parents = 0.2, crossover = 1, mutations = 0.6 } = options;
  checkSetting("geneticAlgorithm", "parents", parents, { above: 0 });
  checkSetting("geneticAlgorithm", "crossover", crossover, { from: 0, to: 1 });
  checkSetting("geneticAlgorithm", "mutations", mutations, { above: 0 });
  const strings = legalStrings(environment);
  const root = RandomStream.fromSeed(seed).split("genetic algorithm");
  const stream = root.split("children");
  const memory = new SearchMemory(strings, root.split("uniform"));

  /** The best strings; of equal ones the earlier. */
  function best(count: number): (readonly number[])[] {
    const sorted = memory.scored.toSorted((a, b) => b.score - a.score);
    return sorted.slice(0, Math.max(2, Math.round(parents * count))).map(({ tokens }) => tokens);
  }

  function child(population: readonly (readonly number[])[]): readonly number[] | null {
    const parent = () => population[stream.integer(population.length)];
    let tokens = parent();
    if (stream.uniform() < crossover) tokens = crossed(tokens, parent(), stream);
    if (!strings.isLegal(tokens)) return null;
    let changes = 0;
    for (let i = 0; i < tokens.length; i++) if (stream.uniform() < mutations / tokens.length) changes++;
    return mutated(strings, tokens, changes, stream);
  }

  return {
    name: "genetic algorithm",
    async ask(count) {
      const first = memory.askThese(initial, count);
      const population = best(count);
      const rest = count - first.length;
      const others =
        population.length === 0
          ? memory.askUniform(rest)
          : memory.askProposals(rest, () => child(population));
      return [...first, ...others];
    },
    async tell(scored) {
      memory.tell(scored);
    },
  };
}
