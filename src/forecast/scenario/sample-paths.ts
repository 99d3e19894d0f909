// Samples weighted paths for a request: paths of the base distribution give the usual scale of the values, the proposal is
// fine-tuned, and paths are sampled from it. The condition is checked exactly on the sampled values.

import { RandomStream, type TypedArray } from "../../engine/index.ts";
import { type Issue, throwIssues } from "../../issues.ts";
import { type CompiledConstraint, compileConstraint } from "./compiled-constraint.ts";
import { type Condition, conditionIssues, meetsCondition } from "./condition.ts";
import { type FineTuned, type FineTuningOptions, fineTune, initialProposal } from "./fine-tuning.ts";
import { importanceWeightedMean, type WeightReport, weightReport } from "./importance-weights.ts";
import { noiseIssues } from "./noise.ts";
import type { PathContext, PathDistribution } from "./path-distribution.ts";
import { type PathTarget, type ProposalOptions, proposalModel } from "./proposal.ts";
import { type WeightedPaths, weightedSampler } from "./weighted-sampler.ts";

/** Which paths to sample. */
export interface PathRequest {
  /** The base distribution. */
  readonly distribution: PathDistribution;
  readonly contexts: readonly PathContext[];
  /** Number of sampled steps, a multiple of the number of targets. */
  readonly steps: number;
  /** Exponent of the likelihood. Default: 1. */
  readonly beta?: number;
  /** Default: none. */
  readonly condition?: Condition | null;
  /** Index of the target that the condition applies to. Default: 0. */
  readonly target?: number;
  /** Number of steps after the sampled ones with observed tokens, which contexts have as `after`. Default: 0. */
  readonly stepsAfter?: number;
  /** Probability that a uniform token replaces the planned one. Default: 0, without plans. */
  readonly noise?: number;
}

/** Options of sampling paths under a constraint or a temperature. */
export interface SamplingOptions extends FineTuningOptions {
  /** Number of weighted paths per context. Default: 2000. */
  readonly proposals?: number;
  /** Number of paths per call of the sampling program. Default: 512. */
  readonly rows?: number;
  readonly network?: ProposalOptions;
}

/** Weighted paths of one context. */
export interface SampledPaths {
  readonly id: string;
  /** The values of all steps of each path, [n]. */
  readonly paths: readonly Float64Array[];
  readonly logWeights: Float64Array;
  /** The part of the log weights that comes from the observed tokens after the path; 0 if there are none. */
  readonly logLikelihoodAfter: Float64Array;
  /** Whether each path meets the condition. */
  readonly met: readonly boolean[];
  readonly report: WeightReport;
  /** The report of the same number of paths, all sampled from the base distribution. */
  readonly baseReport: WeightReport;
  /**
   * log Z according to the proposal: its learned log flow of the start. It refers to tokens and to the softened
   * condition, so it differs from `report.logZ`.
   */
  readonly learnedLogZ: number;
  readonly fineTuned: FineTuned;
  /** Absent without noise. */
  readonly realised?: RealisedPaths;
}

/** Realised paths of plans for one context. All have the same weight. */
export interface RealisedPaths {
  /** The values of all steps of each path, [n]. */
  readonly paths: readonly Float64Array[];
  /** The planned values of each path, [n]; equal to the realised value if the action was realised. */
  readonly intended: readonly Float64Array[];
  /** Share of the paths that meet the condition, and the effective sample size that weights would give them. */
  readonly report: WeightReport;
  /** KL(target ‖ realised paths), estimated with the weighted paths. */
  readonly divergence: number;
}

const DEFAULT_PROPOSALS = 2000;
/** Share of the paths that are sampled from the base distribution. */
const BASE_SHARE = 0.1;

