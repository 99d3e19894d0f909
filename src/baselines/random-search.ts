// Random search, which draws intended objects uniformly. For strings of fixed length this equals the uniform policy.

import {
  checkSearchOptions,
  DEFAULT_SEARCH_BATCH,
  type ObjectSearch,
  type SearchOptions,
  searchState,
} from "./search.ts";
import { terminalSampler } from "./terminal-sampler.ts";

export function randomSearch(options: SearchOptions): ObjectSearch {
  const { environment, reward, seed, batch = DEFAULT_SEARCH_BATCH } = options;
  checkSearchOptions("random", options, { batch });
  const sampler = terminalSampler(environment);
  const { streams, save, restore } = searchState("random", seed, {});
  return {
    name: "random",
    step() {
      const intended = Int32Array.from({ length: batch }, () => streams.choice.integer(reward.length));
      const terminals = sampler.sampleFromTerminals(intended, streams.environment);
      return { terminals, samples: terminals };
    },
    save,
    restore,
  };
}
