// Samples weighted paths of a context from the proposal. Importance weights correct for the difference between the
// proposal and the target.
//
// A share of the paths is sampled from the base distribution. A weight is therefore at most 1 / share times the weight
// without a proposal, and every part of the target is covered, even if fine-tuning failed.

import { compile, type EngineName, type RandomStream, type TypedArray } from "../../engine/index.ts";
import { contextInputs } from "../flow/context-arrays.ts";
import type { FlowModel } from "../flow/flow-model.ts";
import type { PathTarget } from "./proposal.ts";
import { BASE, PLAN, PROPOSAL, weightedSamplerProgram } from "./weighted-sampler-program.ts";

/** Weighted paths of one context. */
export interface WeightedPaths {
  /** The tokens of each path, [n]. */
  readonly tokens: readonly Int32Array[];
  /** β log p of the path minus the log-probability of sampling it. */
  readonly logWeights: Float64Array;
  /** β log p of the observed tokens after the path; 0 if there are none. */
  readonly logLikelihoodAfter: Float64Array;
  /** Log-probability that the tokens meet the constraint, with a soft bound; 0 without a constraint. */
  readonly logConstraint: Float64Array;
  /** The learned log F of the start. */
  readonly logFlow: number;
  /** Absent without noise. */
  readonly plans?: {
    /**
     * β log p of the path minus its log-probability under the plan, regardless of the distribution that the path was
     * sampled from.
     */
    readonly logWeights: Float64Array;
    /** The planned tokens of each path, [n]. For paths that were not sampled from a plan: a plan for the same states. */
    readonly actions: readonly Int32Array[];
  };
}

/** The arrays of one context by name. */
type ContextArrays = Readonly<Record<string, TypedArray>>;

export interface WeightedSampler {
  /** Samples `baseShare` of the paths from the base distribution and the others from the proposal. */
  sample(
    params: Float32Array,
    context: ContextArrays,
    count: number,
    baseShare: number,
    stream: RandomStream,
  ): Promise<WeightedPaths>;
  /**
   * Samples all paths through the noise channel: actions from the policy whose outcomes are nearest to the proposal,
   * then outcomes of the noise.
   */
  samplePlanned(
    params: Float32Array,
    context: ContextArrays,
    count: number,
    stream: RandomStream,
  ): Promise<WeightedPaths>;
  dispose(): Promise<void>;
}

const DEFAULT_ROWS = 512;

export interface WeightedSamplerOptions {
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Probability that a uniform token replaces the planned one. Default: 0. */
  readonly noise?: number;
  /** R: number of paths per call of the program. Default: 512. */
  readonly rows?: number;
}

export async function weightedSampler(
  model: FlowModel,
  target: PathTarget,
  { engine, threads, noise = 0, rows: R = DEFAULT_ROWS }: WeightedSamplerOptions = {},
): Promise<WeightedSampler> {
  const { steps: n } = target;
  const { run, example, names } = weightedSamplerProgram(model, target, noise, R);
  const program = await compile(run, example, { name: "scenarios", engine, threads });
  const [uniforms, noiseUniforms] = [0, 0].map(() => new Float32Array(n * R));

  type Outputs = Readonly<Record<string, TypedArray>>;
  /** `sourceOf` gives the source of a path, `logProbability` its log-probability from the outputs for its row. */
  async function samplePaths(
    [params, context, count, stream]: readonly [Float32Array, ContextArrays, number, RandomStream],
    sourceOf: (path: number) => number,
    logProbability: (outputs: Outputs, row: number) => number,
  ): Promise<WeightedPaths> {
    const [tokens, actions]: Int32Array[][] = [[], []];
    const [logWeights, logLikelihoodAfter, logConstraint, planLogWeights] = [0, 0, 0, 0].map(
      () => new Float64Array(count),
    );
    let logFlow = 0;
    for (let start = 0; start < count; start += R) {
      const outputs: Outputs = await program.run({
        params,
        source: Float32Array.from({ length: R }, (_, row) => sourceOf(start + row)),
        uniforms: stream.fillUniform(uniforms),
        ...(noise > 0 && { noiseUniforms: stream.fillUniform(noiseUniforms) }),
        ...contextInputs(names, context),
      });
      logFlow = outputs.logFlow[0];
      const rowOf = (all: TypedArray, row: number) => (all as Int32Array).slice(row * n, (row + 1) * n);
      for (let row = 0; row < Math.min(R, count - start); row++) {
        tokens.push(rowOf(outputs.tokens, row));
        logWeights[start + row] = outputs.logLikelihood[row] - logProbability(outputs, row);
        logLikelihoodAfter[start + row] = outputs.logLikelihoodAfter[row];
        logConstraint[start + row] = outputs.logConstraint[row];
        if (noise === 0) continue;
        actions.push(rowOf(outputs.actions, row));
        planLogWeights[start + row] = outputs.logLikelihood[row] - outputs.logPlan[row];
      }
    }
    const plans = noise > 0 ? { logWeights: planLogWeights, actions } : undefined;
    return { tokens, logWeights, logLikelihoodAfter, logConstraint, logFlow, plans };
  }

  return {
    sample(params, context, count, baseShare, stream) {
      const baseCount = Math.round(baseShare * count);
      // The actual shares of the two sources: a source without paths is not part of the mixture.
      const [logBaseShare, logProposalShare] = [Math.log(baseCount / count), Math.log(1 - baseCount / count)];
      return samplePaths(
        [params, context, count, stream],
        (path) => (path < baseCount ? BASE : PROPOSAL),
        ({ logBase, logProposal }, row) =>
          logAddExp(logBaseShare + logBase[row], logProposalShare + logProposal[row]),
      );
    },
    samplePlanned(params, context, count, stream) {
      if (noise === 0) throw new TypeError("scenario: internal: plans need noise above 0");
      return samplePaths(
        [params, context, count, stream],
        () => PLAN,
        ({ logPlan }, row) => logPlan[row],
      );
    },
    dispose: () => program.dispose(),
  };
}

/** log(eᵃ + eᵇ), where one of them may be −∞. */
function logAddExp(a: number, b: number): number {
  const largest = Math.max(a, b);
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  return largest + Math.log(Math.exp(a - largest) + Math.exp(b - largest));
}
