// The trained model: the policy with its flow, optionally a learned log Z and the object marginal, and the dynamics model.
// Policy and dynamics model have one flat vector of parameters each.

import { numpy as np } from "@jax-js/jax";
import { type ActivationHook, type ArraysOf, type Layout, layout, type ParamSpec } from "../../nn/index.ts";
import type { Environment, State } from "../environment/environment.ts";
import { isPreference, withoutPreference } from "../environment/preference.ts";
import { readsBackwardPolicy } from "./backward-policy.ts";
import type { EncoderOptions, EncoderState, HistoryStep } from "./encoder.ts";
import { type FirstStates, firstStates } from "./first-states.ts";
import type { EncoderParams, HistoryEncoder } from "./history-encoder.ts";
import { type ModelSettings, optionsByNetwork } from "./model-settings.ts";
import {
  dynamicsNetwork,
  type Letters,
  type NetworkParams,
  objectMarginalNetwork,
  type PolicyNetworkParams,
  type PolicyOutputs,
  policyNetwork,
} from "./networks.ts";
import type { PrefixState } from "./prefix-layer.ts";

/** The path of a parameter in this tree names the random stream of its initial values. `objectLaw` is the object marginal;
 * a different key would change its initial weights. */
type PolicyParams = {
  readonly network: PolicyNetworkParams;
  readonly logZ?: ParamSpec;
  readonly objectLaw?: NetworkParams;
};

/** The first L steps of B trajectories, ordered by step and then by trajectory, one-hot [L·B, …]. */
export interface History {
  /** Null if L is 0. */
  readonly steps: HistoryStep | null;
  readonly batch: number;
}

/** The networks of a GFlowNet for one environment, as array functions of flat parameter vectors. */
export interface Model {
  readonly environment: Environment;
  readonly policyLayout: Layout<PolicyParams>;
  readonly dynamicsLayout: Layout<NetworkParams>;
  /** Factors on the learning rate of each parameter; undefined if all are 1. */
  readonly rateScales: { readonly policy?: Float32Array; readonly dynamics?: Float32Array };
  /** The history that each network is conditioned on; undefined for a network that depends on the state alone. */
  readonly historyInputs: {
    readonly policy?: EncoderOptions["historyInputs"];
    readonly dynamics?: EncoderOptions["historyInputs"];
  };
  /** Whether the flow and the backward policy are computed from the history, so that states after the last step need it
   * too. */
  readonly flowFromHistory: boolean;
  /** Whether the policy network reads the state alone: neither a history nor letters one after the other. */
  readonly policyReadsStates: boolean;
  /** Outputs of the policy network for R states. `policy` is its flat parameter vector, and `embedding` the embedding of
   * the histories, [R, width], if the policy is history-conditioned. */
  applyPolicy(policy: np.Array, features: np.Array, index: np.Array, embedding?: np.Array): PolicyOutputs;
  /** All states of the first steps, if they are fewer than the rows of B trajectories and the network depends on nothing else;
   * else null. */
  firstStates(net: "policy" | "dynamics", batch: number): FirstStates | null;
  /** The policy for a rollout of B trajectories. The returned function must be called once per step, in order, with the
   * previous step, and returns the logits of the actions, [B, actions], or [1, actions] at the start. `each` receives
   * pre-activations: at the start those of all first states, and then nothing until the steps after them. */
  incrementalPolicy(
    policy: np.Array,
    batch: number,
  ): (state: State, previous: HistoryStep | null, each?: ActivationHook) => np.Array;
  /** Outputs of the policy network side by side, [R, …], for the start and the states after each step of a history. Null
   * instead of a history gives the outputs of any states, without forward logits if the policy is history-conditioned. */
  packedPolicyOutputs(
    policy: np.Array,
    features: np.Array,
    index: np.Array,
    history: History | null,
    each?: ActivationHook,
  ): np.Array;
  /** Splits the result of `packedPolicyOutputs`. */
  unpackPolicyOutputs(packed: np.Array): PolicyOutputs;
  /** log Z if it is a learned parameter, []. */
  learnedLogZ(policy: np.Array): np.Array | undefined;
  /** log P̂(c | s, a), [R, a, c]. `dynamics` is the flat parameter vector of the dynamics model, and `legal` the mask of
   * the legal outcomes, bool [R, outcomes] or [1, outcomes]. `history` says how B trajectories led to the states, if
   * these are the start and the states after each step, R = (1 + L)·B. */
  applyDynamics(
    dynamics: np.Array,
    features: np.Array,
    index: np.Array,
    legal: np.Array,
    embedding?: np.Array,
    history?: History,
  ): np.Array;
  /** Logits of the next outcome, or the stop, in a state, for any history, [R, actions]. Only with `objectMarginal`. */
  objectMarginalLogits?(policy: np.Array, features: np.Array, index: np.Array): np.Array;
  /** Embeddings of a history at the start and after each step, [1 + L·B, width]. Only for a history-conditioned network. */
  historyEmbeddings(
    net: "policy" | "dynamics",
    flat: np.Array,
    history: History,
    each?: ActivationHook,
  ): np.Array;
  /** The state of the history encoder of a network before the first step. `each` receives its activations. Only for a
   * history-conditioned network. */
  startHistory(net: "policy" | "dynamics", flat: np.Array, each?: ActivationHook): EncoderState;
}

