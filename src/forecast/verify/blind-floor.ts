// How near a network can come that cannot tell some contexts apart: it has one law for all of them.

import { prefixMasses } from "../flow/exact.ts";
import type { SuiteContext } from "./contexts.ts";

/**
 * A bound from below on the mean total variation over contexts, all counted alike. Of a group with one law q, the sum
 * Σ_c |p_c(x) − q(x)| is least where q(x) is a median of the p_c(x), path by path; no law is nearer than these medians.
 */
export function blindFloor(
  contexts: readonly SuiteContext[],
  keyOf: (context: SuiteContext) => string,
  logRewards: (context: SuiteContext) => Float64Array,
): number {
  const groups = new Map<string, Float64Array[]>();
  for (const context of contexts) {
    const logs = logRewards(context);
    const { logZ } = prefixMasses(logs, logs.length, 1);
    const law = logs.map((log) => Math.exp(log - logZ));
    const key = keyOf(context);
    groups.set(key, [...(groups.get(key) ?? []), law]);
  }
  let sum = 0;
  for (const laws of groups.values()) {
    for (let path = 0; path < laws[0].length; path++) {
      const shares = laws.map((law) => law[path]).sort((a, b) => a - b);
      const median = shares[Math.floor(shares.length / 2)];
      for (const share of shares) sum += Math.abs(share - median) / 2;
    }
  }
  return sum / contexts.length;
}
