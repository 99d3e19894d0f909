// The networks of a stochastic GFlowNet: the policy with its flow, the dynamics model, and the object marginal.
//
// Each is a perceptron on the features of a state, one-hot or embedded. A state table may add one row of learned logits
// per state to its output; with preferences, a row per objective, weighted by the preference. A history encoder may add an embedding of the history to its input. The flow and the backward
// policy never depend on more than the state, because the reward of an object does not depend on how the object was
// built; they read the embedding of a history only if the history is the state.

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
import { isPreference, preferenceColumns } from "../environment/preference.ts";
import type { EncoderOptions } from "./encoder.ts";
import { type EncoderParams, historyEncoder } from "./history-encoder.ts";
import { type OutputInit, STATE_INPUTS, type StateInput } from "./input-names.ts";
import { letterSums, type PrefixLayer, type PrefixState, prefixLayer } from "./prefix-layer.ts";

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
  /** Whether a policy has logits of backward actions. Default: true. Without them they count as 0. */
  readonly backward?: boolean;
  /** Whether the first layer of a network that reads a sequence is computed from the letter of each step, instead of all
   * features of a state (`prefix-layer.ts`). Default: true for sequences that are not enumerable. */
  readonly byLetter?: boolean;
}

export type NetworkParams = {
  readonly mlp: MlpParams;
  readonly stateTable?: StateTableParams;
  readonly embedding?: BlockEmbeddingParams;
  readonly encoder?: EncoderParams;
};

/** A history-conditioned policy has a second network, `ofState`, for the flow and the backward policy. */
export type PolicyNetworkParams = NetworkParams & { readonly ofState?: NetworkParams };

/** Options of a pass over all states of trajectories. */
interface PackedOptions extends Pick<ForwardOptions, "each" | "embedding"> {
  /** The letters that lead to the states, R = 1 + L·B. A network of long sequences reads them instead of the features. */
  readonly letters?: Letters;
}

interface ForwardOptions {
  /** Receives the pre-activations of the layers, to record or reuse them. */
  readonly each?: ActivationHook;
  /** Embedding of the history, [R, width]. Required if the network has an encoder. */
  readonly embedding?: np.Array;
  /** Sums of the first layer over the letters of a sequence, [R, width of the layer], instead of the features. */
  readonly sums?: np.Array;
  /** Whether the outputs for terminal states are ignored, so that they may be any numbers. */
  readonly ignoresTerminals?: boolean;
}

