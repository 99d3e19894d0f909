// The networks of a stochastic GFlowNet: the policy with its flow, the dynamics model, and the object marginal.
//
// Each is a perceptron on the features of a state, one-hot or embedded. A state table may add one row of learned logits
// per state to its output. A history encoder may add an embedding of the history to its input. The flow and the backward
// policy never depend on the history, because the reward of an object does not depend on how the object was built.

import { numpy as np } from "@jax-js/jax";
import { type BlockEmbeddingParams, blockEmbedding } from "../../nn/block-embedding.ts";
import { checkSizes } from "../../nn/checks.ts";
import {
  type ActivationHook,
  type ActivationName,
  type ArraysOf,
  type MlpParams,
  maskedLogSoftmax,
  mlp,
  type StateTableParams,
  stateTable,
} from "../../nn/index.ts";
import { zeros } from "../../nn/init.ts";
import type { Environment } from "../environment/environment.ts";
import { type EncoderOptions, type EncoderParams, historyEncoder } from "./history-encoder.ts";
import { type OutputInit, STATE_INPUTS, type StateInput } from "./input-names.ts";

export interface NetworkOptions {
  /** Widths of the hidden layers. */
  readonly hidden: readonly number[];
  /** Default: relu. */
  readonly activation?: ActivationName;
  /** Rows of the state table. Every state has its own row if there are enough; otherwise states share rows by hashing.
   * Default: 0, no table. */
  readonly stateTableRows?: number;
  /** How the perceptron receives a state. `one-hot`: as its features. `embedded`: each block of features (a letter, a
   * coordinate) as a learned vector shared by all positions plus a learned vector of the position. `none`: not at all,
   * which requires an encoder. Default: one-hot. */
  readonly state?: StateInput;
  /** Width of the embedding of each block. Default: 16. */
  readonly embeddingWidth?: number;
  /** Makes the network history-conditioned. */
  readonly encoder?: EncoderOptions;
  /** Initial weights of the last layer. With `zeros`, a policy starts uniform. Default: glorot. */
  readonly outputInit?: OutputInit;
}

export type NetworkParams = {
  readonly mlp: MlpParams;
  readonly stateTable?: StateTableParams;
  readonly embedding?: BlockEmbeddingParams;
  readonly encoder?: EncoderParams;
};

/** A history-conditioned policy has a second network, `ofState`, for the flow and the backward policy. */
export type PolicyNetworkParams = NetworkParams & { readonly ofState?: NetworkParams };

interface ForwardOptions {
  /** Receives the pre-activations of the layers, to record or reuse them. */
  readonly each?: ActivationHook;
  /** Embedding of the history, [R, width]. Required if the network has an encoder. */
  readonly embedding?: np.Array;
}

/** Outputs of the policy network for R states. */
export interface PolicyOutputs {
  /** Logits of the actions, [R, actions]. */
  readonly forward: np.Array;
  /** Logits of the backward actions, [R, backwardActions]. */
  readonly backward: np.Array;
  /** [R] */
  readonly logFlow: np.Array;
}

export function policyNetwork(environment: Environment, options: NetworkOptions) {
  const { actions, backwardActions } = environment;
  const { encoder: _, ...withoutEncoder } = options;
  const allOutputs = actions + backwardActions + 1;
  const body = stateNetwork(environment, options, options.encoder ? actions : allOutputs);
  const { encoder } = body;
  const ofState = encoder && stateNetwork(environment, withStateInput(withoutEncoder), backwardActions + 1);
  const unpackOutputs = (packed: np.Array): PolicyOutputs => {
    const [forward, backward, flow] = np.split(packed, [actions, actions + backwardActions], 1);
    return { forward, backward, logFlow: flow.reshape([packed.shape[0]]) };
  };
  const params: PolicyNetworkParams = { ...body.params, ...(ofState && { ofState: ofState.params }) };
  const packedOutputs = (
    params: ArraysOf<PolicyNetworkParams>,
    features: np.Array,
    index: np.Array,
    { each, embedding }: ForwardOptions = {},
  ): np.Array => {
    if (!ofState || !params.ofState) return body.apply(params, features, index, { each }); // [R, …]
    const forward = embedding
      ? body.apply(params, features, index, { each, embedding })
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
      embedding?: np.Array,
    ): PolicyOutputs {
      return unpackOutputs(packedOutputs(params, features, index, { embedding }));
    },
    /** All outputs side by side, [R, actions + backwardActions + 1]. A history-conditioned policy without an embedding
     * returns 0 for the forward logits. */
    packedOutputs,
    /** Splits the result of `packedOutputs`. */
    unpackOutputs,
    /** Only the logits of the actions, [R, actions]. */
    forwardLogits(
      params: ArraysOf<PolicyNetworkParams>,
      features: np.Array,
      index: np.Array,
      options: ForwardOptions = {},
    ): np.Array {
      const outputs = body.apply(params, features, index, options); // [R, actions] or [R, all outputs]
      return encoder ? outputs : unpackOutputs(outputs).forward; // [R, actions]
    },
  };
}

