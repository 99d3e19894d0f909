// Exact evaluation of a GFlowNet over token paths: the distribution of realised paths over all paths of one context, in
// float64, compared with the target and with the best distribution that any policy can reach through the noise channel.

import type { TypedArray } from "../../engine/index.ts";
import { klDivergence, totalVariation } from "../../math/distances.ts";
import { applyChannel } from "./channel.ts";
import { reachableLimit } from "./limit.ts";
import type { PrefixTables, PrefixTabulator } from "./prefix-tables.ts";

/** The metrics of one context. The target is R / Z. */
export interface ExactMetrics {
  /** Total variation between the distribution of realised paths and the target. */
  readonly tv: number;
  /** KL(target ‖ distribution of realised paths). */
  readonly kl: number;
  /** The exact log Z. */
  readonly logZ: number;
  /** log F of the start minus the exact log Z. */
  readonly logZError: number;
  /** Largest |log F − exact log F| over the states that the target visits with a probability of at least 0.001. */
  readonly flowError: number;
  /** Total variation and KL of the limit: the best distribution that any policy can reach. 0 without a channel. */
  readonly limitTv: number;
  readonly limitKl: number;
  /** Probability of each realised path, [K^H]. */
  readonly distribution: Float64Array;
}

/** Metrics without the distribution, which is large. */
type ContextMetrics = Omit<ExactMetrics, "distribution">;

/** The metrics of many contexts: means, and the largest total variation and errors. */
export interface ExactSummary {
  readonly contexts: number;
  readonly tv: number;
  readonly worstTv: number;
  readonly kl: number;
  readonly limitTv: number;
  readonly limitKl: number;
  readonly logZError: number;
  readonly worstLogZError: number;
  readonly flowError: number;
}

/** States with a smaller probability under the target are left out of the flow error. */
const MIN_PROBABILITY = 1e-3;

/** Compares the tables of one context with the log rewards of all paths, [K^H]. `channel` is C[a, x], or null. */
export function exactMetrics(
  tables: Pick<PrefixTables, "policy" | "logFlow">,
  logReward: ArrayLike<number>,
  channel: Float64Array | null,
): ExactMetrics {
  const H = tables.policy.length;
  const K = tables.policy[0].length;
  const { flows, logZ, logPeak } = prefixFlows(logReward, K, H);
  const target = flows[H].map((flow) => flow / flows[0][0]);
  const distribution = pathProbabilities(K, H, (t, prefix) =>
    nextOutcome(tables.policy[t], prefix, K, channel),
  );
  const limit = channel
    ? pathProbabilities(K, H, (t, prefix) => reachableLimit(nextTarget(flows, t, prefix, K), channel))
    : target;
  let flowError = 0;
  for (let t = 0; t < H; t++) {
    flows[t].forEach((flow, prefix) => {
      if (flow < MIN_PROBABILITY * flows[0][0]) return;
      const exact = Math.log(flow) + logPeak;
      flowError = Math.max(flowError, Math.abs(tables.logFlow[t][prefix] - exact));
    });
  }
  return {
    tv: totalVariation(target, distribution),
    kl: klDivergence(target, distribution),
    logZ,
    logZError: tables.logFlow[0][0] - logZ,
    flowError,
    limitTv: totalVariation(target, limit),
    limitKl: klDivergence(target, limit),
    distribution,
  };
}

/**
 * Evaluates all contexts in `inputs`. `logReward` gives the exact log rewards of a context; by default the rewards that
 * the tabulator computes are used.
 */
export async function exactSummary(
  tabulator: PrefixTabulator,
  params: Float32Array,
  inputs: Readonly<Record<string, TypedArray>>,
  channel: Float64Array | null,
  logReward?: (context: number) => ArrayLike<number>,
): Promise<ExactSummary> {
  const all: ContextMetrics[] = [];
  for await (const tables of tabulator.tabulate(params, inputs)) {
    const rewards = logReward ? logReward(all.length) : tables.logReward;
    if (!rewards)
      throw new TypeError(
        "flow: exact evaluation needs rewards; create the tabulator with rewards, or pass logReward",
      );
    all.push(exactMetrics(tables, rewards, channel));
  }
  return summariseMetrics(all);
}

