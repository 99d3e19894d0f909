// What is trained: the policy with its flow, perhaps a log Z of its own, and the model of the dynamics, each as one
// flat vector of parameters.

import { numpy as np } from "@jax-js/jax";
import { type ArraysOf, type EachSum, type Layout, layout, type ParamSpec } from "../nn/index.ts";
import type { Environment, State } from "./environment.ts";
import type { EncoderOptions, EncoderParams, HistoryEncoder, Read, StepTaken } from "./history-encoder.ts";
import {
  dynamicsNetwork,
  type NetworkOptions,
  type NetworkParams,
  type ObjectLawOptions,
  objectLawNetwork,
  type PolicyNetworkParams,
  type PolicyOutputs,
  policyNetwork,
} from "./networks.ts";

export interface LogZOptions {
  /** What it starts from. */
  readonly initial?: number;
  /** Its learning rate as a multiple of the policy's. */
  readonly rateScale?: number;
}

export interface ModelOptions {
  readonly policy: NetworkOptions;
  readonly dynamics: NetworkOptions;
  /** A parameter of its own for log Z, instead of the flow of the start. */
  readonly logZ?: LogZOptions;
  /** A model of how likely objects are, for the dynamics `thought`. */
  readonly objectLaw?: ObjectLawOptions;
}

type PolicyParams = {
  readonly network: PolicyNetworkParams;
  readonly logZ?: ParamSpec;
  readonly objectLaw?: NetworkParams;
};

/** All L steps of B episodes that come before some state, in order; one-hot [L·B, …]. None before the first. */
export interface History {
  readonly steps: StepTaken | null;
  readonly batch: number;
}

export interface Model {
  readonly environment: Environment;
  readonly policyLayout: Layout<PolicyParams>;
  readonly dynamicsLayout: Layout<NetworkParams>;
  /** Factors on each network's learning rate, or nothing where all of it moves alike. */
  readonly rateScales: { readonly policy?: Float32Array; readonly dynamics?: Float32Array };
  /** What each network reads of the episode so far; nothing if it sees the state alone. */
  readonly reads: { readonly policy?: EncoderOptions["reads"]; readonly dynamics?: EncoderOptions["reads"] };
  /** What the policy says of states, R rows, out of its flat parameters; `summary` as it reads, [R, width]. */
  policyOf(policy: np.Array, features: np.Array, index: np.Array, summary?: np.Array): PolicyOutputs;
  /** The policy along unrolled episodes: asked once per step, in order, with the step before. Gives forward logits,
   * [B, actions] or [1, actions] at the start; `each` sees the sums of the network's layers. */
  policyAlong(policy: np.Array): (state: State, before: StepTaken | null, each?: EachSum) => np.Array;
  /** All outputs side by side, [R, …], of the start and of the states after each step of a history. */
  policyRows(
    policy: np.Array,
    features: np.Array,
    index: np.Array,
    history: History | null,
    each?: EachSum,
  ): np.Array;
  /** Tells the outputs of `policyRows` apart. */
  policyOutputs(rows: np.Array): PolicyOutputs;
  /** log Z if it is a parameter of its own, []. */
  logZOf(policy: np.Array): np.Array | undefined;
  /** log P̂(c | s, a), [R, a, c], out of flat parameters; `legal` is bool [R, outcomes] or [1, outcomes]. */
  dynamicsOf(
    dynamics: np.Array,
    features: np.Array,
    index: np.Array,
    legal: np.Array,
    summary?: np.Array,
  ): np.Array;
  /** Unnormalised log-probabilities of what comes next in states, a stop included, whatever the thought, [R, actions];
   * only with `objectLaw`. */
  nextOf?(policy: np.Array, features: np.Array, index: np.Array): np.Array;
  /** Summaries of a history as a network reads it, [1 + L·B, width]; only where it does. */
  summaries(net: "policy" | "dynamics", flat: np.Array, history: History, each?: EachSum): np.Array;
}

/** A log Z of its own usually has far to go and gets there alone, so it may move faster than weights. */
const LOG_Z_RATE_SCALE = 10;
/** The law of objects must follow the policy faster than that moves, or both swing. */
const LAW_RATE_SCALE = 10;
const LAW_MEMORY_RATE_SCALE = 50;