/** The letters of the first L steps of B sequences, by step and then by sequence, one-hot [L·B, letters]; null if L is 0. */
export interface Letters {
  readonly letters: np.Array | null;
  readonly batch: number;
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
  const { actions } = environment;
  const { encoder: _, backward = true, ...withoutEncoder } = options;
  const backwardOutputs = backward ? environment.backwardActions : 0;
  const allOutputs = actions + backwardOutputs + 1;
  const flowFromBody = !options.encoder || options.encoder.flowFromHistory === true;
  const body = stateNetwork(environment, options, flowFromBody ? allOutputs : actions);
  const { encoder } = body;
  const ofState = flowFromBody
    ? undefined
    : stateNetwork(environment, withStateInput(withoutEncoder), backwardOutputs + 1);
  const unpackOutputs = (packed: np.Array): PolicyOutputs => {
    const [rows] = packed.shape;
    const [forward, ...rest] = np.split(packed, backward ? [actions, allOutputs - 1] : [actions], 1);
    const flow = rest[rest.length - 1]; // [R, 1]
    const backwardLogits = backward ? rest[0] : np.zeros([rows, environment.backwardActions]); // [R, backwardActions]
    return { forward, backward: backwardLogits, logFlow: flow.reshape([rows]) };
  };
  const params: PolicyNetworkParams = { ...body.params, ...(ofState && { ofState: ofState.params }) };
  // No objective reads the policy or the flow of a terminal state, but its backward policy.
  const ignoresTerminals = !backward;
  const packedOutputs = (
    params: ArraysOf<PolicyNetworkParams>,
    features: np.Array,
    index: np.Array,
    { each, embedding, letters }: PackedOptions = {},
  ): np.Array => {
    const bodySums = letters && body.sumsByLetter(params, letters); // [R, …]
    if (!ofState || !params.ofState) {
      return body.apply(params, features, index, { each, embedding, sums: bodySums, ignoresTerminals }); // [R, …]
    }
    const forward = embedding
      ? body.apply(params, features, index, { each, embedding, sums: bodySums, ignoresTerminals: true })
      : np.zeros([features.shape[0], actions]); // [R, actions]
    const sums = letters && ofState.sumsByLetter(params.ofState, letters); // [R, …]
    return np.concatenate(
      [forward, ofState.apply(params.ofState, features, index, { sums, ignoresTerminals })],
      1,
    ); // [R, …]
  };
  return {
    params,
    encoder,
    /** Whether the outputs for a state after the last step need the embedding of its history. */
    flowFromHistory: encoder !== undefined && flowFromBody,
    /** Whether the first layer is computed from the letter of each step. */
    readsLetters: body.readsLetters,
    /** Starts the sums of the first layer of the forward logits, to be advanced letter by letter; undefined if the layer
     * is computed from the features. */
    startByLetter: body.startByLetter,
    apply(
      params: ArraysOf<PolicyNetworkParams>,
      features: np.Array,
      index: np.Array,
      embedding?: np.Array,
    ): PolicyOutputs {
      return unpackOutputs(packedOutputs(params, features, index, { embedding }));
    },
    /** All outputs side by side, [R, actions + backwardActions + 1], or without the backward actions. A history-conditioned
     * policy without an embedding returns 0 for the forward logits. */
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
      const outputs = body.apply(params, features, index, { ...options, ignoresTerminals }); // [R, actions] or [R, all outputs]
      return flowFromBody ? unpackOutputs(outputs).forward : outputs; // [R, actions]
    },
  };
}

