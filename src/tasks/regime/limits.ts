// How near policies come to the target of the task `regime` that know more, or less, of what happened.

import { type Enumeration, enumeration } from "../../gfn/enumeration.ts";
import { listingOf } from "../../gfn/environment.ts";
import type { RegimeEnvironment } from "../../gfn/environments/regime.ts";
import { sequenceEnvironment } from "../../gfn/environments/sequence.ts";
import { divergence, normalise, totalVariation } from "../../gfn/evaluate/distances.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { historyListing } from "../../gfn/evaluate/histories.ts";
import { limitBySearch } from "../../gfn/evaluate/limit.ts";
import { type ThoughtLimitOptions, thoughtLimits } from "../../gfn/evaluate/thought-limits.ts";
import type { Task } from "../task.ts";

export interface Distances {
  readonly tv: number;
  readonly kl: number;
}

export interface RegimeLimits {
  /** Of the uniform policy. */
  readonly uniform: Distances;
  /** Of the best policy that reads what was written. */
  readonly withoutThought: Distances;
  /** Of the best policy that reads what was intended too. */
  readonly withThought: Distances;
  /** Of the best policy that is told the regime at the start. */
  readonly told: Distances;
}

/** All of them exact, for the scores as they are. */
export function regimeLimits(
  { environment, scores }: Task<RegimeEnvironment>,
  options: ThoughtLimitOptions = {},
): RegimeLimits {
  const listed = historyListing(environment);
  const { target } = normalise(scores);
  const { withThought, withoutThought } = thoughtLimits(listed, target, options);
  const { tolerance, maxSteps } = options;
  const told = limitBySearch(toldListing(environment), target, { tolerance, maxSteps });
  const distances = (terminals: Float64Array): Distances => ({
    tv: totalVariation(target, terminals),
    kl: divergence(target, terminals),
  });
  return {
    uniform: distances(visitation(listed, uniformPolicy(listed)).terminals),
    withoutThought: distances(withoutThought.terminals),
    withThought: distances(withThought.terminals),
    told: distances(told.terminals),
  };
}

/** Strings with the regime in their state. The start draws it: one action, which leads to each regime by its share. */
export function toldListing({ alphabet, length, regimes, switching }: RegimeEnvironment): Enumeration {
  if (switching > 0) {
    throw new RangeError(`toldListing: a regime must last for the whole episode, got switching ${switching}`);
  }
  const lists = regimes.map(({ stick }) => listingOf(sequenceEnvironment({ alphabet, length, stick })));
  const [{ states, terminals, actions, outcomes }] = lists;
  const Z = lists.length;
  // Prefix s in regime z is state 1 + s · Z + z, so that all lead forward.
  return enumeration({ states: 1 + states * Z, terminals, actions, outcomes }, (state, action) => {
    if (state === 0) {
      const draws = regimes.map(({ share }, z) => ({ target: 1 + z, outcome: -1, probability: share }));
      return action === 0 ? draws : [];
    }
    const [prefix, z] = [Math.floor((state - 1) / Z), (state - 1) % Z];
    const { offsets, targets, outcome, probabilities } = lists[z];
    const row = prefix * actions + action;
    return Array.from(targets.subarray(offsets[row], offsets[row + 1]), (target, i) => ({
      target: target >= 0 ? 1 + target * Z + z : target,
      outcome: outcome[offsets[row] + i],
      probability: probabilities[offsets[row] + i],
    }));
  });
}
