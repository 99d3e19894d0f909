// The two networks of a stochastic GFlowNet: the policy with its flow, and the model of the environment's dynamics.
//
// Both are a perceptron over a state's features, one-hot or embedded, plus, if asked, a memory with a row per state
// added to its output. Either may read the episode so far as well, through a transformer whose summary stands beside
// the features. Flow and backward policy never do: what an object is worth does not depend on how it came about.

import { numpy as np } from "@jax-js/jax";
import { type BlockEmbeddingParams, blockEmbedding } from "../nn/block-embedding.ts";
import { checkSizes } from "../nn/checks.ts";
import {
  type ActivationName,
  type ArraysOf,
  type EachSum,
  type MlpParams,
  maskedLogSoftmax,
  mlp,
  type StateMemoryParams,
  stateMemory,
} from "../nn/index.ts";
import type { Environment } from "./environment.ts";
import { type EncoderOptions, type EncoderParams, historyEncoder } from "./history-encoder.ts";

export interface NetworkOptions {
  /** Widths of the hidden layers. */
  readonly hidden: readonly number[];
  readonly activation?: ActivationName;
  /** Rows of the memory; none without it, and one for every state if there are enough. */
  readonly memoryRows?: number;
  /** Learning rate of the memory as a multiple of the weights'. A row is touched by few steps, so it may go faster. */
  readonly memoryRateScale?: number;
  /** What the perceptron sees of a state: its features as they are, which is the default, or each block of them (a
   * letter, a coordinate) as learned numbers that all positions share, plus some of the position's own. With an encoder
   * it may also see nothing of the state but what the encoder says. */
  readonly state?: (typeof STATE_INPUTS)[number];
  /** Numbers per block of an embedded state, 16 unless told. */
  readonly embeddingWidth?: number;
  /** Reads the episode so far. */
  readonly encoder?: EncoderOptions;
}

export const STATE_INPUTS = ["one-hot", "embedded", "none"] as const;

export type NetworkParams = {
  readonly mlp: MlpParams;
  readonly memory?: StateMemoryParams;
  readonly embedding?: BlockEmbeddingParams;
  readonly encoder?: EncoderParams;
};

/** A policy that reads has a second network for what must not: flow and backward policy. */
export type PolicyNetworkParams = NetworkParams & { readonly ofState?: NetworkParams };

/** What goes into a pass beside states, and who looks at it. */
interface PassOptions {
  /** Sees the sums of the network's layers. */
  readonly each?: EachSum;
  /** What the network has read, [R, width]; goes with an encoder. */
  readonly summary?: np.Array;
}

/** What the policy network says of states, R rows. */
export interface PolicyOutputs {
  /** Unnormalised log-probabilities of intentions, [R, actions]. */
  readonly forward: np.Array;
  /** Unnormalised log-probabilities of the ways into a state, [R, backwardClasses]. */
  readonly backward: np.Array;
  /** [R] */
  readonly logFlow: np.Array;
}

export function policyNetwork(environment: Environment, options: NetworkOptions) {
  const { actions, backwardClasses } = environment;
  const { encoder: _, ...stateOnly } = options;
  const ofAll = actions + backwardClasses + 1;
  const body = remembering(environment, options, options.encoder ? actions : ofAll);
  const { encoder } = body;
  const ofState = encoder && remembering(environment, seeingState(stateOnly), backwardClasses + 1);
  const named = (outputs: np.Array): PolicyOutputs => {
    const [forward, backward, flow] = np.split(outputs, [actions, actions + backwardClasses], 1);
    return { forward, backward, logFlow: flow.reshape([outputs.shape[0]]) };
  };
  const params: PolicyNetworkParams = { ...body.params, ...(ofState && { ofState: ofState.params }) };
  const outputs = (
    params: ArraysOf<PolicyNetworkParams>,
    features: np.Array,
    index: np.Array,
    { each, summary }: PassOptions = {},
  ): np.Array => {
    if (!ofState || !params.ofState) return body.apply(params, features, index, { each }); // [R, …]
    const forward = summary
      ? body.apply(params, features, index, { each, summary })
      : np.zeros([features.shape[0], actions]); // [R, actions]
    return np.concatenate([forward, ofState.apply(params.ofState, features, index)], 1); // [R, …]
  };
  return {
    params,
    encoder,
    apply(
      params: ArraysOf<PolicyNetworkParams>,
      features: np.Array,
      index: np.Array,
      summary?: np.Array,
    ): PolicyOutputs {
      return named(outputs(params, features, index, { summary }));
    },
    /** All outputs side by side, [R, actions + backwardClasses + 1]; `named` tells them apart. Where a policy that reads
     * gets no summary, its forward logits are left at 0. */
    outputs,
    named,
    /** Unnormalised log-probabilities of intentions alone, [R, actions]. */
    forward(
      params: ArraysOf<PolicyNetworkParams>,
      features: np.Array,
      index: np.Array,
      options: PassOptions = {},
    ): np.Array {
      const said = body.apply(params, features, index, options); // [R, actions] or [R, all]
      return encoder ? said : named(said).forward; // [R, actions]
    },
  };
}

