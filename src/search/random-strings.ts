// The search that learns nothing: uniformly drawn legal strings.

import { RandomStream } from "../engine/random-stream.ts";
import { legalStrings } from "./legal-strings.ts";
import { SearchMemory } from "./search-memory.ts";
import type { StringSearch, StringSearchOptions } from "./string-search.ts";

/** Proposes uniformly drawn legal strings, each once. */
export function randomStrings({ environment, seed, initial = [] }: StringSearchOptions): StringSearch {
  const memory = new SearchMemory(
    legalStrings(environment),
    RandomStream.fromSeed(seed).split("random strings"),
  );
  return {
    name: "random",
    async ask(count) {
      const first = memory.askThese(initial, count);
      return [...first, ...memory.askUniform(count - first.length)];
    },
    async tell(scored) {
      memory.tell(scored);
    },
  };
}
