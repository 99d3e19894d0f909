// What the networks of a config read of the episode so far.

import type { EncoderOptions } from "../../gfn/history-encoder.ts";
import { isThoughtful, learnsDynamics } from "../../gfn/settings.ts";
import type { FilledConfig } from "./defaults.ts";

export interface Encoders {
  readonly policy?: EncoderOptions;
  readonly dynamics?: EncoderOptions;
}

/** Nothing for a network that reads nothing; a dynamics model that is not learned never does. */
export function encodersOf(config: FilledConfig): Encoders {
  const {
    encoder,
    dynamicsEncoder,
    encoderLayers: layers,
    encoderWidth: width,
    encoderHeads: heads,
  } = config;
  const feedForward = config.encoderFeedForward;
  const reading = (reads: FilledConfig["encoder"]): EncoderOptions | undefined =>
    reads === "none" ? undefined : { reads, layers, width, heads, ...(feedForward > 0 && { feedForward }) };
  return {
    policy: reading(encoder),
    dynamics: learnsDynamics(config) ? reading(dynamicsEncoder) : undefined,
  };
}

/** Whether a network of the config reads what was intended. */
export function readsThoughts(config: FilledConfig): boolean {
  const { policy, dynamics } = encodersOf(config);
  return isThoughtful({
    policy: { hidden: [], encoder: policy },
    dynamics: { hidden: [], encoder: dynamics },
  });
}