export function model(environment: Environment, options: ModelOptions): Model {
  const policy = policyNetwork(environment, options.policy);
  const dynamics = dynamicsNetwork(environment, options.dynamics);
  const { initial = 0, rateScale = LOG_Z_RATE_SCALE } = options.logZ ?? {};
  const logZ: ParamSpec = { shape: [1], init: () => Float32Array.of(initial) };
  const objectLaw = options.objectLaw && objectLawNetwork(environment, options.objectLaw);
  const { rateScale: lawScale = LAW_RATE_SCALE, memoryRateScale: lawMemoryScale = LAW_MEMORY_RATE_SCALE } =
    options.objectLaw ?? {};
  const tree: PolicyParams = {
    network: policy.params,
    ...(options.logZ && { logZ }),
    ...(objectLaw && { objectLaw: objectLaw.params }),
  };
  const policyLayout = layout(tree);
  const dynamicsLayout = layout(dynamics.params);
  const scaleOf = (path: string) => {
    if (path === "logZ") return rateScale;
    if (path.startsWith("objectLaw.memory.")) return lawMemoryScale;
    if (path.startsWith("objectLaw.")) return lawScale;
    if (path.startsWith("network.memory.")) return options.policy.memoryRateScale ?? 1;
    if (path.startsWith("memory.")) return options.dynamics.memoryRateScale ?? 1;
    return 1;
  };
  return {
    environment,
    policyLayout,
    dynamicsLayout,
    rateScales: { policy: scalesOf(policyLayout, scaleOf), dynamics: scalesOf(dynamicsLayout, scaleOf) },
    reads: { policy: options.policy.encoder?.reads, dynamics: options.dynamics.encoder?.reads },
    policyOf(flat, features, index, summary) {
      return policy.apply(networkIn(flat), features, index, summary);
    },
    policyAlong(flat) {
      const params = networkIn(flat);
      const { encoder } = policy;
      let read: Read | undefined;
      return ({ features, index }, before, each) => {
        if (encoder && params.encoder) {
          read =
            read && before
              ? encoder.next(params.encoder, read, before, each)
              : encoder.begin(params.encoder, each);
        }
        return policy.forward(params, features, index, { each, summary: read?.summary }); // [B, actions] or [1, actions]
      };
    },
    policyRows(flat, features, index, history, each) {
      // Taken apart once: the gradient of every taking apart is as long as all parameters.
      const params = networkIn(flat);
      const summary = policy.encoder && history ? summariesBy(policy, params, history, each) : undefined; // [R, width]
      return policy.outputs(params, features, index, { each, summary }); // [R, …]
    },
    policyOutputs: policy.named,
    logZOf(flat) {
      if (!options.logZ) return undefined;
      const { logZ } = policyLayout.split(flat);
      return logZ && np.reshape(logZ, []); // []
    },
    dynamicsOf(flat, features, index, legal, summary) {
      return dynamics.apply(dynamicsLayout.split(flat), features, index, legal, summary); // [R, a, c]
    },
    summaries,
    ...(objectLaw && {
      nextOf(flat: np.Array, features: np.Array, index: np.Array) {
        const params = policyLayout.split(flat).objectLaw as ArraysOf<NetworkParams>;
        return objectLaw.apply(params, features, index); // [R, actions]
      },
    }),
  };

  function networkIn(flat: np.Array) {
    return policyLayout.split(flat).network as ArraysOf<PolicyNetworkParams>;
  }

  function summaries(net: "policy" | "dynamics", flat: np.Array, history: History, each?: EachSum) {
    return net === "policy"
      ? summariesBy(policy, networkIn(flat), history, each) // [1 + L·B, width]
      : summariesBy(dynamics, dynamicsLayout.split(flat), history, each); // [1 + L·B, width]
  }
}

function summariesBy(
  { encoder }: { readonly encoder?: HistoryEncoder },
  params: { readonly encoder?: ArraysOf<EncoderParams> },
  { steps, batch }: History,
  each?: EachSum,
): np.Array {
  if (!encoder || !params.encoder) throw new TypeError("model: internal: this network reads nothing");
  return encoder.all(params.encoder, steps, batch, each); // [1 + L·B, width]
}

/** Summaries with the start in one row, [1 + L·B, width], as rows of every episode: [(1 + L)·B, width]. */
export function forEachEpisode(summaries: np.Array, B: number): np.Array {
  const [rows, width] = summaries.shape;
  if (rows === 1) return np.broadcastTo(summaries, [B, width]); // [B, width]
  const [first, later] = np.split(summaries, [1], 0); // [1, width], [L·B, width]
  return np.concatenate([np.broadcastTo(first, [B, width]), later], 0); // [(1 + L)·B, width]
}

/** One factor per parameter, by the name of what it belongs to; nothing if all are 1. */
function scalesOf(
  { entries, fill }: Pick<Layout<unknown>, "entries" | "fill">,
  scaleOf: (path: string) => number,
): Float32Array | undefined {
  return entries.some(({ path }) => scaleOf(path) !== 1) ? fill(({ path }) => scaleOf(path)) : undefined;
}
