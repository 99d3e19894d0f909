// How far a flow over token paths is from its target, exactly: the law of the realised path on the whole tree of one
// context, in float64, beside the best that any policy can reach through the channel.

import type { TypedArray } from "../../engine/index.ts";
import { divergence, totalVariation } from "../../gfn/evaluate/distances.ts";
import { through } from "./channel.ts";
import { reachable } from "./reachable.ts";
import type { ContextTables, TableReader } from "./tables.ts";

/** One context. */
export interface ExactMeasures {
  /** Total variation between the law of the realised path and R / Z. */
  readonly tv: number;
  /** KL(R / Z ‖ law). */
  readonly kl: number;
  /** The exact log Z, and log F of the start less it. */
  readonly logZ: number;
  readonly logZError: number;
  /** Largest |log F − log F*| over the states that the target visits with a probability of at least 0.001. */
  readonly flowError: number;
  /** Of the best policy there is; 0 without a channel. */
  readonly limitTv: number;
  readonly limitKl: number;
  /** The law itself, [K^H]. */
  readonly law: Float64Array;
}

/** Many contexts: means, and the worst by total variation and by each error. */
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

/** States that are rarer than this in the target do not count in the flow's error. */
const RARE = 1e-3;

/** The flow's tables of one context against log rewards of all paths, [K^H]; through a channel C[a, x] if there is one. */
export function exactMeasures(
  tables: Pick<ContextTables, "policy" | "logFlow">,
  logReward: ArrayLike<number>,
  channel: Float64Array | null,
): ExactMeasures {
  const H = tables.policy.length;
  const K = tables.policy[0].length;
  const { masses, logZ, logPeak } = prefixMasses(logReward, K, H);
  const target = masses[H].map((mass) => mass / masses[0][0]);
  const law = lawOf(K, H, (t, prefix) => realised(tables.policy[t], prefix, K, channel));
  const best = channel
    ? lawOf(K, H, (t, prefix) => reachable(sharesOf(masses, t, prefix, K), channel))
    : target;
  let flowError = 0;
  for (let t = 0; t < H; t++) {
    masses[t].forEach((mass, prefix) => {
      if (mass < RARE * masses[0][0]) return;
      const exact = Math.log(mass) + logPeak;
      flowError = Math.max(flowError, Math.abs(tables.logFlow[t][prefix] - exact));
    });
  }
  return {
    tv: totalVariation(target, law),
    kl: divergence(target, law),
    logZ,
    logZError: tables.logFlow[0][0] - logZ,
    flowError,
    limitTv: totalVariation(target, best),
    limitKl: divergence(target, best),
    law,
  };
}

/** All contexts in the arrays. `logReward` gives the exact rewards of a context; else the program's own are used. */
export async function exactSummary(
  reader: TableReader,
  params: Float32Array,
  inputs: Readonly<Record<string, TypedArray>>,
  channel: Float64Array | null,
  logReward?: (context: number) => ArrayLike<number>,
): Promise<ExactSummary> {
  const all: Omit<ExactMeasures, "law">[] = [];
  for await (const tables of reader.read(params, inputs)) {
    const rewards = logReward ? logReward(all.length) : tables.logReward;
    if (!rewards) throw new TypeError("flow: exact evaluation needs rewards, and the reader leaves them out");
    all.push(exactMeasures(tables, rewards, channel));
  }
  return summaryOf(all);
}

/** Means and worst cases. */
export function summaryOf(all: readonly Omit<ExactMeasures, "law">[]): ExactSummary {
  const mean = (of: (measures: Omit<ExactMeasures, "law">) => number) =>
    all.reduce((sum, measures) => sum + of(measures), 0) / all.length;
  const worst = (of: (measures: Omit<ExactMeasures, "law">) => number) =>
    all.reduce((largest, measures) => Math.max(largest, of(measures)), 0);
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

/** Flows of all prefixes over exp(logPeak), (H + 1) × [Kᵗ], and log Z. */
export function prefixMasses(logReward: ArrayLike<number>, K: number, H: number) {
  let logPeak = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logReward.length; i++) logPeak = Math.max(logPeak, logReward[i]);
  const masses: Float64Array[] = [];
  masses[H] = Float64Array.from({ length: K ** H }, (_, i) => Math.exp(logReward[i] - logPeak));
  for (let t = H - 1; t >= 0; t--) {
    masses[t] = Float64Array.from({ length: K ** t }, (_, prefix) =>
      masses[t + 1].subarray(prefix * K, (prefix + 1) * K).reduce((sum, mass) => sum + mass, 0),
    );
  }
  return { masses, logPeak, logZ: Math.log(masses[0][0]) + logPeak };
}

/** The law of whole paths from the law of the token after each prefix, [K^H]. */
export function lawOf(
  K: number,
  H: number,
  next: (t: number, prefix: number) => ArrayLike<number>,
): Float64Array {
  let law = Float64Array.of(1);
  for (let t = 0; t < H; t++) {
    const longer = new Float64Array(K ** (t + 1));
    for (let prefix = 0; prefix < law.length; prefix++) {
      if (law[prefix] === 0) continue;
      const shares = next(t, prefix);
      for (let x = 0; x < K; x++) longer[prefix * K + x] = law[prefix] * shares[x];
    }
    law = longer;
  }
  return law;
}

/** What comes next by a policy's logits through the channel, [K]. */
function realised(
  logits: Float32Array,
  prefix: number,
  K: number,
  channel: Float64Array | null,
): Float64Array {
  const row = Float64Array.from(logits.subarray(prefix * K, (prefix + 1) * K));
  const peak = row.reduce((most, logit) => Math.max(most, logit));
  const weights = row.map((logit) => Math.exp(logit - peak));
  const sum = weights.reduce((total, weight) => total + weight);
  const policy = weights.map((weight) => weight / sum);
  return channel ? through(policy, channel) : policy;
}

/** The target's law of the token after a prefix, [K]; uniform where the target never goes. */
function sharesOf(masses: readonly Float64Array[], t: number, prefix: number, K: number): Float64Array {
  const total = masses[t][prefix];
  return Float64Array.from({ length: K }, (_, x) =>
    total > 0 ? masses[t + 1][prefix * K + x] / total : 1 / K,
  );
}
