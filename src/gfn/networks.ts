// The two networks of a stochastic GFlowNet: the policy with its flow, and the model of the environment's dynamics.
//
// Both are a perceptron over a state's features, one-hot or embedded, plus, if asked, a memory with a row per state
// added to its output.

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

export interface NetworkOptions {
  /** Widths of the hidden layers. */
  readonly hidden: readonly number[];
  readonly activation?: ActivationName;
  /** Rows of the memory; none without it, and one for every state if there are enough. */
  readonly memoryRows?: number;
  /** Learning rate of the memory as a multiple of the weights'. A row is touched by few steps, so it may go faster. */
  readonly memoryRateScale?: number;
  /** What the perceptron sees of a state: its features as they are, which is the default, or each block of them (a
   * letter, a coordinate) as learned numbers that all positions share, plus some of the position's own. */
  readonly state?: (typeof STATE_INPUTS)[number];
  /** Numbers per block of an embedded state, 16 unless told. */
  readonly embeddingWidth?: number;
}

export const STATE_INPUTS = ["one-hot", "embedded"] as const;

export type NetworkParams = {
  readonly mlp: MlpParams;
  readonly memory?: StateMemoryParams;
  readonly embedding?: BlockEmbeddingParams;
};

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
  const body = remembering(environment, options, actions + backwardClasses + 1);
  const named = (outputs: np.Array): PolicyOutputs => {
    const [forward, backward, flow] = np.split(outputs, [actions, actions + backwardClasses], 1);
    return { forward, backward, logFlow: flow.reshape([outputs.shape[0]]) };
  };
  return {
    params: body.params,
    apply(params: ArraysOf<NetworkParams>, features: np.Array, index: np.Array): PolicyOutputs {
      return named(body.apply(params, features, index));
    },
    /** All outputs side by side, [R, actions + backwardClasses + 1]; `named` tells them apart. */
    outputs: body.apply,
    named,
  };
}

export function dynamicsNetwork(environment: Environment, options: NetworkOptions) {
  const { outcomes: C } = environment;
  const body = remembering(environment, options, C * C);
  return {
    params: body.params,
    /** log P̂(c | s, a) for every intention a that is no stop, [R, a, c]. `legal` is [R, C] or [1, C]. */
    apply(params: ArraysOf<NetworkParams>, features: np.Array, index: np.Array, legal: np.Array): np.Array {
      const logits = body.apply(params, features, index).reshape([-1, C, C]); // [R, a, c]
      return maskedLogSoftmax(logits, legal.reshape([legal.shape[0], 1, C])); // [R, a, c]
    },
  };
}

/** A perceptron, perhaps of an embedding, and perhaps a memory, added. */
function remembering(environment: Environment, options: NetworkOptions, outputs: number) {
  const { hidden, activation = "relu", memoryRows = 0 } = options;
  const { embedding, inputs } = seeing(environment, options);
  const network = mlp({ inputs, hidden, outputs, activation });
  const memory =
    memoryRows > 0
      ? stateMemory({ states: environment.states, rows: memoryRows, width: outputs })
      : undefined;
  const params: NetworkParams = {
    mlp: network.params,
    ...(memory && { memory: memory.params }),
    ...(embedding && { embedding: embedding.params }),
  };
  return {
    params,
    apply(arrays: ArraysOf<NetworkParams>, x: np.Array, index: np.Array, each?: EachSum): np.Array {
      const seen = embedding && arrays.embedding ? embedding.apply(arrays.embedding, x) : x; // [R, inputs]
      const said = network.apply(arrays.mlp, seen, each); // [R, outputs]
      if (!memory || !arrays.memory) return said; // [R, outputs]
      const sum = np.add(said, memory.apply(arrays.memory, index)); // [R, outputs]
      return each ? each(sum) : sum; // [R, outputs]
    },
  };
}

/** How a state comes to the perceptron, and as how many numbers. */
function seeing({ features, featureBlock: block }: Environment, options: NetworkOptions) {
  const { state = "one-hot", embeddingWidth: width = 16 } = options;
  if (!STATE_INPUTS.includes(state)) {
    throw new RangeError(`networks: state must be one of ${STATE_INPUTS.join(", ")}, got ${state}`);
  }
  if (state === "one-hot") return { inputs: features };
  checkSizes("networks", { embeddingWidth: width });
  const blocks = features / block;
  return { embedding: blockEmbedding({ blocks, block, width }), inputs: blocks * width };
}
