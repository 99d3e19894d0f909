// Limits of policies that are conditioned on the thought (the actions so far), and of policies that are not.

import { RandomStream } from "../../engine/index.ts";
import { uniformPolicy } from "./exact.ts";
import type { HistoryEnumeration } from "./history-enumeration.ts";
import { type ExpectationMaximisationOptions, type Limit, limitByExpectationMaximisation } from "./limit.ts";
import { stateGroups } from "./state-groups.ts";

/** The best policies with and without knowledge of the earlier actions. */
export interface ThoughtLimits {
  /** Limit of policies π(a | state, thought). */
  readonly withThought: Limit;
  /** Best policy π(a | state) that was found. Its `gap` is NaN, because no bound is known. */
  readonly withoutThought: Limit;
  /** Largest minus smallest KL of the searches without thought. */
  readonly klSpread: number;
}

/** Options of `thoughtLimits`. */
export interface ThoughtLimitOptions extends Pick<ExpectationMaximisationOptions, "tolerance" | "maxSteps"> {
  /** Number of searches without thought: one from the uniform policy, the others from random policies. Default: 3. */
  readonly starts?: number;
}

/** Computes how near policies can come to the target that are conditioned on the thought, and policies that are not. */
export function thoughtLimits(
  enumeration: HistoryEnumeration,
  target: Float64Array,
  { starts = 3, ...options }: ThoughtLimitOptions = {},
): ThoughtLimits {
  if (!(Number.isInteger(starts) && starts > 0)) {
    throw new RangeError(`thoughtLimits: starts must be a positive whole number, got ${starts}`);
  }
  const { stateIndex: groups } = enumeration;
  const stream = RandomStream.fromSeed(0).split("limit without thought");
  const found = Array.from({ length: starts }, (_, i) => {
    const start =
      i === 0 ? uniformPolicy(enumeration) : randomPolicy(enumeration, stream.split(`start ${i}`));
    return limitByExpectationMaximisation(enumeration, target, { ...options, groups, start });
  }).sort((one, other) => one.kl - other.kl);
  return {
    withThought: limitByExpectationMaximisation(enumeration, target, options),
    withoutThought: found[0],
    klSpread: found[starts - 1].kl - found[0].kl,
  };
}

/** A policy that ignores the thought, with the row of each state drawn uniformly from the simplex. */
function randomPolicy(enumeration: HistoryEnumeration, stream: RandomStream): Float64Array {
  const uniform = uniformPolicy(enumeration);
  // Only the first history of each state gets random counts; the others get 0. The counts are then summed over all
  // histories of a state, so all of them have the same random policy.
  const drawn = new Set<number>();
  const counts = new Float64Array(uniform.length);
  enumeration.stateIndex.forEach((prefix, history) => {
    if (drawn.has(prefix)) return;
    drawn.add(prefix);
    for (let row = history * enumeration.actions; row < (history + 1) * enumeration.actions; row++) {
      counts[row] = -Math.log(stream.uniform());
    }
  });
  return stateGroups(enumeration, enumeration.stateIndex).pooledPolicy(counts, uniform);
}
