// From a law and what is asked of its paths to weighted paths: a few plain draws tell what is usual, the policy is tuned,
// and paths are drawn from it, as numbers, with the condition checked on them exactly.

import { RandomStream, type TypedArray } from "../../engine/index.ts";
import { type Condition, checkSteps, holds } from "./condition.ts";
import { type DrawnPaths, pathDrawer } from "./draw.ts";
import type { LawContext, PathLaw } from "./law.ts";
import { checkNoise } from "./noise.ts";
import { type SteeringOptions, steeredModel, type Target } from "./steered.ts";
import { type Tuned, type TuningOptions, tune, untuned } from "./tune.ts";
import { type Watch, watch } from "./watch.ts";
import { type WeightReport, weightedMean, weightReport } from "./weights.ts";

/** What is asked of paths. */
export interface Asked {
  readonly law: PathLaw;
  readonly contexts: readonly LawContext[];
  /** Steps that are drawn; all steps of some times. */
  readonly steps: number;
  /** The likelihood counts to this power; 1 unless told. */
  readonly beta?: number;
  readonly condition?: Condition | null;
  /** Which target the condition is about; the first unless told. */
  readonly target?: number;
  /** Steps after the drawn ones that are known; contexts then bring `after`. */
  readonly follows?: number;
  /** Probability that any token comes instead of the intended one; 0 unless told, and then nothing is intended. */
  readonly noise?: number;
}

export interface SamplingOptions extends TuningOptions {
  /** Weighted paths that are drawn per context; 2000 unless told. */
  readonly proposals?: number;
  /** Paths of one call of the program that draws them; 512 unless told. */
  readonly rows?: number;
  readonly network?: SteeringOptions;
}

/** Weighted paths of one context. */
export interface Sampled {
  readonly id: string;
  /** Numbers of all steps, [n] each. */
  readonly paths: readonly Float64Array[];
  readonly logWeights: Float64Array;
  /** What of these is the likelihood of what follows; 0 where nothing does. */
  readonly logAfter: Float64Array;
  /** Whether each path meets the condition. */
  readonly met: readonly boolean[];
  readonly report: WeightReport;
  /** The same for as many plain draws from the law, where likelihood counts once. */
  readonly plain: WeightReport;
  /** log Z as the flow has learned it: of a condition that is a little soft, on numbers that stand for their bins. */
  readonly logFlow: number;
  readonly tuned: Tuned;
  /** Only where there is noise. */
  readonly realised?: RealisedPaths;
}

/** What comes of plans for one context, as it comes: all paths count alike. */
export interface RealisedPaths {
  /** Numbers of all steps, [n] each. */
  readonly paths: readonly Float64Array[];
  /** What was intended instead, [n] each; where it came true, the same number. */
  readonly intended: readonly Float64Array[];
  /** Share of them that meets the condition, and how many draws from the target they would be worth. */
  readonly report: WeightReport;
  /** KL(target ‖ what comes), estimated with the weighted paths. */
  readonly divergence: number;
}

const PROPOSALS = 2000;
/** Share of paths that come from the law. */
const PLAIN_SHARE = 0.1;

