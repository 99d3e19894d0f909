// History encoders: networks that turn the steps before a state into an embedding. A transformer reads the action of each
// step (the thought), the outcome, or both; a recurrent network reads the outcome.

import { checkSizes } from "../../nn/checks.ts";
import type { Environment } from "../environment/environment.ts";
import type { EncoderOptions, EncoderWith } from "./encoder.ts";
import { HISTORY_INPUTS } from "./input-names.ts";
import { type RecurrentEncoderParams, recurrentEncoder } from "./recurrent-encoder.ts";
import { type TransformerEncoderParams, transformerEncoder } from "./transformer-encoder.ts";

export type EncoderParams = TransformerEncoderParams | RecurrentEncoderParams;
export type HistoryEncoder = EncoderWith<EncoderParams>;

export function historyEncoder(environment: Environment, options: EncoderOptions): HistoryEncoder {
  const { historyInputs, layers, width, heads, kind = "transformer" } = options;
  if (!HISTORY_INPUTS.includes(historyInputs)) {
    throw new RangeError(
      `encoder: historyInputs must be one of ${HISTORY_INPUTS.join(", ")}, got ${historyInputs}`,
    );
  }
  checkSizes("encoder", { layers, width, heads });
  // No state after the last step needs an embedding, unless the backward policy reads it.
  const longest = environment.maxSteps - (options.flowFromHistory ? 0 : 1);
  return kind === "transformer"
    ? transformerEncoder(environment, options, longest)
    : recurrentEncoder(environment, options, longest);
}
