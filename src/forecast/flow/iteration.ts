// One training iteration of a GFlowNet over token paths as an array function: rollout, rewards, loss, gradients,
// clipping and Adam.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../../engine/index.ts";
import { adam, optimiserStep } from "../../nn/index.ts";
import { contextArrays, contextSpecs, repeatContexts, repeatRows } from "./context-arrays.ts";
import type { FlowModel } from "./flow-model.ts";
import { channelLoss, type FlowObjective, flowLoss, maskedMean } from "./objective.ts";
import type { EncodedContext, NamedArrays } from "./problem.ts";
import { rolloutPaths, uniformsPerStep } from "./rollout.ts";

export interface FlowIterationOptions {
  readonly objective: FlowObjective;
  /** Contexts per batch, C, and paths per context. A batch has B = contexts · paths rows. */
  readonly contexts: number;
  readonly paths: number;
  /** Whether some rows follow off-policy paths. */
  readonly hasOffPolicy: boolean;
  /** Whether the loss includes the negative log-likelihood of the off-policy paths. */
  readonly hasLikelihood: boolean;
  /** Global norm that gradients are clipped to; 0 for no clipping. */
  readonly clip: number;
}

/** Inputs that the compiled program keeps between calls. */
export const FLOW_STATE = ["params", "m", "v", "step"] as const;

/** Learning-rate scale of the channel model: a small table tolerates a higher rate than weights. */
const CHANNEL_RATE_SCALE = 10;

export function flowIteration(model: FlowModel, options: FlowIterationOptions) {
  const { objective, contexts: C, paths: n, hasOffPolicy, hasLikelihood, clip } = options;
  const { tokens: K, horizon: H, inputs: specs, channel, reward } = model.problem;
  const { size } = model.layout;
  const B = C * n;
  const rateScale = model.layout.fill(({ path }) => (path === "channel" ? CHANNEL_RATE_SCALE : 1));

  const run: ArrayFunction = (inputs) => {
    const { uniform, temperature, epsilon, rate } = inputs;
    const offPolicy = hasOffPolicy ? inputs.offPolicy : null; // [B]
    const contexts = contextArrays(Object.keys(specs), inputs); // [C, …]
    const arrays: NamedArrays = repeatContexts(contexts, n); // [B, …]
    /** Encodes each context once, regardless of the number of paths per context. */
    const encode = (params: ReturnType<FlowModel["params"]>): EncodedContext =>
      repeatContexts(model.encode(params, contexts), n); // [B, …]
    const before = model.params(inputs.params);
    const rollout = rolloutPaths(model, before, encode(before), uniform, {
      temperature,
      epsilon,
      ...(offPolicy && { offPolicy, offPolicyPaths: repeatRows(inputs.offPolicyPaths, n) }),
    });
    const paths = np.transpose(rollout.outcomes.reshape([H, B, K]), [1, 0, 2]); // [B, H, K]
    const logReward = reward.logReward(paths, arrays); // [B]
    const partialLogRewards = objective.forwardLooking ? reward.partialLogRewards!(paths, arrays) : null; // [B, H]
    // In off-policy rows, the actions that the rollout sampled with these numbers are discarded, so the loss may reuse
    // the numbers there.
    const forHindsight = np.split(uniform.reshape([H * B, -1]), [K], 1)[0]; // [N, K]

    const loss = (flat: np.Array): [np.Array, NamedArrays] => {
      const params = model.params(flat);
      const logChannel = model.logChannel(params); // [K, K]
      const { loss: balance, logOutcome } = flowLoss(model, objective, {
        outputs: model.atAllSteps(params, encode(params), paths), // [N, …]
        rollout,
        logChannel,
        logReward,
        partialLogRewards,
        offPolicy,
        uniform: forHindsight,
      });
      const channelFit = channel?.learned ? channelLoss(logChannel!, rollout, offPolicy) : null; // []
      const likelihood =
        offPolicy && hasLikelihood
          ? np.multiply(negativeLogLikelihood(logOutcome, offPolicy), inputs.likelihoodWeight)
          : null; // []
      const total = [balance, channelFit, likelihood]
        .filter((term) => term !== null)
        .reduce((sum, term) => np.add(sum, term)); // []
      return [total, { loss: balance, ...(channelFit && { channelLoss: channelFit }) }];
    };
    const [[, losses], gradient] = valueAndGrad(loss, { hasAux: true })(inputs.params);
    const optimiser = adam({
      learningRate: rate,
      ...(channel?.learned && { rateScale }),
    });
    const { m, v, step } = inputs;
    const next = optimiserStep(optimiser, inputs.params, gradient, { m, v, step }, clip);
    return { params: next.params, ...next.state, ...losses, gradientNorm: next.norm };
  };

  const example: Record<string, ArraySpec> = {
    params: spec([size]),
    m: spec([size]),
    v: spec([size]),
    step: spec([], "int32"),
    uniform: spec([H, B, uniformsPerStep(K)]),
    temperature: spec([B]),
    epsilon: spec([B]),
    ...(hasOffPolicy && { offPolicy: spec([B]), offPolicyPaths: spec([C, H], "int32") }),
    ...(hasLikelihood && { likelihoodWeight: spec([]) }),
    rate: spec([]),
    ...contextSpecs(specs, C),
  };
  return { run, example };
}

/** Mean negative log-likelihood of the off-policy paths, []. `logOutcome` is [N], `offPolicy` is [B]. */
function negativeLogLikelihood(logOutcome: np.Array, offPolicy: np.Array): np.Array {
  const perPath = np.sum(logOutcome.reshape([-1, offPolicy.shape[0]]), 0); // [B]
  return np.negative(maskedMean(perPath, offPolicy)); // []
}
