// Fine-tunes a proposal for some contexts, in stages that lead from the base distribution to the target.
//
// Each stage samples paths from the current proposal and raises the tempering: the exponent on all factors of the
// target besides the likelihood. It takes the largest tempering at which the importance weights keep a sufficient
// effective sample size. The proposal is then trained by sub-trajectory balance on its own paths and on resampled
// weighted paths, whose log-likelihood is part of the loss, too. A rare event is therefore reached through a series of
// more frequent events.

import { type EngineName, RandomStream, type TypedArray } from "../../engine/index.ts";
import { bisect } from "../../math/bisection.ts";
import { effectiveSampleSize } from "../../math/effective-sample-size.ts";
import type { FlowModel } from "../flow/flow-model.ts";
import { flowTrainerOf } from "../flow/trainer.ts";
import { resample } from "./importance-weights.ts";
import { TEMPERING } from "./proposal.ts";
import type { WeightedPaths, WeightedSampler } from "./weighted-sampler.ts";

export interface FineTuningOptions {
  /** Training time in seconds. Default: 20. With 0 the proposal stays the base distribution. */
  readonly seconds?: number;
  /** Number of iterations, instead of a time: the same seed then gives the same proposal. */
  readonly iterations?: number;
  /** Default: 0. */
  readonly seed?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/** A proposal after fine-tuning. */
export interface FineTuned {
  readonly params: Float32Array;
  readonly iterations: number;
  readonly seconds: number;
  /** The tempering that was reached; 1 is the target. */
  readonly tempering: number;
  /** Mean loss of the last stage; NaN without training. */
  readonly loss: number;
}

const DEFAULT_SECONDS = 20;
/** Paths per iteration, and the share of them that follow weighted paths. */
const [PATHS, OFF_POLICY_SHARE] = [64, 0.5];
/** Largest number of contexts in one stage. */
const MAX_CONTEXTS = 8;
const LEARNING_RATE = { from: 5e-3, to: 5e-5, shape: "cosine" } as const;
/** Weight of the negative log-likelihood of the weighted paths. */
const LIKELIHOOD_WEIGHT = { from: 0.1, to: 0 };
/** Stages of a run, paths sampled for each stage, and their smallest effective sample size as a share of these paths. */
const [STAGES, STAGE_PATHS, MIN_EFFECTIVE_SHARE] = [16, 1024, 0.2];
/** Share of the paths of a stage that are sampled from the base distribution. */
const BASE_SHARE = 0.1;

/**
 * `contexts` has the arrays of each context by name, without the tempering. `noise` is the probability of a uniform token
 * in training paths, so that they deviate from the policy as often as the realised paths will.
 */
export async function fineTune(
  model: FlowModel,
  sampler: WeightedSampler,
  contexts: readonly Readonly<Record<string, TypedArray>>[],
  options: FineTuningOptions & { readonly noise?: number } = {},
): Promise<FineTuned> {
  const { seconds = DEFAULT_SECONDS, iterations, noise = 0, seed = 0, engine, threads, signal } = options;
  const root = RandomStream.fromSeed(seed).split("tuning");
  if (iterations === 0 || (iterations === undefined && seconds === 0)) return initialProposal(model, seed);
  const { horizon: n } = model.problem;
  const trainer = await flowTrainerOf(model, {
    objective: { balance: "subtb", forwardLooking: true, loss: "huber", lambda: 0.9 },
    contexts: PATHS,
    batchComposition: { offPolicyShare: OFF_POLICY_SHARE, epsilon: noise },
    likelihoodWeight: LIKELIHOOD_WEIGHT,
    learningRate: LEARNING_RATE,
    clip: 10,
    seed,
    engine,
    threads,
  });
  try {
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const progress = () => (iterations ? done / iterations : elapsed() / seconds);
    const stream = root.split("stages");
    let [done, stage, tempering, loss] = [0, 0, 0, Number.NaN];
    while (progress() < 1) {
      const params = stage === 0 ? initialProposal(model, seed).params : await trainer.parameters();
      const chosen = chooseContexts(contexts.length, stream);
      const pools: WeightedPaths[] = [];
      for (const context of chosen) {
        const count = Math.round(STAGE_PATHS / chosen.length);
        const baseShare = stage === 0 ? 1 : BASE_SHARE;
        pools.push(await sampler.sample(params, contexts[context], count, baseShare, stream));
      }
      tempering = Math.max(
        tempering,
        pools.reduce((least, pool) => Math.min(least, largestTempering(pool)), 1),
      );
      // Every row has a context of its own in the program, so that each row follows a different weighted path.
      const rows = Array.from({ length: PATHS }, (_, row) => row % chosen.length);
      const inputs = {
        ...packContexts(rows.map((row) => contexts[chosen[row]])),
        ...(TEMPERING in model.problem.inputs && { [TEMPERING]: new Float32Array(PATHS).fill(tempering) }),
      };
      let [lossSum, count] = [0, 0];
      const end = (stage + 1) / STAGES;
      do {
        signal?.throwIfAborted();
        const samples = pools.map((pool) =>
          resample(temperedLogWeights(pool, tempering), null, Math.ceil(PATHS / chosen.length), stream),
        );
        const offPolicyPaths = new Int32Array(PATHS * n);
        rows.forEach((context, row) => {
          const sample = samples[context][Math.floor(row / chosen.length)];
          offPolicyPaths.set(pools[context].tokens[sample], row * n);
        });
        lossSum += (await trainer.step({ inputs, offPolicyPaths }, progress())).loss;
        count++;
        done++;
      } while (progress() < end);
      loss = lossSum / count;
      stage++;
    }
    const params = await trainer.parameters();
    return { params, iterations: done, seconds: elapsed(), tempering, loss };
  } finally {
    await trainer.dispose();
  }
}

/** The proposal before training, which equals the tempered base distribution. */
export function initialProposal(model: FlowModel, seed = 0): FineTuned {
  const params = model.layout.init(RandomStream.fromSeed(seed).split("init"));
  return { params, iterations: 0, seconds: 0, tempering: 0, loss: Number.NaN };
}

/** The largest tempering up to 1 with a sufficient effective sample size, by bisection. */
function largestTempering(pool: WeightedPaths): number {
  const isSufficient = (tempering: number) =>
    effectiveSampleSize(temperedLogWeights(pool, tempering)) / pool.tokens.length >= MIN_EFFECTIVE_SHARE;
  return isSufficient(1) ? 1 : bisect(0, 1, isSufficient, 30)[0];
}

/** Log weights of paths for the target with this tempering. */
function temperedLogWeights(
  { logWeights, logLikelihoodAfter, logConstraint }: WeightedPaths,
  tempering: number,
): Float64Array {
  return logWeights.map((log, i) => log + tempering * (logLikelihoodAfter[i] + logConstraint[i]));
}

/** Indices of all contexts, or of a random subset if there are many. */
function chooseContexts(count: number, stream: RandomStream): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  for (let i = 0; count > MAX_CONTEXTS && i < MAX_CONTEXTS; i++) {
    const other = i + stream.integer(count - i);
    [all[i], all[other]] = [all[other], all[i]];
  }
  return all.slice(0, MAX_CONTEXTS);
}

/** Concatenates the arrays of contexts by name. */
function packContexts(contexts: readonly Readonly<Record<string, TypedArray>>[]): Record<string, TypedArray> {
  const names = Object.keys(contexts[0]);
  return Object.fromEntries(
    names.map((name) => {
      const size = contexts[0][name].length;
      const all = new Float32Array(size * contexts.length);
      contexts.forEach((context, i) => {
        all.set(context[name], i * size);
      });
      return [name, all];
    }),
  );
}
