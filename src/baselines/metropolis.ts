// Metropolis–Hastings over objects: several chains, each a walk between neighbours (`object-space.ts`).
//
// A chain stands at an intended object x and holds z, what the environment made of x when x was proposed. It proposes a
// neighbour y of x, has it realised once as z', and goes there with probability min(1, R(z') n(x) / (R(z) n(y))), n the
// number of neighbours: of x and y themselves it sees nothing but one realisation each.
//
// What a chain gives as its sample after each step is the z that it holds, not x realised anew. Pairs (x, z) are a
// Metropolis–Hastings chain of their own, since z' is drawn by the kernel K wherever it is proposed, and their law is
// ∝ K(z|x) R(z). So the law of z is ∝ R(z) Σₓ K(z|x): without noise exactly the target, and with stick noise on strings
// too, where Σₓ K(z|x) = 1. Realised anew it would be blurred twice: x is ∝ E[R(z)|x], and the kernel comes on top. To
// judge by z is what favours the method most. It also makes it another game than a policy's, whose limit does not hold
// here: a chain chooses among finished objects, a policy answers for the first that it makes. And samples in a row are
// alike, so that the floor of a sampled total variation, meant for independent ones, is the least to expect.

import type { EnumerableEnvironment } from "../gfn/environment.ts";
import { normalise } from "../gfn/evaluate/distances.ts";
import { drawNeighbour, objectSpace } from "./object-space.ts";
import { realiser } from "./realise.ts";
import { realisedLaw } from "./realised-law.ts";
import { checkSearch, DEFAULT_BATCH, type SearchOptions, type StringSearch, searchMemory } from "./search.ts";

/** `batch` is the number of chains. The first step puts each at a uniform object. */
export function metropolis(options: SearchOptions): StringSearch {
  const { environment, reward, seed, batch: chains = DEFAULT_BATCH } = options;
  checkSearch("metropolis", options, { batch: chains });
  const space = objectSpace("metropolis", environment);
  const realise = realiser(environment);
  const { streams, arrays, save, restore } = searchMemory("metropolis", seed, {
    intended: chains,
    held: chains,
  });
  const { intended, held } = arrays;

  return {
    name: "metropolis",
    step() {
      const proposed = intended.map((object) =>
        object < 0 ? streams.choice.integer(space.objects) : drawNeighbour(space, object, streams.choice),
      );
      const terminals = realise.drawAll(proposed, streams.environment);
      for (let chain = 0; chain < chains; chain++) {
        if (intended[chain] >= 0) {
          const chance = acceptance(
            { reward: reward[held[chain]], neighbours: space.neighbours(intended[chain]) },
            { reward: reward[terminals[chain]], neighbours: space.neighbours(proposed[chain]) },
          );
          if (streams.choice.uniform() > chance) continue;
        }
        intended[chain] = proposed[chain];
        held[chain] = terminals[chain];
      }
      return { terminals, samples: held.slice() };
    },
    save,
    restore,
  };
}

/** The law that samples have in the long run, exactly: ∝ R(z) Σₓ K(z|x), the second being what uniform objects come to. */
export function metropolisLaw(environment: EnumerableEnvironment, reward: Float64Array): Float64Array {
  const uniform = new Float64Array(reward.length).fill(1 / reward.length);
  const realised = realisedLaw(environment, uniform);
  return normalise(reward.map((value, z) => value * realised[z])).target;
}

/** One end of a move: the reward seen there, and how many neighbours it has. */
interface End {
  readonly reward: number;
  readonly neighbours: number;
}

/** Probability that a proposed move is made. From where nothing was rewarded any move is. */
export function acceptance(from: End, to: End): number {
  const forth = from.reward * to.neighbours;
  return forth > 0 ? Math.min(1, (to.reward * from.neighbours) / forth) : 1;
}
