// A lower bound on the total variation of a network that cannot distinguish some contexts, because it predicts the same
// distribution for all of them.

import { prefixFlows } from "../flow/exact.ts";
import type { SuiteContext } from "./contexts.ts";

/**
 * A lower bound on the mean total variation over contexts. Contexts with the same key form a group that shares one
 * distribution q. Σ_c |p_c(x) − q(x)| is smallest if q(x) is a median of the p_c(x), for each path x separately, so no
 * distribution is nearer than these medians.
 */
export function blindFloor(
  contexts: readonly SuiteContext[],
  keyOf: (context: SuiteContext) => string,
  logRewards: (context: SuiteContext) => Float64Array,
): number {
  const groups = new Map<string, Float64Array[]>();
  for (const context of contexts) {
    const logs = logRewards(context);
    const { logZ } = prefixFlows(logs, logs.length, 1);
    const distribution = logs.map((log) => Math.exp(log - logZ));
    const key = keyOf(context);
    groups.set(key, [...(groups.get(key) ?? []), distribution]);
  }
  let sum = 0;
  for (const distributions of groups.values()) {
    for (let path = 0; path < distributions[0].length; path++) {
      const shares = distributions.map((distribution) => distribution[path]).sort((a, b) => a - b);
      const median = shares[Math.floor(shares.length / 2)];
      for (const share of shares) sum += Math.abs(share - median) / 2;
    }
  }
  return sum / contexts.length;
}