/** Means and maxima over contexts. */
export function summariseMetrics(all: readonly ContextMetrics[]): ExactSummary {
  const mean = (of: (metrics: ContextMetrics) => number) =>
    all.reduce((sum, metrics) => sum + of(metrics), 0) / all.length;
  const worst = (of: (metrics: ContextMetrics) => number) =>
    all.reduce((largest, metrics) => Math.max(largest, of(metrics)), 0);
  return {
    contexts: all.length,
    tv: mean(({ tv }) => tv),
    worstTv: worst(({ tv }) => tv),
    kl: mean(({ kl }) => kl),
    limitTv: mean(({ limitTv }) => limitTv),
    limitKl: mean(({ limitKl }) => limitKl),
    logZError: mean(({ logZError }) => Math.abs(logZError)),
    worstLogZError: worst(({ logZError }) => Math.abs(logZError)),
    flowError: worst(({ flowError }) => flowError),
  };
}

/** The exact flows of all prefixes of a path. */
export interface PrefixFlows {
  /** Flows of the prefixes of each length, divided by exp(logPeak): (H + 1) × [Kᵗ]. */
  readonly flows: readonly Float64Array[];
  /** The largest log reward. */
  readonly logPeak: number;
  /** Logarithm of the sum of all rewards. */
  readonly logZ: number;
}

/** Computes the exact flows of all prefixes from the log rewards of all paths. */
export function prefixFlows(logReward: ArrayLike<number>, K: number, H: number): PrefixFlows {
  let logPeak = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logReward.length; i++) logPeak = Math.max(logPeak, logReward[i]);
  const flows: Float64Array[] = [];
  flows[H] = Float64Array.from({ length: K ** H }, (_, i) => Math.exp(logReward[i] - logPeak));
  for (let t = H - 1; t >= 0; t--) {
    flows[t] = Float64Array.from({ length: K ** t }, (_, prefix) =>
      flows[t + 1].subarray(prefix * K, (prefix + 1) * K).reduce((sum, flow) => sum + flow, 0),
    );
  }
  return { flows, logPeak, logZ: Math.log(flows[0][0]) + logPeak };
}

/** Probabilities of all paths, [K^H], from the distribution of the next token after each prefix. */
export function pathProbabilities(
  K: number,
  H: number,
  next: (t: number, prefix: number) => ArrayLike<number>,
): Float64Array {
  let paths = Float64Array.of(1); // [Kᵗ]
  for (let t = 0; t < H; t++) {
    const longer = new Float64Array(K ** (t + 1));
    for (let prefix = 0; prefix < paths.length; prefix++) {
      if (paths[prefix] === 0) continue;
      const shares = next(t, prefix);
      for (let x = 0; x < K; x++) longer[prefix * K + x] = paths[prefix] * shares[x];
    }
    paths = longer;
  }
  return paths;
}

/** The distribution of the next outcome after a prefix, [K], from the logits of the policy and the channel. */
function nextOutcome(
  logits: Float32Array,
  prefix: number,
  K: number,
  channel: Float64Array | null,
): Float64Array {
  const row = Float64Array.from(logits.subarray(prefix * K, (prefix + 1) * K));
  const peak = row.reduce((largest, logit) => Math.max(largest, logit));
  const weights = row.map((logit) => Math.exp(logit - peak));
  const sum = weights.reduce((total, weight) => total + weight);
  const policy = weights.map((weight) => weight / sum);
  return channel ? applyChannel(policy, channel) : policy;
}

/** The distribution of the next token after a prefix under the target, [K]; uniform if the prefix has probability 0. */
function nextTarget(flows: readonly Float64Array[], t: number, prefix: number, K: number): Float64Array {
  const total = flows[t][prefix];
  return Float64Array.from({ length: K }, (_, x) =>
    total > 0 ? flows[t + 1][prefix * K + x] / total : 1 / K,
  );
}