/** Learning rates of the object marginal as multiples of the policy's. It must follow the policy faster than the policy
 * moves; otherwise both oscillate. */
const MARGINAL_RATE_SCALE = 10;
const MARGINAL_TABLE_RATE_SCALE = 50;

/** Creates the networks of a GFlowNet for an environment. */
export function model(environment: Environment, settings: ModelSettings): Model {
  const options = optionsByNetwork(settings);
  const backward = readsBackwardPolicy(environment, settings);
  const policy = policyNetwork(environment, { ...options.policy, backward });
  // What the environment does with an action does not depend on a preference.
  const dynamics = dynamicsNetwork(
    isPreference(environment) ? environment.base : environment,
    options.dynamics,
  );
  const logZ: ParamSpec = { shape: [1], init: () => Float32Array.of(settings.logZInitial) };
  const objectMarginal = options.objectMarginal && objectMarginalNetwork(environment, options.objectMarginal);
  const tree: PolicyParams = {
    network: policy.params,
    ...(settings.learnLogZ && { logZ }),
    ...(objectMarginal && { objectLaw: objectMarginal.params }),
  };
  const policyLayout = layout(tree);
  const dynamicsLayout = layout(dynamics.params);
  const rateScaleOf = (path: string) => {
    if (path === "logZ") return settings.logZRateScale;
    if (path.startsWith("objectLaw.stateTable.")) return MARGINAL_TABLE_RATE_SCALE;
    if (path.startsWith("objectLaw.")) return MARGINAL_RATE_SCALE;
    if (path.startsWith("network.stateTable.")) return settings.stateTableRateScale;
    if (path.startsWith("stateTable.")) return settings.dynamicsStateTableRateScale;
    return 1;
  };
  return {
    environment,
    policyLayout,
    dynamicsLayout,
    // Computed on request, because they are as long as the parameters.
    rateScales: {
      get policy() {
        return rateScalesOf(policyLayout, rateScaleOf);
      },
      get dynamics() {
        return rateScalesOf(dynamicsLayout, rateScaleOf);
      },
    },
    historyInputs: {
      policy: options.policy.encoder?.historyInputs,
      dynamics: options.dynamics.encoder?.historyInputs,
    },
    flowFromHistory: policy.flowFromHistory,
    policyReadsStates: readsStates(policy),
    applyPolicy(flat, features, index, embedding) {
      return policy.apply(networkParams(flat), features, index, embedding);
    },
    firstStates: sharedStates,
    incrementalPolicy(flat, batch) {
      const params = networkParams(flat);
      const { encoder } = policy;
      let encoded: EncoderState | undefined;
      let prefix: PrefixState | undefined;
      const shared = sharedStates("policy", batch);
      let sharedLogits: np.Array | undefined; // [F, actions]
      let step = 0;
      return ({ features, index }, previous, each) => {
        if (shared && step++ < shared.steps) {
          if (!sharedLogits) {
            const first = shared.arrays();
            sharedLogits = policy.forwardLogits(params, first.features, first.index, { each }); // [F, actions]
          }
          return np.take(sharedLogits, index, 0); // [B, actions] or [1, actions]
        }
        if (encoder && params.encoder) {
          encoded = encoded && previous ? encoded.next(previous, each) : encoder.start(params.encoder, each);
        }
        prefix = prefix && previous ? prefix.next(previous.outcome) : policy.startByLetter(params);
        const inputs = { each, embedding: encoded?.embedding, sums: prefix?.sums };
        return policy.forwardLogits(params, features, index, inputs); // [B, actions] or [1, actions]
      };
    },
    packedPolicyOutputs(flat, features, index, history, each) {
      // The vector is split only once, because the gradient of each split is as long as the vector.
      const params = networkParams(flat);
      const embedding = policy.encoder && history ? encodeAll(policy, params, history, each) : undefined; // [R, width]
      return policy.packedOutputs(params, features, index, { each, embedding, letters: lettersOf(history) }); // [R, …]
    },
    unpackPolicyOutputs: policy.unpackOutputs,
    learnedLogZ(flat) {
      if (!settings.learnLogZ) return undefined;
      const { logZ } = policyLayout.split(flat);
      return logZ && np.reshape(logZ, []); // []
    },
    applyDynamics(flat, features, index, legal, embedding, history) {
      const inputs = { embedding, letters: lettersOf(history) };
      const own = isPreference(environment) ? withoutPreference(environment, features) : features; // [R, features]
      return dynamics.apply(dynamicsLayout.split(flat), own, index, legal, inputs); // [R, a, c]
    },
    historyEmbeddings(net, flat, history, each) {
      return net === "policy"
        ? encodeAll(policy, networkParams(flat), history, each) // [1 + L·B, width]
        : encodeAll(dynamics, dynamicsLayout.split(flat), history, each); // [1 + L·B, width]
    },
    startHistory(net, flat, each) {
      return net === "policy"
        ? startOf(policy, networkParams(flat), each)
        : startOf(dynamics, dynamicsLayout.split(flat), each);
    },
    ...(objectMarginal && {
      objectMarginalLogits(flat: np.Array, features: np.Array, index: np.Array) {
        const params = policyLayout.split(flat).objectLaw as ArraysOf<NetworkParams>;
        return objectMarginal.apply(params, features, index); // [R, actions]
      },
    }),
  };

  function readsStates({ encoder, readsLetters }: typeof policy | typeof dynamics): boolean {
    return !encoder && !readsLetters;
  }

  function sharedStates(net: "policy" | "dynamics", batch: number): FirstStates | null {
    return readsStates(net === "policy" ? policy : dynamics) ? firstStates(environment, batch) : null;
  }

  function networkParams(flat: np.Array) {
    return policyLayout.split(flat).network as ArraysOf<PolicyNetworkParams>;
  }
}