export function dynamicsNetwork(environment: Environment, options: NetworkOptions) {
  const { outcomes: C } = environment;
  const body = stateNetwork(environment, options, C * C);
  return {
    params: body.params,
    encoder: body.encoder,
    readsLetters: body.readsLetters,
    /** log P̂(c | s, a) for every action a except the stop, [R, a, c]. `legal` is the mask of the legal outcomes, [R, C] or
     * [1, C]. A history-conditioned model requires the embedding of the history, [R, width]. `letters` may replace the
     * features: R is then batch · (1 + L). */
    apply(
      params: ArraysOf<NetworkParams>,
      features: np.Array,
      index: np.Array,
      legal: np.Array,
      { embedding, letters }: Pick<PackedOptions, "embedding" | "letters"> = {},
    ): np.Array {
      const distinct = letters && body.sumsByLetter(params, letters); // [1 + L·B, …]
      const sums = letters && distinct && repeatStartRow(distinct, letters.batch); // [R, …]
      const logits = body.apply(params, features, index, { embedding, sums }).reshape([-1, C, C]); // [R, a, c]
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
  const objectives = isPreference(environment) ? environment.objectives.length : 1;
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
      ? stateTable({ states: environment.states, rows: stateTableRows, width: outputs * objectives })
      : undefined;
  /** Rows of the table, [R, outputs]: with preferences, the weighted sum of a row per objective. */
  const tableRows = (
    params: ArraysOf<StateTableParams>,
    features: np.Array,
    index: np.Array,
    ignoresTerminals?: boolean,
  ) => {
    const rows = (table as NonNullable<typeof table>).apply(params, index, ignoresTerminals); // [R, outputs · objectives]
    if (!isPreference(environment)) return rows; // [R, outputs]
    const weights = preferenceColumns(environment, features).reshape([-1, objectives, 1]); // [R, objectives, 1]
    return np.sum(np.multiply(rows.reshape([-1, objectives, outputs]), weights), 1); // [R, outputs]
  };
  const byLetter = inputs === 0 ? null : firstLayerByLetter(environment, options);
  const params: NetworkParams = {
    mlp: network.params,
    ...(table && { stateTable: table.params }),
    ...(blocks && { embedding: blocks.params }),
    ...(encoder && { encoder: encoder.params }),
  };
  const firstLayer = ({ mlp, embedding }: ArraysOf<NetworkParams>) => ({ layer: mlp.layers[0], embedding });
  /** The output of the perceptron from all features, [R, outputs]. */
  const fromFeatures = (arrays: ArraysOf<NetworkParams>, features: np.Array, options: ForwardOptions) => {
    const parts = [
      ...(inputs === 0
        ? []
        : [blocks && arrays.embedding ? blocks.apply(arrays.embedding, features) : features]),
      ...(options.embedding ? [options.embedding] : []),
    ]; // [R, inputs], [R, width]
    const input = parts.length > 1 ? np.concatenate(parts, 1) : parts[0]; // [R, inputs + width]
    return network.apply(arrays.mlp, input, options.each); // [R, outputs]
  };
  /** The output of the perceptron from the sums of its first layer over the letters, [R, outputs]. */
  const fromSums = (arrays: ArraysOf<NetworkParams>, sums: np.Array, options: ForwardOptions) => {
    const { weight } = arrays.mlp.layers[0];
    const all = options.embedding
      ? np.add(sums, np.matmul(options.embedding, np.split(weight, [inputs], 0)[1]))
      : sums; // [R, width of the first layer]
    return network.applyToFirstSums(arrays.mlp, all, options.each); // [R, outputs]
  };
  return {
    params,
    encoder,
    readsLetters: byLetter !== null,
    startByLetter: (arrays: ArraysOf<NetworkParams>): PrefixState | undefined =>
      byLetter?.start(firstLayer(arrays)),
    /** Sums of the first layer, [1 + L·B, width of the layer]; undefined if the layer is computed from the features. */
    sumsByLetter: (arrays: ArraysOf<NetworkParams>, { letters, batch }: Letters): np.Array | undefined =>
      byLetter?.all(firstLayer(arrays), letters, batch),
    apply(
      arrays: ArraysOf<NetworkParams>,
      features: np.Array,
      index: np.Array,
      options: ForwardOptions = {},
    ): np.Array {
      const { each, embedding, sums, ignoresTerminals } = options;
      if (!encoder !== !embedding) {
        throw new TypeError("networks: internal: an embedding is required exactly if there is an encoder");
      }
      const output = sums ? fromSums(arrays, sums, options) : fromFeatures(arrays, features, options); // [R, outputs]
      if (!table || !arrays.stateTable) return output; // [R, outputs]
      const sum = np.add(output, tableRows(arrays.stateTable, features, index, ignoresTerminals)); // [R, outputs]
      return each ? each(sum) : sum; // [R, outputs]
    },
  };
}

/** The first layer by letter; null if it is computed from the features. */
function firstLayerByLetter(environment: Environment, { byLetter }: NetworkOptions): PrefixLayer | null {
  if (byLetter === undefined) return prefixLayer(environment);
  return byLetter ? letterSums(environment) : null;
}

/** Repeats the row of the start for every trajectory: [1 + L·B, width] to [(1 + L)·B, width]. */
export function repeatStartRow(rows: np.Array, B: number): np.Array {
  const [count, width] = rows.shape;
  if (count === 1) return np.broadcastTo(rows, [B, width]); // [B, width]
  const [first, later] = np.split(rows, [1], 0); // [1, width], [L·B, width]
  return np.concatenate([np.broadcastTo(first, [B, width]), later], 0); // [(1 + L)·B, width]
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
