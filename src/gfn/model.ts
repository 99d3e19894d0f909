// What is trained: the policy with its flow, perhaps a log Z of its own, and the model of the dynamics, each as one
// flat vector of parameters.

import { numpy as np } from "@jax-js/jax";
import { type ArraysOf, type EachSum, type Layout, layout, type ParamSpec } from "../nn/index.ts";
import type { Environment } from "./environment.ts";
import {
  dynamicsNetwork,
  type NetworkOptions,
  type NetworkParams,
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
}

type PolicyParams = { readonly network: NetworkParams; readonly logZ?: ParamSpec };

export interface Model {
  readonly environment: Environment;
  readonly policyLayout: Layout<PolicyParams>;
  readonly dynamicsLayout: Layout<NetworkParams>;
  /** Factors on each network's learning rate, or nothing where all of it moves alike. */
  readonly rateScales: { readonly policy?: Float32Array; readonly dynamics?: Float32Array };
  /** What the policy says of states, R rows, out of its flat parameters. */
  policyOf(policy: np.Array, features: np.Array, index: np.Array): PolicyOutputs;
  /** The same with all outputs side by side, [R, …]; `each` sees the sums of the network's layers. */
  policyRows(policy: np.Array, features: np.Array, index: np.Array, each?: EachSum): np.Array;
  /** Tells the outputs of `policyRows` apart. */
  policyOutputs(rows: np.Array): PolicyOutputs;
  /** log Z if it is a parameter of its own, []. */
  logZOf(policy: np.Array): np.Array | undefined;
  /** log P̂(c | s, a), [R, a, c], out of flat parameters; `legal` is bool [R, outcomes] or [1, outcomes]. */
  dynamicsOf(dynamics: np.Array, features: np.Array, index: np.Array, legal: np.Array): np.Array;
}

/** A log Z of its own usually has far to go and gets there alone, so it may move faster than weights. */
const LOG_Z_RATE_SCALE = 10;

export function model(environment: Environment, options: ModelOptions): Model {
  const policy = policyNetwork(environment, options.policy);
  const dynamics = dynamicsNetwork(environment, options.dynamics);
  const { initial = 0, rateScale = LOG_Z_RATE_SCALE } = options.logZ ?? {};
  const logZ: ParamSpec = { shape: [1], init: () => Float32Array.of(initial) };
  const tree: PolicyParams = { network: policy.params, ...(options.logZ && { logZ }) };
  const policyLayout = layout(tree);
  const dynamicsLayout = layout(dynamics.params);
  const scaleOf = (path: string) => {
    if (path === "logZ") return rateScale;
    if (path.startsWith("network.memory.")) return options.policy.memoryRateScale ?? 1;
    if (path.startsWith("memory.")) return options.dynamics.memoryRateScale ?? 1;
    return 1;
  };
  return {
    environment,
    policyLayout,
    dynamicsLayout,
    rateScales: { policy: scalesOf(policyLayout, scaleOf), dynamics: scalesOf(dynamicsLayout, scaleOf) },
    policyOf(flat, features, index) {
      return policy.apply(policyLayout.split(flat).network as ArraysOf<NetworkParams>, features, index);
    },
    policyRows(flat, features, index, each) {
      return policy.outputs(
        policyLayout.split(flat).network as ArraysOf<NetworkParams>,
        features,
        index,
        each,
      );
    },
    policyOutputs: policy.named,
    logZOf(flat) {
      const { logZ } = policyLayout.split(flat);
      return logZ && np.reshape(logZ, []); // []
    },
    dynamicsOf(flat, features, index, legal) {
      return dynamics.apply(dynamicsLayout.split(flat), features, index, legal); // [R, a, c]
    },
  };
}

/** One factor per parameter, by the name of what it belongs to; nothing if all are 1. */
function scalesOf(
  { entries, fill }: Pick<Layout<unknown>, "entries" | "fill">,
  scaleOf: (path: string) => number,
): Float32Array | undefined {
  return entries.some(({ path }) => scaleOf(path) !== 1) ? fill(({ path }) => scaleOf(path)) : undefined;
}
