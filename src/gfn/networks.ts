// The two networks of a stochastic GFlowNet: the policy with its flow, and the model of the environment's dynamics.
//
// Both are a perceptron over a state's features, plus, if asked, a memory with a row per state added to its output.

import { numpy as np } from "@jax-js/jax";
import {
  type ActivationName,
  type ArraysOf,
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
}

export type NetworkParams = { readonly mlp: MlpParams; readonly memory?: StateMemoryParams };

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
  return {
    params: body.params,
    apply(params: ArraysOf<NetworkParams>, features: np.Array, index: np.Array): PolicyOutputs {
      const outputs = body.apply(params, features, index); // [R, actions + backwardClasses + 1]
      const [forward, backward, flow] = np.split(outputs, [actions, actions + backwardClasses], 1);
      return { forward, backward, logFlow: flow.reshape([features.shape[0]]) };
    },
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

/** A perceptron and perhaps a memory, added. */
function remembering({ features, states }: Environment, options: NetworkOptions, outputs: number) {
  const { hidden, activation = "relu", memoryRows = 0 } = options;
  const network = mlp({ inputs: features, hidden, outputs, activation });
  const memory = memoryRows > 0 ? stateMemory({ states, rows: memoryRows, width: outputs }) : undefined;
  const params: NetworkParams = { mlp: network.params, ...(memory && { memory: memory.params }) };
  return {
    params,
    apply(arrays: ArraysOf<NetworkParams>, x: np.Array, index: np.Array): np.Array {
      const said = network.apply(arrays.mlp, x); // [R, outputs]
      return memory && arrays.memory ? np.add(said, memory.apply(arrays.memory, index)) : said; // [R, outputs]
    },
  };
}