export function dynamicsNetwork(environment: Environment, options: NetworkOptions) {
  const { outcomes: C } = environment;
  const body = stateNetwork(environment, options, C * C);
  return {
    params: body.params,
    encoder: body.encoder,
    /** log P̂(c | s, a) for every action a except the stop, [R, a, c]. `legal` is the mask of the legal outcomes, [R, C] or
     * [1, C]. A history-conditioned model requires the embedding of the history, [R, width]. */
    apply(
      params: ArraysOf<NetworkParams>,
      features: np.Array,
      index: np.Array,
      legal: np.Array,
      embedding?: np.Array,
    ): np.Array {
      const logits = body.apply(params, features, index, { embedding }).reshape([-1, C, C]); // [R, a, c]
      return maskedLogSoftmax(logits, legal.reshape([legal.shape[0], 1, C])); // [R, a, c]
    },
  };
}

/** Options of the object marginal (`objectives/object-marginal.ts`). */
export type ObjectMarginalOptions = Pick<NetworkOptions, "hidden" | "activation">;

/** Largest state table of the object marginal, which always has one, because it must follow the policy closely. */
const MAX_MARGINAL_ROWS = 2 ** 16;

/** A network for the logits of the next outcome, or the stop, in a state, for any history: [R, actions]. */
export function objectMarginalNetwork(environment: Environment, options: ObjectMarginalOptions) {
  const stateTableRows = Math.min(environment.states, MAX_MARGINAL_ROWS);
  return stateNetwork(environment, { ...options, stateTableRows }, environment.actions);
}

/** Options for a network without an encoder, which needs the state as input. */
function withStateInput(options: NetworkOptions): NetworkOptions {
  return options.state === "none" ? { ...options, state: "one-hot" } : options;
}

/** A perceptron on a state and, optionally, the embedding of its history, plus an optional state table. */
function stateNetwork(environment: Environment, options: NetworkOptions, outputs: number) {
  const { hidden, activation = "relu", stateTableRows = 0, outputInit } = options;
  const encoder = options.encoder && historyEncoder(environment, options.encoder);
  const { blocks, inputs } = inputLayer(environment, options);
  const network = mlp({
    inputs: inputs + (encoder?.width ?? 0),
    hidden,
    outputs,
    activation,
    ...(outputInit === "zeros" && { outputInit: zeros }),
  });
  const table =
    stateTableRows > 0
      ? stateTable({ states: environment.states, rows: stateTableRows, width: outputs })
      : undefined;
  const params: NetworkParams = {
    mlp: network.params,
    ...(table && { stateTable: table.params }),
    ...(blocks && { embedding: blocks.params }),
    ...(encoder && { encoder: encoder.params }),
  };
  return {
    params,
    encoder,
    apply(
      arrays: ArraysOf<NetworkParams>,
      features: np.Array,
      index: np.Array,
      { each, embedding }: ForwardOptions = {},
    ): np.Array {
      if (!encoder !== !embedding) {
        throw new TypeError("networks: internal: an embedding is required exactly if there is an encoder");
      }
      const parts = [
        ...(inputs === 0
          ? []
          : [blocks && arrays.embedding ? blocks.apply(arrays.embedding, features) : features]),
        ...(embedding ? [embedding] : []),
      ]; // [R, inputs], [R, width]
      const input = parts.length > 1 ? np.concatenate(parts, 1) : parts[0]; // [R, inputs + width]
      const output = network.apply(arrays.mlp, input, each); // [R, outputs]
      if (!table || !arrays.stateTable) return output; // [R, outputs]
      const sum = np.add(output, table.apply(arrays.stateTable, index)); // [R, outputs]
      return each ? each(sum) : sum; // [R, outputs]
    },
  };
}

/** The embedding of the blocks of a state, if it is embedded, and the resulting number of inputs. */
function inputLayer({ features, featureBlock: blockSize }: Environment, options: NetworkOptions) {
  const { state = "one-hot", embeddingWidth: width = 16, encoder } = options;
  if (!STATE_INPUTS.includes(state)) {
    throw new RangeError(`networks: state must be one of ${STATE_INPUTS.join(", ")}, got ${state}`);
  }
  if (state === "none") {
    if (!encoder) throw new TypeError("networks: internal: a network needs a state or an encoder");
    return { inputs: 0 };
  }
  if (state === "one-hot") return { inputs: features };
  checkSizes("networks", { embeddingWidth: width });
  const count = features / blockSize;
  return { blocks: blockEmbedding({ blocks: count, blockSize, width }), inputs: count * width };
}
