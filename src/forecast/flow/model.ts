// The parts of a flow over token paths, as one flat vector of parameters: reader of contexts, network of paths, and
// where the channel is learned, its model.

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
import { logMatrix } from "./channel.ts";
import { type Arrays, checkProblem, type FlowProblem, type ReadContext } from "./problem.ts";

export interface FlowNetworkOptions {
  readonly hidden: readonly number[];
  /** How many tokens before a step it sees; all of the path and the context unless told. */
  readonly lags?: number;
  readonly embeddingWidth?: number;
  readonly activation?: ActivationName;
}

/** What is said of R states before a step. */
export interface StepOutputs {
  /** Unnormalised log-probabilities of intentions, [R, K]. */
  readonly policy: np.Array;
  /** log F, or in the forward-looking form what it has beyond the partial log rewards, [R, 1]. */
  readonly flow: np.Array;
  /** Unnormalised log-probabilities of intentions for each token that may come, [R, K·K]; in the joint form only. */
  readonly backward?: np.Array;
}

type FlowParams = {
  readonly path: PathNetworkParams;
  readonly reader?: ParamSpec;
  readonly channel?: ParamSpec;
};

export interface FlowModel {
  readonly problem: FlowProblem;
  readonly layout: Layout<FlowParams>;
  readonly params: (flat: np.Array) => ArraysOf<FlowParams>;
  read(params: ArraysOf<FlowParams>, inputs: Arrays): ReadContext;
  /** At step t, after the path's first t tokens; each one-hot [B, K]. */
  at(
    params: ArraysOf<FlowParams>,
    t: number,
    context: ReadContext,
    path: readonly np.Array[],
    B: number,
  ): StepOutputs;
  /** At all steps of whole paths, one-hot [B, H, K]; rows by step, then by path. */
  all(params: ArraysOf<FlowParams>, context: ReadContext, paths: np.Array): StepOutputs;
  /** log Ĉ if it is learned, else log C, [K, K]; null without a channel. */
  logChannel(params: ArraysOf<FlowParams>): np.Array | null;
}

export function flowModel(problem: FlowProblem, options: FlowNetworkOptions, joint = false): FlowModel {
  checkProblem(problem);
  const { tokens: K, horizon: H, reader, channel } = problem;
  const { context, known, earlier, learns } = reader;
  const lags = options.lags ?? earlier + H;
  // Whatever says 0 at first starts from the uniform policy and flows of 1, or of the partial rewards.
  const network = pathNetwork<"policy" | "flow" | "backward">({
    ...options,
    tokens: K,
    horizon: H,
    context,
    known,
    earlier,
    lags,
    heads: { policy: K, flow: 1, ...(joint && { backward: K * K }) } as Record<
      "policy" | "flow" | "backward",
      number
    >,
    zeroHeads: ["policy", "flow", "backward"],
  });
  const params: FlowParams = {
    path: network.params,
    ...(learns && { reader: { shape: [learns.size], init: (_, stream) => learns.init(stream) } }),
    ...(channel?.learned && { channel: { shape: [K, K], init: init.zeros } }),
  };
  const flat = layout(params);
  return {
    problem,
    layout: flat,
    params: (vector) => flat.split(vector),
    read: (params, inputs) => reader.read(inputs, params.reader ?? null),
    at(params, t, { earlier, ...context }, path, B) {
      const tokens = [...(earlier ? [earlier] : []), ...path.map((token) => token.reshape([B, 1, K]))]; // [B, …, K]
      return network.at(params.path, t, {
        ...context,
        ...(tokens.length > 0 && { tokens: np.concatenate(tokens, 1) }), // [B, P + t, K]
      });
    },
    all(params, { earlier, ...context }, paths) {
      const tokens = earlier ? np.concatenate([earlier, paths], 1) : paths; // [B, P + H, K]
      return network.all(params.path, { ...context, tokens });
    },
    logChannel(params) {
      if (!channel) return null;
      return channel.learned ? logSoftmax(params.channel!) : logMatrix(K, channel); // [K, K]
    },
  };
}
