// The best that policies can reach which read the thought, and which do not.

import { RandomStream } from "../../engine/index.ts";
import { uniformPolicy } from "./exact.ts";
import { groupsOf } from "./groups.ts";
import type { HistoryListing } from "./histories.ts";
import { type Limit, limitBySearch, type SearchOptions } from "./limit.ts";

export interface ThoughtLimits {
  /** Of policies π(a|x, thought): the smallest divergence there is, but for its gap. */
  readonly withThought: Limit;
  /** Of policies π(a|x): the best that was found, of which no bound is known. */
  readonly withoutThought: Limit;
  /** By how much divergences without thought differ that were found from different starts. */
  readonly spread: number;
}

export interface ThoughtLimitOptions extends Pick<SearchOptions, "tolerance" | "maxSteps"> {
  /** Searches without thought: from the uniform policy, and from random ones. */
  readonly starts?: number;
}

export function thoughtLimits(
  listed: HistoryListing,
  target: Float64Array,
  { starts = 3, ...options }: ThoughtLimitOptions = {},
): ThoughtLimits {
  if (!(Number.isInteger(starts) && starts > 0)) {
    throw new RangeError(`thoughtLimits: starts must be a positive whole number, got ${starts}`);
  }
  const { prefixes: groups } = listed;
  const stream = RandomStream.fromSeed(0).split("limit without thought");
  const found = Array.from({ length: starts }, (_, i) => {
    const start = i === 0 ? uniformPolicy(listed) : randomPolicy(listed, stream.split(`start ${i}`));
    return limitBySearch(listed, target, { ...options, groups, start });
  }).sort((one, other) => one.kl - other.kl);
  return {
    withThought: limitBySearch(listed, target, options),
    withoutThought: found[0],
    spread: found[starts - 1].kl - found[0].kl,
  };
}

/** The same for all histories of a prefix, each prefix drawn alike from all policies. */
function randomPolicy(listed: HistoryListing, stream: RandomStream): Float64Array {
  const uniform = uniformPolicy(listed);
  // Of the histories of a prefix the first has its draw, the others nothing.
  const drawn = new Set<number>();
  const counts = new Float64Array(uniform.length);
  listed.prefixes.forEach((prefix, history) => {
    if (drawn.has(prefix)) return;
    drawn.add(prefix);
    for (let row = history * listed.actions; row < (history + 1) * listed.actions; row++) {
      counts[row] = -Math.log(stream.uniform());
    }
  });
  return groupsOf(listed, listed.prefixes).pooled(counts, uniform);
}
