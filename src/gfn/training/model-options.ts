// Converts flat settings into the options of the networks.

import type { EncoderOptions } from "../policy/history-encoder.ts";
import type { ModelOptions } from "../policy/model.ts";
import { type EncoderInput, learnsDynamics, type Settings } from "./settings.ts";

/** Settings that decide the networks and their parameters. */
export type ModelSettings = Pick<
  Settings,
  | "dynamics"
  | "hidden"
  | "activation"
  | "stateTableRows"
  | "stateTableRateScale"
  | "state"
  | "embeddingWidth"
  | "dynamicsHidden"
  | "dynamicsStateTableRows"
  | "dynamicsStateTableRateScale"
  | "objectMarginalHidden"
  | "encoder"
  | "dynamicsEncoder"
  | "encoderLayers"
  | "encoderWidth"
  | "encoderHeads"
  | "encoderFeedForward"
  | "learnLogZ"
  | "logZInitial"
  | "logZRateScale"
>;

export function modelOptions(settings: ModelSettings): ModelOptions {
  const { activation, state: stateInput, embeddingWidth, hidden } = settings;
  const network = { activation, stateInput, embeddingWidth };
  const encoder = encoderOptions(settings, settings.encoder);
  const dynamicsEncoder = learnsDynamics(settings)
    ? encoderOptions(settings, settings.dynamicsEncoder)
    : undefined;
  return {
    policy: {
      ...network,
      hidden,
      ...(settings.stateTableRows > 0 && {
        stateTableRows: settings.stateTableRows,
        stateTableRateScale: settings.stateTableRateScale,
      }),
      ...(encoder && { encoder }),
    },
    dynamics: {
      ...network,
      hidden: settings.dynamicsHidden,
      ...(settings.dynamicsStateTableRows > 0 && {
        stateTableRows: settings.dynamicsStateTableRows,
        stateTableRateScale: settings.dynamicsStateTableRateScale,
      }),
      // A dynamics model without an encoder needs the state as input.
      ...(dynamicsEncoder
        ? { encoder: dynamicsEncoder }
        : stateInput === "none" && { stateInput: "one-hot" as const }),
    },
    ...(settings.dynamics === "thought" && {
      objectMarginal: { hidden: settings.objectMarginalHidden, activation },
    }),
    ...(settings.learnLogZ && {
      logZ: { initial: settings.logZInitial, rateScale: settings.logZRateScale },
    }),
  };
}

function encoderOptions(settings: ModelSettings, input: EncoderInput): EncoderOptions | undefined {
  if (input === "none") return undefined;
  const { encoderLayers: layers, encoderWidth: width, encoderHeads: heads } = settings;
  const feedForward = settings.encoderFeedForward;
  return { historyInputs: input, layers, width, heads, ...(feedForward > 0 && { feedForward }) };
}
