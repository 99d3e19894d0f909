// Fills spans of missing values segment by segment, from left to right, as a particle filter whose steps are segments.
//
// For each segment, many paths are sampled given all observations in the segment and within the horizon after it. Each
// partial path is extended by its own segment, and partial paths are resampled by the likelihood of the observations
// after them. In this way the observations after the last segment also influence the first one.

import { RandomStream } from "../../engine/index.ts";
import { resample, weightReport } from "./importance-weights.ts";
import { partiallyObserved } from "./partially-observed.ts";
import type { PathContext, PathDistribution } from "./path-distribution.ts";
import { type SampledPaths, type SamplingOptions, samplePaths } from "./sample-paths.ts";
import { type ScenarioReport, scenarioReport } from "./scenario.ts";

/** The length of a segment, and which of its steps and of the steps after it are observed. */
export interface SegmentObservations {
  readonly steps: number;
  /** Number of steps after the segment with observed tokens, which contexts have as `after`; 0 if there are none. */
  readonly stepsAfter: number;
  /** Whether some steps inside the segment are observed. Contexts are then made by `partiallyObservedContext`. */
  readonly observedInside: boolean;
}

/** A particle: the values sampled so far for a gap. */
export interface PartialPath {
  /** Index of the gap. */
  readonly gap: number;
  /** Empty before the first segment. */
  readonly values: Float64Array;
  /**
   * Log-likelihood of the observations after the path, which is part of its weight. It is subtracted when the next
   * segment includes the same observations.
   */
  readonly logLikelihoodAfter: number;
}

/**
 * A context of a segment. Partial paths lead to different locations and scales, so the likelihoods of bins are
 * comparable only after the log densities of the observed values within their bins are added.
 */
export interface SegmentContext extends PathContext {
  /** Sum of the log densities of the observed values in the segment. */
  readonly logDensityInside: number;
  /** Sum of the log densities of the observed values after the segment. */
  readonly logDensityAfter: number;
}

export interface InfillRequest {
  readonly distribution: PathDistribution;
  /** Names of the gaps. All of them have the same segments, so that they share proposals. */
  readonly gaps: readonly string[];
  readonly segments: readonly SegmentObservations[];
  /** The contexts of a segment, one per partial path. */
  contexts(segment: number, paths: readonly PartialPath[]): Promise<readonly SegmentContext[]>;
}

export interface SegmentInfillOptions extends SamplingOptions {
  /** Number of paths per gap in the result. */
  readonly samples: number;
  /** Number of partial paths per gap between two segments. Default: 128. */
  readonly particles?: number;
}

export interface InfilledPaths {
  readonly id: string;
  /** The values of all steps of all segments. All paths have the same weight. */
  readonly paths: readonly Float64Array[];
  readonly report: ScenarioReport;
}

const DEFAULT_PARTICLES = 128;
/** Weighted paths per particle in all segments after the first. */
const PROPOSALS_PER_PARTICLE = 64;

/** One proposal is fine-tuned for each segment that has observations. */
export async function infillSegments(
  { distribution, gaps, segments, contexts }: InfillRequest,
  options: SegmentInfillOptions,
): Promise<InfilledPaths[]> {
  const { samples, particles = DEFAULT_PARTICLES, seed = 0 } = options;
  const root = RandomStream.fromSeed(seed).split("infill");
  const reports = gaps.map((): ScenarioReport[] => []);
  let paths: readonly PartialPath[] = gaps.map((_, gap) => ({
    gap,
    values: new Float64Array(0),
    logLikelihoodAfter: 0,
  }));
  for (const [k, { steps, stepsAfter, observedInside }] of segments.entries()) {
    const segmentContexts = await contexts(k, paths);
    const named = segmentContexts.map((context, i) => {
      const id = gaps[paths[i].gap];
      return { ...context, id: k === 0 ? id : `${id}, segment ${k + 1}, path ${i + 1}` };
    });
    // Without observations all paths of the base distribution have the same weight, so few are needed.
    const proposals = observedInside || stepsAfter > 0 ? PROPOSALS_PER_PARTICLE : 2;
    const sampled = await samplePaths(
      {
        distribution: observedInside ? partiallyObserved(distribution, steps) : distribution,
        contexts: named,
        steps,
        stepsAfter,
      },
      { ...options, ...(k > 0 && { proposals, rows: proposals }) },
    );
    const count = k === segments.length - 1 ? samples : particles;
    paths = gaps.flatMap((id, gap) => {
      const ofGap = paths.flatMap((path, i) =>
        path.gap === gap ? [{ path, segment: sampled[i], context: segmentContexts[i] }] : [],
      );
      reports[gap].push(segmentReport(ofGap, segments.length === 1));
      const stream = k === 0 ? root.split(id) : root.split(id).split(`segment ${k + 1}`);
      return extendPaths(ofGap, count, stream);
    });
  }
  return gaps.map((id, gap) => ({
    id,
    paths: paths.filter((path) => path.gap === gap).map(({ values }) => values),
    report: spanReport(id, reports[gap]),
  }));
}