export function dynamicsNetwork(environment: Environment, options: NetworkOptions) {
  const { outcomes: C } = environment;
  const body = remembering(environment, options, C * C);
  return {
    params: body.params,
    encoder: body.encoder,
    /** log P̂(c | s, a) for every intention a that is no stop, [R, a, c]. `legal` is [R, C] or [1, C]; a model that reads
     * takes the summaries, [R, width]. */
    apply(
      params: ArraysOf<NetworkParams>,
      features: np.Array,
      index: np.Array,
      legal: np.Array,
      summary?: np.Array,
    ): np.Array {
      const logits = body.apply(params, features, index, { summary }).reshape([-1, C, C]); // [R, a, c]
      return maskedLogSoftmax(logits, legal.reshape([legal.shape[0], 1, C])); // [R, a, c]
    },
  };
}

/** A model of what comes next in a state, whatever the thought. It has a memory, since it must follow the policy closely. */
export interface ObjectLawOptions extends Pick<NetworkOptions, "hidden" | "activation" | "memoryRows"> {
  /** Learning rates of its weights and of its memory as multiples of the policy's. */
  readonly rateScale?: number;
  readonly memoryRateScale?: number;
}

/** Rows of its memory at most, unless told. */
const MOST_LAW_ROWS = 2 ** 16;

export function objectLawNetwork(environment: Environment, options: ObjectLawOptions) {
  const { hidden, activation, memoryRows = Math.min(environment.states, MOST_LAW_ROWS) } = options;
  return remembering(environment, { hidden, activation, memoryRows }, environment.actions);
}

/** The same network without what it sees of the past; where that was all, it sees the state. */
function seeingState(options: NetworkOptions): NetworkOptions {
  return options.state === "none" ? { ...options, state: "one-hot" } : options;
}

/** A perceptron, perhaps of an embedding, perhaps beside a summary of the past, and perhaps a memory, added. */
function remembering(environment: Environment, options: NetworkOptions, outputs: number) {
  const { hidden, activation = "relu", memoryRows = 0 } = options;
  const encoder = options.encoder && historyEncoder(environment, options.encoder);
  const { embedding, inputs } = seeing(environment, options);
  const network = mlp({ inputs: inputs + (encoder?.width ?? 0), hidden, outputs, activation });
  const memory =
    memoryRows > 0
      ? stateMemory({ states: environment.states, rows: memoryRows, width: outputs })
      : undefined;
  const params: NetworkParams = {
    mlp: network.params,
    ...(memory && { memory: memory.params }),
    ...(embedding && { embedding: embedding.params }),
    ...(encoder && { encoder: encoder.params }),
  };
  return {
    params,
    encoder,
    apply(
      arrays: ArraysOf<NetworkParams>,
      x: np.Array,
      index: np.Array,
      { each, summary }: PassOptions = {},
    ): np.Array {
      if (!encoder !== !summary) throw new TypeError("networks: internal: a summary goes with an encoder");
      const seen = [
        ...(inputs === 0 ? [] : [embedding && arrays.embedding ? embedding.apply(arrays.embedding, x) : x]),
        ...(summary ? [summary] : []),
      ]; // [R, inputs], [R, width]
      const joined = seen.length > 1 ? np.concatenate(seen, 1) : seen[0]; // [R, inputs + width]
      const said = network.apply(arrays.mlp, joined, each); // [R, outputs]
      if (!memory || !arrays.memory) return said; // [R, outputs]
      const sum = np.add(said, memory.apply(arrays.memory, index)); // [R, outputs]
      return each ? each(sum) : sum; // [R, outputs]
    },
  };
}

/** How a state comes to the perceptron, and as how many numbers. */
function seeing({ features, featureBlock: block }: Environment, options: NetworkOptions) {
  const { state = "one-hot", embeddingWidth: width = 16, encoder } = options;
  if (!STATE_INPUTS.includes(state)) {
    throw new RangeError(`networks: state must be one of ${STATE_INPUTS.join(", ")}, got ${state}`);
  }
  if (state === "none") {
    if (!encoder)
      throw new RangeError("networks: state none needs an encoder, else the network sees nothing");
    return { inputs: 0 };
  }
  if (state === "one-hot") return { inputs: features };
  checkSizes("networks", { embeddingWidth: width });
  const blocks = features / block;
  return { embedding: blockEmbedding({ blocks, block, width }), inputs: blocks * width };
}
