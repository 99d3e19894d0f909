// Trains the network of one case and evaluates it exactly.

import { type EngineName, RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { type ExactMetrics, exactMetrics, summariseMetrics } from "../flow/exact.ts";
import { prefixTabulator } from "../flow/prefix-tables.ts";
import { flowTrainer } from "../flow/trainer.ts";
import { blindFloor } from "./blind-floor.ts";
import { packContexts } from "./contexts.ts";
import { excessCrps } from "./excess-crps.ts";
import { repeat, type SuiteCase } from "./suite-case.ts";

/** The result of one case of the exact suite. */
export interface CaseResult {
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  /** Number of evaluated contexts. */
  readonly contexts: number;
  /** Mean and largest total variation over contexts. */
  readonly tv: number;
  readonly worstTv: number;
  /** Smallest possible mean total variation: of the best policy, or of any network that lacks the input. */
  readonly limit: number;
  readonly kl: number;
  /** Mean and largest |log F(start) − log Z| over contexts. */
  readonly logZError: number;
  readonly worstLogZError: number;
  /** Largest error of log F over the states that are not rare. */
  readonly flowError: number;
  /** KL(C ‖ Ĉ), mean over actions; only if the channel is learned. */
  readonly channelKl?: number;
  /**
   * CRPS of the marginals minus CRPS of the exact marginals, mean over contexts and steps; only if tokens are bins of
   * numbers.
   */
  readonly excessCrps?: number;
  /**
   * Mean total variation from the true distribution; only in the negative control, whose reward is not the likelihood.
   */
  readonly truthTv?: number;
  readonly passed: boolean;
  readonly seconds: number;
}

export interface RunCaseOptions {
  readonly seed?: number;
  /** Factor on the number of iterations. Default: 1. */
  readonly effort?: number;
  /** Largest accepted difference between the mean total variation and its limit. Default: 0.02. */
  readonly bound?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

const DEFAULT_BOUND = 0.02;
/** Largest mean |log F(start) − log Z| that passes. */
const LOG_Z_BOUND = 0.05;
/** Largest KL(C ‖ Ĉ) that passes. */
const CHANNEL_BOUND = 0.01;
/** Smallest total variation from the true distribution that the negative control must show. */
const MIN_TRUTH_TV = 0.3;

export async function runCase(one: SuiteCase, options: RunCaseOptions = {}): Promise<CaseResult> {
  const { seed = 0, effort = 1, bound = DEFAULT_BOUND, engine, threads } = options;
  const started = performance.now();
  const { iterations: fullIterations, ...settings } = one.settings;
  const iterations = Math.max(1, Math.round(fullIterations * effort));
  const { evaluationContexts: contexts } = one;
  const { tokens: K, channel } = one.problem;
  const trainer = await flowTrainer(one.problem, { ...settings, seed, engine, threads });
  const { forwardLooking } = trainer.objective;
  const tabulator = await prefixTabulator(trainer.model, { forwardLooking, rewards: false, engine, threads });
  try {
    const stream = RandomStream.fromSeed(seed).split(`contexts of ${one.id}`);
    for (let i = 0; i < iterations; i++) {
      const batch = repeat(settings.contexts, () => one.sampleContext(stream));
      await trainer.step({ inputs: packContexts(K, batch) }, i / iterations);
    }
    const params = await trainer.parameters();
    const all: Omit<ExactMetrics, "distribution">[] = [];
    let truthTv = 0;
    let crps = 0;
    for await (const tables of tabulator.tabulate(params, packContexts(K, contexts))) {
      const context = contexts[all.length];
      const logRewards = one.logRewards(context);
      const { distribution, ...metrics } = exactMetrics(tables, logRewards, channel?.matrix ?? null);
      if (one.trueDistribution)
        truthTv += totalVariation(one.trueDistribution(context), distribution) / contexts.length;
      if (one.binWidth) {
        const exact = logRewards.map((log) => Math.exp(log - metrics.logZ));
        crps += excessCrps(distribution, exact, K, one.binWidth) / contexts.length;
      }
      all.push(metrics);
    }
    const { tv, worstTv, kl, limitTv, logZError, worstLogZError, flowError } = summariseMetrics(all);
    const limit = one.blindKey ? blindFloor(contexts, one.blindKey, one.logRewards) : limitTv;
    const model = channel?.learned ? await tabulator.channel(params) : null;
    const channelKl = model ? meanKl(channel!.matrix, model, K) : 0;
    const passed = one.blindKey
      ? // A network that lacks the input cannot be below the floor. If it is, the input is available to it by mistake.
        limit > 2 * bound && tv >= limit - 1e-6
      : tv <= limit + bound &&
        (limit > bound || logZError <= LOG_Z_BOUND * (bound / DEFAULT_BOUND)) &&
        flowError <= (one.flowBound ?? Number.POSITIVE_INFINITY) * (bound / DEFAULT_BOUND) &&
        channelKl <= CHANNEL_BOUND &&
        (!one.trueDistribution || truthTv >= MIN_TRUTH_TV);
    return {
      id: one.id,
      name: one.name,
      purpose: one.purpose,
      contexts: contexts.length,
      tv,
      worstTv,
      limit,
      kl,
      logZError,
      worstLogZError,
      flowError,
      ...(model && { channelKl }),
      ...(one.binWidth && { excessCrps: crps }),
      ...(one.trueDistribution && { truthTv }),
      passed,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await Promise.all([trainer.dispose(), tabulator.dispose()]);
  }
}

/** KL(C ‖ Ĉ), mean over actions. */
function meanKl(matrix: Float64Array, model: Float64Array, K: number): number {
  return matrix.reduce(
    (sum, share, i) => (share > 0 ? sum + (share * Math.log(share / model[i])) / K : sum),
    0,
  );
}
