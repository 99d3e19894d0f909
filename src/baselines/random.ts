// Random search: every object is intended alike. On strings of fixed length that is the uniform policy.

import { realiser } from "./realise.ts";
import { checkSearch, DEFAULT_BATCH, type SearchOptions, type StringSearch, searchMemory } from "./search.ts";

export function random(options: SearchOptions): StringSearch {
  const { environment, reward, seed, batch = DEFAULT_BATCH } = options;
  checkSearch("random", options, { batch });
  const realise = realiser(environment);
  const { streams, save, restore } = searchMemory("random", seed, {});
  return {
    name: "random",
    step() {
      const intended = Int32Array.from({ length: batch }, () => streams.choice.integer(reward.length));
      const terminals = realise.drawAll(intended, streams.environment);
      return { terminals, samples: terminals };
    },
    save,
    restore,
  };
}