/** Samples paths of all contexts. One proposal is fine-tuned for all of them together. */
export async function samplePaths(
  request: PathRequest,
  options: SamplingOptions = {},
): Promise<SampledPaths[]> {
  const { distribution, contexts, steps, beta = 1, condition = null } = request;
  const { target: j = 0, stepsAfter = 0, noise = 0 } = request;
  const { proposals = DEFAULT_PROPOSALS, seed = 0, engine, threads, rows, signal } = options;
  throwIssues(requestIssues(request, proposals));
  const { tokens: K, targets: M } = distribution;
  const constraint = condition && compileConstraint({ condition, tokens: K, steps, targets: M, target: j });
  const target: PathTarget = { distribution, steps, beta, constraint, stepsAfter };
  const model = proposalModel(target, options.network);
  const sampler = await weightedSampler(model, target, { engine, threads, rows, noise });
  const root = RandomStream.fromSeed(seed).split("scenarios");
  const isMet = (path: Float64Array) => !condition || meetsCondition(condition, valuesOfTarget(path, M, j));
  const isBase = beta === 1 && !condition && stepsAfter === 0 && !distribution.unnormalised;
  try {
    const initial = initialProposal(model, seed);
    const base: { report: WeightReport; arrays: Record<string, TypedArray> }[] = [];
    for (const context of contexts) {
      signal?.throwIfAborted();
      const stream = root.split("plain").split(context.id);
      const arrays = { ...context.inputs, ...(constraint && zeroInputs(constraint)) };
      const weighted = await sampler.sample(initial.params, arrays, proposals, 1, stream);
      const paths = valuesOfPaths(context, weighted, stream);
      base.push({
        report: weightReport(targetLogWeights(weighted), paths.map(isMet)),
        arrays: {
          ...context.inputs,
          ...constraint?.inputsOf(
            context,
            paths.map((path) => valuesOfTarget(path, M, j)),
          ),
        },
      });
    }
    const fineTuned = isBase
      ? initial
      : await fineTune(
          model,
          sampler,
          base.map(({ arrays }) => arrays),
          { ...options, noise },
        );
    const realise = async (i: number, weighted: WeightedPaths, met: readonly boolean[], logZ: number) => {
      const stream = root.split("realised").split(contexts[i].id);
      const planned = await sampler.samplePlanned(fineTuned.params, base[i].arrays, proposals, stream);
      const { paths, intended } = valuesOfPlans(contexts[i], planned, stream);
      return {
        paths,
        intended,
        report: weightReport(targetLogWeights(planned), paths.map(isMet)),
        divergence: importanceWeightedMean(targetLogWeights(weighted), met, planLogWeights(weighted)) - logZ,
      };
    };
    const sampled: SampledPaths[] = [];
    for (const [i, context] of contexts.entries()) {
      signal?.throwIfAborted();
      const stream = root.split("steered").split(context.id);
      const baseShare = fineTuned.iterations === 0 ? 1 : BASE_SHARE;
      const weighted = await sampler.sample(fineTuned.params, base[i].arrays, proposals, baseShare, stream);
      const paths = valuesOfPaths(context, weighted, stream);
      const met = paths.map(isMet);
      const logWeights = targetLogWeights(weighted);
      const report = weightReport(logWeights, met);
      sampled.push({
        id: context.id,
        paths,
        logWeights,
        logLikelihoodAfter: weighted.logLikelihoodAfter,
        met,
        report,
        baseReport: base[i].report,
        learnedLogZ: weighted.logFlow,
        fineTuned,
        ...(noise > 0 && { realised: await realise(i, weighted, met, report.logZ) }),
      });
    }
    return sampled;
  } finally {
    await sampler.dispose();
  }
}

/** Log weights for the target without its condition, which is checked on the values. */
function targetLogWeights({ logWeights, logLikelihoodAfter }: WeightedPaths): Float64Array {
  return logWeights.map((log, i) => log + logLikelihoodAfter[i]);
}

/** Log weights of the same paths for the case that they had been sampled from plans. */
function planLogWeights({ plans, logLikelihoodAfter }: WeightedPaths): Float64Array {
  return plans!.logWeights.map((log, i) => log + logLikelihoodAfter[i]);
}

/** The values of target j in a path with M targets. */
export function valuesOfTarget(path: Float64Array, M: number, j: number): Float64Array {
  return M === 1 ? path : path.filter((_, step) => step % M === j);
}

function valuesOfPaths(
  context: PathContext,
  { tokens }: WeightedPaths,
  stream: RandomStream,
): Float64Array[] {
  return tokens.map((path) => context.valuesOf(path, () => stream.uniform()));
}

/**
 * Realised and planned values. A planned value assumes the realised values before it, and has the same relative position in
 * its bin as the realised one.
 */
function valuesOfPlans(context: PathContext, { tokens, plans }: WeightedPaths, stream: RandomStream) {
  const uniforms = tokens.map((path) => Float64Array.from(path, () => stream.uniform()));
  const valuesOf = (i: number, path: Int32Array) => {
    let t = 0;
    return context.valuesOf(path, () => uniforms[i][t++]);
  };
  const paths = tokens.map((path, i) => valuesOf(i, path));
  const intended = tokens.map((path, i) =>
    Float64Array.from(path, (token, t) => {
      const action = plans!.actions[i][t];
      return token === action ? paths[i][t] : valuesOf(i, Int32Array.of(...path.subarray(0, t), action))[t];
    }),
  );
  return { paths, intended };
}

/** Arrays of zeros that replace the inputs of a constraint when paths are sampled from the base distribution. */
function zeroInputs({ inputs }: CompiledConstraint): Record<string, TypedArray> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [
      name,
      new Float32Array(shape.reduce((product, extent) => product * extent, 1)),
    ]),
  );
}

function requestIssues(request: PathRequest, proposals: number): Issue[] {
  const { distribution, contexts, steps, beta = 1, condition, stepsAfter = 0, noise = 0 } = request;
  const issues = noiseIssues(noise);
  if (contexts.length === 0) {
    issues.push({ path: "", code: "empty", message: "there must be at least one series, got none" });
  }
  if (!(beta > 0 && Number.isFinite(beta))) {
    issues.push({ path: "beta", code: "range", message: `must be positive and finite, got ${beta}` });
  }
  if (!Number.isInteger(proposals) || proposals < 2) {
    const message = `must be a whole number of at least 2, got ${proposals}`;
    issues.push({ path: "proposals", code: "range", message });
  }
  if (steps + stepsAfter > distribution.steps) {
    const message = `must be at most ${distribution.steps}, the number of learned steps, including steps after the path, got ${steps + stepsAfter}`;
    issues.push({ path: "steps", code: "range", message });
  }
  if (condition) issues.push(...conditionIssues(condition, steps / distribution.targets));
  return issues;
}