/** The outcomes of a history, which are the letters if the environment writes a sequence. */
function lettersOf(history: History | null | undefined): Letters | undefined {
  return history ? { letters: history.steps?.outcome ?? null, batch: history.batch } : undefined;
}

interface MaybeEncoding {
  readonly encoder?: HistoryEncoder;
}

interface MaybeEncoderParams {
  readonly encoder?: ArraysOf<EncoderParams>;
}

function encodeAll(
  network: MaybeEncoding,
  params: MaybeEncoderParams,
  { steps, batch }: History,
  each?: ActivationHook,
): np.Array {
  const { encoder, encoderParams } = encoderOf(network, params);
  return encoder.encodeAll(encoderParams, steps, batch, each); // [1 + L·B, width]
}

function startOf(network: MaybeEncoding, params: MaybeEncoderParams, each?: ActivationHook): EncoderState {
  const { encoder, encoderParams } = encoderOf(network, params);
  return encoder.start(encoderParams, each);
}

function encoderOf({ encoder }: MaybeEncoding, { encoder: encoderParams }: MaybeEncoderParams) {
  if (!encoder || !encoderParams) throw new TypeError("model: internal: this network has no history encoder");
  return { encoder, encoderParams };
}

/** One factor per parameter, by its path; undefined if all are 1. */
function rateScalesOf(
  { entries, fill }: Pick<Layout<unknown>, "entries" | "fill">,
  rateScaleOf: (path: string) => number,
): Float32Array | undefined {
  return entries.some(({ path }) => rateScaleOf(path) !== 1)
    ? fill(({ path }) => rateScaleOf(path))
    : undefined;
}
