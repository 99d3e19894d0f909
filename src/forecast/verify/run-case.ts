// Trains the network of one case and judges it exactly.

import { type EngineName, RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { type ExactMeasures, exactMeasures, summaryOf } from "../flow/exact.ts";
import { tableReader } from "../flow/tables.ts";
import { createFlowTrainer } from "../flow/trainer.ts";
import { blindFloor } from "./blind-floor.ts";
import { packContexts } from "./contexts.ts";
import { excessCrps } from "./excess-crps.ts";
import { repeat, type SuiteCase } from "./suite-case.ts";

export interface VerifyRow {
  readonly id: string;
  readonly name: string;
  readonly what: string;
  /** Contexts judged by, and total variation over them: its mean and the worst. */
  readonly contexts: number;
  readonly tv: number;
  readonly worstTv: number;
  /** Mean of the least total variation that is known to be possible: of the nearest policy, or of what cannot be seen. */
  readonly limit: number;
  readonly kl: number;
  /** |log F(start) − log Z|: its mean and the worst; and the largest error of log F in states that are not rare. */
  readonly logZError: number;
  readonly worstLogZError: number;
  readonly flowError: number;
  /** KL(C ‖ Ĉ), mean over intentions, where the channel is learned. */
  readonly channelKl?: number;
  /** CRPS of the marginals less that of the exact ones, mean over contexts and steps, where tokens are bins of numbers. */
  readonly excessCrps?: number;
  /** Mean total variation to the law that the reward fails to be, where the case is to show that. */
  readonly truthTv?: number;
  readonly passed: boolean;
  readonly seconds: number;
}

export interface RunCaseOptions {
  readonly seed?: number;
  /** Share of the iterations. */
  readonly effort?: number;
  /** How far above its limit a mean total variation may be. */
  readonly bound?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** How far above its limit a mean total variation may be, unless told. */
const BOUND = 0.02;
/** Mean |log F(start) − log Z| that passes. */
const LOG_Z_BOUND = 0.05;
/** KL(C ‖ Ĉ) that passes. */
const CHANNEL_BOUND = 0.01;
/** A negative control must miss the truth by this much at least. */
const WRONG = 0.3;

export async function runCase(one: SuiteCase, options: RunCaseOptions = {}): Promise<VerifyRow> {
  const { seed = 0, effort = 1, bound = BOUND, engine, threads } = options;
  const started = performance.now();
  const { iterations: most, ...settings } = one.settings;
  const iterations = Math.max(1, Math.round(most * effort));
  const { heldOut: contexts } = one;
  const { tokens: K, channel } = one.problem;
  const trainer = await createFlowTrainer(one.problem, { ...settings, seed, engine, threads });
  const { forwardLooking } = trainer.objective;
  const reader = await tableReader(trainer.model, { forwardLooking, rewards: false, engine, threads });
  try {
    const stream = RandomStream.fromSeed(seed).split(`contexts of ${one.id}`);
    for (let i = 0; i < iterations; i++) {
      const drawn = repeat(settings.contexts, () => one.draw(stream));
      await trainer.step({ inputs: packContexts(K, drawn) }, i / iterations);
    }
    const params = await trainer.parameters();
    const all: Omit<ExactMeasures, "law">[] = [];
    let truthTv = 0;
    let crps = 0;
    for await (const tables of reader.read(params, packContexts(K, contexts))) {
      const context = contexts[all.length];
      const logRewards = one.logRewards(context);
      const { law, ...measures } = exactMeasures(tables, logRewards, channel?.matrix ?? null);
      if (one.truth) truthTv += totalVariation(one.truth(context), law) / contexts.length;
      if (one.binWidth) {
        const exact = logRewards.map((log) => Math.exp(log - measures.logZ));
        crps += excessCrps(law, exact, K, one.binWidth) / contexts.length;
      }
      all.push(measures);
    }
    const { tv, worstTv, kl, limitTv, logZError, worstLogZError, flowError } = summaryOf(all);
    const limit = one.blindKey ? blindFloor(contexts, one.blindKey, one.logRewards) : limitTv;
    const model = channel?.learned ? await reader.channel(params) : null;
    const channelKl = model ? meanKl(channel!.matrix, model, K) : 0;
    const passed = one.blindKey
      ? // No network that is blind to this can be nearer; one that is has seen what it should not.
        limit > 2 * bound && tv >= limit - 1e-6
      : tv <= limit + bound &&
        (limit > bound || logZError <= LOG_Z_BOUND * (bound / BOUND)) &&
        flowError <= (one.flowBound ?? Number.POSITIVE_INFINITY) * (bound / BOUND) &&
        channelKl <= CHANNEL_BOUND &&
        (!one.truth || truthTv >= WRONG);
    return {
      id: one.id,
      name: one.name,
      what: one.what,
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
      ...(one.truth && { truthTv }),
      passed,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await Promise.all([trainer.dispose(), reader.dispose()]);
  }
}

function meanKl(matrix: Float64Array, model: Float64Array, K: number): number {
  return matrix.reduce(
    (sum, share, i) => (share > 0 ? sum + (share * Math.log(share / model[i])) / K : sum),
    0,
  );
}
