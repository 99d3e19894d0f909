// A GFlowNet over token paths as one model with a flat parameter vector: the context encoder, the path network, and the
// model of the noise channel if the channel is learned.

import { numpy as np } from "@jax-js/jax";
import {
  type ActivationName,
  type ArraysOf,
  init,
  type Layout,
  layout,
  logSoftmax,
  type ParamSpec,
} from "../../nn/index.ts";
import { type PathNetworkParams, pathNetwork } from "../network/path-network.ts";
import { logChannelMatrix } from "./channel.ts";
import { checkProblem, type EncodedContext, type FlowProblem, type NamedArrays } from "./problem.ts";

/** Sizes of the network of a GFlowNet over token paths. */
export interface FlowNetworkOptions {
  readonly hidden: readonly number[];
  /** Number of tokens before a step that the network sees. Default: all tokens of the past and of the path. */
  readonly lags?: number;
  readonly embeddingWidth?: number;
  readonly activation?: ActivationName;
}

/** The outputs of the network for R states. */
export interface StepOutputs {
  /** Logits of the forward policy over actions, [R, K]. */
  readonly policy: np.Array;
  /** log F, [R, 1]; in the forward-looking form log F minus the partial log rewards. */
  readonly flow: np.Array;
  /** Logits of the backward policy over actions for each outcome, [R, K·K]; only in the joint form. */
  readonly backward?: np.Array;
}

type FlowParams = {
  readonly path: PathNetworkParams;
  readonly encoder?: ParamSpec;
  readonly channel?: ParamSpec;
};

/** The networks of a GFlowNet over token paths, as array functions. */
export interface FlowModel {
  readonly problem: FlowProblem;
  readonly layout: Layout<FlowParams>;
  readonly params: (flat: np.Array) => ArraysOf<FlowParams>;
  encode(params: ArraysOf<FlowParams>, inputs: NamedArrays): EncodedContext;
  /** The outputs at step t, after the first t tokens of the path, one-hot [B, K] each. */
  atStep(
    params: ArraysOf<FlowParams>,
    t: number,
    context: EncodedContext,
    path: readonly np.Array[],
    B: number,
  ): StepOutputs;
  /** The outputs at all steps of complete paths, one-hot [B, H, K]. Rows are ordered by step, then by path. */
  atAllSteps(params: ArraysOf<FlowParams>, context: EncodedContext, paths: np.Array): StepOutputs;
  /** log Ĉ of a learned channel, else log C, [K, K]; null without a channel. */
  logChannel(params: ArraysOf<FlowParams>): np.Array | null;
}

/** `joint` adds the backward policy that the joint form of the objective needs. */
export function flowModel(problem: FlowProblem, options: FlowNetworkOptions, joint = false): FlowModel {
  checkProblem(problem);
  const { tokens: K, horizon: H, encoder, channel } = problem;
  const { contextWidth, futureWidth, pastTokens, learned } = encoder;
  const lags = options.lags ?? pastTokens + H;
  // All heads start at 0: a uniform policy, and flows of 1 (or of the partial rewards in the forward-looking form).
  const network = pathNetwork<"policy" | "flow" | "backward">({
    ...options,
    tokens: K,
    horizon: H,
    contextWidth,
    futureWidth,
    pastTokens,
    lags,
    heads: { policy: K, flow: 1, ...(joint && { backward: K * K }) } as Record<
      "policy" | "flow" | "backward",
      number
    >,
    zeroHeads: ["policy", "flow", "backward"],
  });
  const params: FlowParams = {
    path: network.params,
    ...(learned && { encoder: { shape: [learned.size], init: (_, stream) => learned.init(stream) } }),
    ...(channel?.learned && { channel: { shape: [K, K], init: init.zeros } }),
  };
  const flat = layout(params);
  return {
    problem,
    layout: flat,
    params: (vector) => flat.split(vector),
    encode: (params, inputs) => encoder.encode(inputs, params.encoder ?? null),
    atStep(params, t, { past, ...context }, path, B) {
      const tokens = [...(past ? [past] : []), ...path.map((token) => token.reshape([B, 1, K]))]; // [B, …, K]
      return network.step(params.path, t, {
        ...context,
        ...(tokens.length > 0 && { tokens: np.concatenate(tokens, 1) }), // [B, P + t, K]
      });
    },
    atAllSteps(params, { past, ...context }, paths) {
      const tokens = past ? np.concatenate([past, paths], 1) : paths; // [B, P + H, K]
      return network.allSteps(params.path, { ...context, tokens });
    },
    logChannel(params) {
      if (!channel) return null;
      return channel.learned ? logSoftmax(params.channel!) : logChannelMatrix(K, channel); // [K, K]
    },
  };
}
