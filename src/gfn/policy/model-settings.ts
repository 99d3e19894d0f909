// The settings that decide the networks of a model and their parameters, and the options of each network that follow.

import type { ActivationName } from "../../nn/activation-names.ts";
import { learnsDynamics, type Objective } from "../objectives/objective.ts";
import type { EncoderOptions } from "./encoder.ts";
import type { EncoderInput, NetworkName, OutputInit, StateInput } from "./input-names.ts";
import type { NetworkOptions, ObjectMarginalOptions } from "./networks.ts";

/** A part of all training settings, with the same names. `defaultSettings` has the default of each. */
export interface ModelSettings extends Pick<Objective, "dynamics" | "loss"> {
  /** What reads a state for the policy. With `recurrent` or `transformer`, a network over the outcomes written so far
   * takes the place of the features of a sequence; its output goes through the hidden layers. */
  readonly network: NetworkName;
  /** Widths of the policy's hidden layers. */
  readonly hidden: readonly number[];
  readonly activation: ActivationName;
  /** Rows of the policy's state table; 0 for none. */
  readonly stateTableRows: number;
  /** Learning rate of the state table as a multiple of the weights'. */
  readonly stateTableRateScale: number;
  /** How both networks receive a state. */
  readonly state: StateInput;
  readonly embeddingWidth: number;
  /** Initial weights of the policy's last layer. */
  readonly outputInit: OutputInit;
  readonly dynamicsHidden: readonly number[];
  readonly dynamicsStateTableRows: number;
  readonly dynamicsStateTableRateScale: number;
  /** Widths of the hidden layers of the object marginal, which the dynamics form `thought` learns. */
  readonly objectMarginalHidden: readonly number[];

  /** History that the policy is conditioned on. */
  readonly encoder: EncoderInput;
  /** History that the dynamics model is conditioned on. */
  readonly dynamicsEncoder: EncoderInput;
  readonly encoderLayers: number;
  readonly encoderWidth: number;
  readonly encoderHeads: number;
  /** Hidden width of the feed-forward layers; 0 for four times `encoderWidth`. */
  readonly encoderFeedForward: number;

  /** Whether log Z is a learned parameter, instead of the log flow of the start. For `tb` and `subtb`. */
  readonly learnLogZ: boolean;
  readonly logZInitial: number;
  /** Learning rate of log Z as a multiple of the policy's. */
  readonly logZRateScale: number;
}

/** Options of each network. There is an object marginal only with the dynamics form `thought`. */
export interface OptionsByNetwork {
  readonly policy: NetworkOptions;
  readonly dynamics: NetworkOptions;
  readonly objectMarginal?: ObjectMarginalOptions;
}

export function optionsByNetwork(settings: ModelSettings): OptionsByNetwork {
  const { activation, state, embeddingWidth, hidden } = settings;
  const network = { activation, state, embeddingWidth };
  const encoder = policyEncoder(settings);
  const dynamicsEncoder = learnsDynamics(settings)
    ? encoderOptions(settings, settings.dynamicsEncoder)
    : undefined;
  return {
    policy: {
      ...{ ...network, hidden, stateTableRows: settings.stateTableRows },
      outputInit: settings.outputInit,
      ...(encoder && { encoder }),
      ...(encoder?.flowFromHistory && { state: "none" as const }),
    },
    dynamics: {
      ...{ ...network, hidden: settings.dynamicsHidden, stateTableRows: settings.dynamicsStateTableRows },
      // A dynamics model without an encoder needs the state as input.
      ...(dynamicsEncoder ? { encoder: dynamicsEncoder } : state === "none" && { state: "one-hot" as const }),
    },
    ...(settings.dynamics === "thought" && {
      objectMarginal: { hidden: settings.objectMarginalHidden, activation },
    }),
  };
}

function policyEncoder(settings: ModelSettings): EncoderOptions | undefined {
  const { network: kind } = settings;
  if (kind === "mlp") return encoderOptions(settings, settings.encoder);
  const encoder = encoderOptions(settings, "outcomes");
  return encoder && { ...encoder, kind, flowFromHistory: true };
}

function encoderOptions(settings: ModelSettings, input: EncoderInput): EncoderOptions | undefined {
  if (input === "none") return undefined;
  const { encoderLayers: layers, encoderWidth: width, encoderHeads: heads } = settings;
  const feedForward = settings.encoderFeedForward;
  return { historyInputs: input, layers, width, heads, ...(feedForward > 0 && { feedForward }) };
}
