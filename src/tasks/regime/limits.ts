// Limits of the task `regime` for policies with more or less information: the state, the thought, or the hidden regime.

import { type Enumeration, enumerationFrom } from "../../gfn/environment/enumeration.ts";
import { enumerationOf } from "../../gfn/environment/environment.ts";
import type { RegimeEnvironment } from "../../gfn/environment/regime.ts";
import { sequenceEnvironment } from "../../gfn/environment/sequence.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { enumerateHistories } from "../../gfn/evaluate/history-enumeration.ts";
import { limitByExpectationMaximisation } from "../../gfn/evaluate/limit.ts";
import { type ThoughtLimitOptions, thoughtLimits } from "../../gfn/evaluate/thought-limits.ts";
import { klDivergence, normaliseRewards, totalVariation } from "../../math/distances.ts";
import type { Task } from "../task.ts";

export interface RegimeDistances {
  readonly tv: number;
  readonly kl: number;
}

/** How near the best policies of several kinds come to the target of the task `regime`. */
export interface RegimeLimits {
  /** The uniform policy. */
  readonly uniform: RegimeDistances;
  /** The best policy that is conditioned on the outcomes alone. */
  readonly withoutThought: RegimeDistances;
  /** The best policy that is conditioned on outcomes and actions. */
  readonly withThought: RegimeDistances;
  /** The best policy that knows the regime from the start. */
  readonly knownRegime: RegimeDistances;
}

/** Exact limits for the scores of the task, with reward exponent 1 and no floor. */
export function regimeLimits(
  { environment, scores }: Task<RegimeEnvironment>,
  options: ThoughtLimitOptions = {},
): RegimeLimits {
  const enumeration = enumerateHistories(environment);
  const { target } = normaliseRewards(scores);
  const { withThought, withoutThought } = thoughtLimits(enumeration, target, options);
  const { tolerance, maxSteps } = options;
  const knownRegime = limitByExpectationMaximisation(enumerateWithKnownRegime(environment), target, {
    tolerance,
    maxSteps,
  });
  const distances = (terminals: Float64Array): RegimeDistances => ({
    tv: totalVariation(target, terminals),
    kl: klDivergence(target, terminals),
  });
  return {
    uniform: distances(visitation(enumeration, uniformPolicy(enumeration)).terminals),
    withoutThought: distances(withoutThought.terminals),
    withThought: distances(withThought.terminals),
    knownRegime: distances(knownRegime.terminals),
  };
}

/** Enumeration of the strings with the regime in the state. The start has one action, which leads to each regime with its
 * probability. */
export function enumerateWithKnownRegime({
  alphabet,
  length,
  regimes,
  switching,
}: RegimeEnvironment): Enumeration {
  if (switching > 0) {
    throw new RangeError(
      `enumerateWithKnownRegime: the regime must not change during a trajectory, got switching ${switching}`,
    );
  }
  const enumerations = regimes.map(({ stick }) =>
    enumerationOf(sequenceEnvironment({ alphabet, length, stick })),
  );
  const [{ states, terminals, actions, outcomes }] = enumerations;
  const Z = enumerations.length;
  // The state with prefix s in regime z has index 1 + s · Z + z, so that all transitions lead to higher indices.
  return enumerationFrom({ states: 1 + states * Z, terminals, actions, outcomes }, (state, action) => {
    if (state === 0) {
      const draws = regimes.map(({ share }, z) => ({ target: 1 + z, outcome: -1, probability: share }));
      return action === 0 ? draws : [];
    }
    const [prefix, z] = [Math.floor((state - 1) / Z), (state - 1) % Z];
    const { offsets, targets, outcome, probabilities } = enumerations[z];
    const row = prefix * actions + action;
    return Array.from(targets.subarray(offsets[row], offsets[row + 1]), (target, i) => ({
      target: target >= 0 ? 1 + target * Z + z : target,
      outcome: outcome[offsets[row] + i],
      probability: probabilities[offsets[row] + i],
    }));
  });
}