/** Paths of all contexts; one policy is tuned for all of them. */
export async function samplePaths(asked: Asked, options: SamplingOptions = {}): Promise<Sampled[]> {
  const { law, contexts, steps, beta = 1, condition = null, target: j = 0, follows = 0, noise = 0 } = asked;
  const { proposals = PROPOSALS, seed = 0, engine, threads, rows, signal } = options;
  checkAsked(asked, proposals);
  const { tokens: K, targets: M } = law;
  const watched = condition && watch({ condition, tokens: K, steps, targets: M, target: j });
  const target: Target = { law, steps, beta, watch: watched, follows };
  const model = steeredModel(target, options.network);
  const drawer = await pathDrawer(model, target, { engine, threads, rows, noise });
  const root = RandomStream.fromSeed(seed).split("scenarios");
  const isMet = (path: Float64Array) => !condition || holds(condition, ofTarget(path, M, j));
  const usesLaw = beta === 1 && !condition && follows === 0 && !law.improper;
  try {
    const asLaw = untuned(model, seed);
    const plain: { report: WeightReport; arrays: Record<string, TypedArray> }[] = [];
    for (const context of contexts) {
      signal?.throwIfAborted();
      const stream = root.split("plain").split(context.id);
      const blank = watched ? zerosOf(watched) : {};
      const drawn = await drawer.draw(asLaw.params, { ...context.inputs, ...blank }, proposals, 1, stream);
      const paths = numbersOf(context, drawn, stream);
      plain.push({
        report: weightReport(weightsOf(drawn), paths.map(isMet)),
        arrays: {
          ...context.inputs,
          ...watched?.arrays(
            context,
            paths.map((path) => ofTarget(path, M, j)),
          ),
        },
      });
    }
    const tuned = usesLaw
      ? asLaw
      : await tune(
          model,
          drawer,
          plain.map(({ arrays }) => arrays),
          { ...options, noise },
        );
    const realised = async (i: number, weighted: DrawnPaths, met: readonly boolean[], logZ: number) => {
      const stream = root.split("realised").split(contexts[i].id);
      const drawn = await drawer.realise(tuned.params, plain[i].arrays, proposals, stream);
      const { paths, intended } = plannedNumbers(contexts[i], drawn, stream);
      return {
        paths,
        intended,
        report: weightReport(weightsOf(drawn), paths.map(isMet)),
        divergence: weightedMean(weightsOf(weighted), met, planWeightsOf(weighted)) - logZ,
      };
    };
    const sampled: Sampled[] = [];
    for (const [i, context] of contexts.entries()) {
      signal?.throwIfAborted();
      const stream = root.split("steered").split(context.id);
      const share = tuned.iterations === 0 ? 1 : PLAIN_SHARE;
      const drawn = await drawer.draw(tuned.params, plain[i].arrays, proposals, share, stream);
      const paths = numbersOf(context, drawn, stream);
      const met = paths.map(isMet);
      const logWeights = weightsOf(drawn);
      const report = weightReport(logWeights, met);
      sampled.push({
        id: context.id,
        paths,
        logWeights,
        logAfter: drawn.logAfter,
        met,
        report,
        plain: plain[i].report,
        logFlow: drawn.logFlow,
        tuned,
        ...(noise > 0 && { realised: await realised(i, drawn, met, report.logZ) }),
      });
    }
    return sampled;
  } finally {
    await drawer.dispose();
  }
}

/** Of the target but for its condition, which is checked on numbers. */
function weightsOf({ logWeights, logAfter }: DrawnPaths): Float64Array {
  return logWeights.map((log, i) => log + logAfter[i]);
}

/** The same, were the paths to come of plans. */
function planWeightsOf({ plans, logAfter }: DrawnPaths): Float64Array {
  return plans!.logWeights.map((log, i) => log + logAfter[i]);
}

/** Every M-th number of a path, from the j-th on. */
export function ofTarget(path: Float64Array, M: number, j: number): Float64Array {
  return M === 1 ? path : path.filter((_, step) => step % M === j);
}

function numbersOf(context: LawContext, { tokens }: DrawnPaths, stream: RandomStream): Float64Array[] {
  return tokens.map((path) => context.numbers(path, () => stream.uniform()));
}

/** What came of plans and what was intended, after what had come; a number lies in its bin where the other does. */
function plannedNumbers(context: LawContext, { tokens, plans }: DrawnPaths, stream: RandomStream) {
  const uniforms = tokens.map((path) => Float64Array.from(path, () => stream.uniform()));
  const numbers = (i: number, path: Int32Array) => {
    let t = 0;
    return context.numbers(path, () => uniforms[i][t++]);
  };
  const paths = tokens.map((path, i) => numbers(i, path));
  const intended = tokens.map((path, i) =>
    Float64Array.from(path, (token, t) => {
      const wanted = plans!.intended[i][t];
      return token === wanted ? paths[i][t] : numbers(i, Int32Array.of(...path.subarray(0, t), wanted))[t];
    }),
  );
  return { paths, intended };
}

function zerosOf({ inputs }: Watch): Record<string, TypedArray> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [
      name,
      new Float32Array(shape.reduce((product, extent) => product * extent, 1)),
    ]),
  );
}

function checkAsked(
  { law, contexts, steps, beta = 1, condition, follows = 0, noise = 0 }: Asked,
  proposals: number,
): void {
  checkNoise(noise);
  if (contexts.length === 0) throw new RangeError("scenario: there must be at least one series, got none");
  if (!(beta > 0 && Number.isFinite(beta))) {
    throw new RangeError(`scenario: beta must be positive and finite, got ${beta}`);
  }
  if (!Number.isInteger(proposals) || proposals < 2) {
    throw new RangeError(`scenario: proposals must be a whole number of at least 2, got ${proposals}`);
  }
  if (steps + follows > law.steps) {
    throw new RangeError(
      `scenario: at most ${law.steps} steps were learned, got ${steps + follows} that are drawn or follow`,
    );
  }
  if (condition) checkSteps(condition, steps / law.targets);
}
