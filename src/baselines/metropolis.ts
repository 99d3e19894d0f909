// Metropolis–Hastings over objects: several chains, each a random walk between neighbours (`neighbourhood.ts`).
//
// The state of a chain is a pair (x, z): an intended object x, and the object z that the noisy environment made of it. The
// chain proposes a neighbour y of x, samples the resulting object z' ~ K(·|y) once, and accepts with probability
// min(1, R(z') n(x) / (R(z) n(y))), where n counts neighbours.
//
// The sample of a chain after each step is z, not a new outcome of x. The pairs are a Metropolis–Hastings chain with
// stationary distribution ∝ K(z|x) R(z), because z' always comes from the kernel K. So z has the distribution
// ∝ R(z) Σₓ K(z|x): exactly the target without noise, and with stick noise on strings too, where Σₓ K(z|x) = 1. With a new
// outcome of x, the noise would act twice, because x has the distribution ∝ E[R(z)|x]. Sampling z gives the method an
// advantage: the limit of policies does not apply to it, because a chain selects among finished objects. Successive
// samples are correlated, so their sampled total variation is at least the sampling floor, which assumes independence.

import { neighbourhoodOf, sampleNeighbour } from "./neighbourhood.ts";
import {
  checkSearchOptions,
  DEFAULT_SEARCH_BATCH,
  type ObjectSearch,
  type SearchOptions,
  searchState,
} from "./search.ts";
import { terminalSampler } from "./terminal-sampler.ts";

/** `batch` is the number of chains. The first step starts each chain at a uniform object. */
export function metropolis(options: SearchOptions): ObjectSearch {
  const { environment, reward, seed, batch: chains = DEFAULT_SEARCH_BATCH } = options;
  checkSearchOptions("metropolis", options, { batch: chains });
  const neighbourhood = neighbourhoodOf("metropolis", environment);
  const sampler = terminalSampler(environment);
  const { streams, arrays, save, restore } = searchState("metropolis", seed, {
    intended: chains,
    realised: chains,
  });
  const { intended, realised } = arrays;

  return {
    name: "metropolis",
    step() {
      const proposed = intended.map((object) =>
        object < 0
          ? streams.choice.integer(neighbourhood.objectCount)
          : sampleNeighbour(neighbourhood, object, streams.choice),
      );
      const terminals = sampler.sampleFromTerminals(proposed, streams.environment);
      for (let chain = 0; chain < chains; chain++) {
        if (intended[chain] >= 0) {
          const accepted = acceptanceProbability(
            { reward: reward[realised[chain]], neighbours: neighbourhood.neighbourCount(intended[chain]) },
            { reward: reward[terminals[chain]], neighbours: neighbourhood.neighbourCount(proposed[chain]) },
          );
          if (streams.choice.uniform() > accepted) continue;
        }
        intended[chain] = proposed[chain];
        realised[chain] = terminals[chain];
      }
      return { terminals, samples: realised.slice() };
    },
    save,
    restore,
  };
}

/**
 * The start or the end of a move: the reward of its realised object, and the number of neighbours of its intended
 * object.
 */
interface MoveEnd {
  readonly reward: number;
  readonly neighbours: number;
}

/** Probability of accepting a move; 1 if the current reward is 0. */
export function acceptanceProbability(from: MoveEnd, to: MoveEnd): number {
  const current = from.reward * to.neighbours;
  return current > 0 ? Math.min(1, (to.reward * from.neighbours) / current) : 1;
}