/** A partial path and the weighted segments that may continue it. */
interface Continuation {
  readonly path: PartialPath;
  readonly segment: SampledPaths;
  readonly context: SegmentContext;
}

/** `count` longer paths: partial paths resampled by their weight, each with a segment resampled from its continuations. */
function extendPaths(
  continuations: readonly Continuation[],
  count: number,
  stream: RandomStream,
): PartialPath[] {
  const copies = new Int32Array(continuations.length);
  if (continuations.length === 1) copies[0] = count;
  else for (const i of resample(particleLogWeights(continuations), null, count, stream)) copies[i]++;
  return continuations.flatMap(({ path, context, segment }, i) => {
    if (copies[i] === 0) return [];
    const { logWeights, logLikelihoodAfter, met, paths } = segment;
    return resample(logWeights, met, copies[i], stream).map((sample) => ({
      gap: path.gap,
      values: Float64Array.from([...path.values, ...paths[sample]]),
      logLikelihoodAfter: logLikelihoodAfter[sample] + context.logDensityAfter,
    }));
  });
}

/** Log-likelihood of all observations given each partial path, minus the part that the path was already sampled for. */
function particleLogWeights(continuations: readonly Continuation[]): Float64Array {
  return Float64Array.from(
    continuations,
    ({ path, segment, context: { logDensityInside, logDensityAfter } }) =>
      segment.report.logZ + logDensityInside + logDensityAfter - path.logLikelihoodAfter,
  );
}

/**
 * The report of one segment. For later segments, it describes the weights of the particles. If there is only one
 * segment, Z is computed from bin probabilities, as in other scenarios; otherwise from densities.
 */
function segmentReport(continuations: readonly Continuation[], isOnly: boolean): ScenarioReport {
  const [{ segment: first }] = continuations;
  if (isOnly) return scenarioReport(first);
  const logWeights = particleLogWeights(continuations);
  if (continuations.length === 1) return { ...scenarioReport(first), logZ: logWeights[0] };
  const report = weightReport(
    logWeights,
    continuations.map(() => true),
  );
  const { iterations, seconds } = first.fineTuned;
  return { id: first.id, ...report, learnedLogZ: Number.NaN, iterations, seconds };
}

/** The report of all segments: Z is a product, and the effective sample size is that of the worst segment. */
function spanReport(id: string, reports: readonly ScenarioReport[]): ScenarioReport {
  if (reports.length === 1) return { ...reports[0], id };
  const sum = (of: (report: ScenarioReport) => number) => reports.reduce((total, one) => total + of(one), 0);
  const worst = reports.reduce((least, one) =>
    one.effectiveSampleSize < least.effectiveSampleSize ? one : least,
  );
  return {
    id,
    drawn: worst.drawn,
    acceptance: 1,
    effectiveSampleSize: worst.effectiveSampleSize,
    logZ: sum(({ logZ }) => logZ),
    relativeError: Math.sqrt(sum(({ relativeError }) => relativeError ** 2)),
    learnedLogZ: Number.NaN,
    iterations: sum(({ iterations }) => iterations),
    seconds: sum(({ seconds }) => seconds),
  };
}
