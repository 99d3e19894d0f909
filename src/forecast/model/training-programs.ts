// The compiled programs of training: one iteration (losses, gradient, clipping, AdamW) and the validation loss. The learning
// rate is an input of each iteration.

import { type numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArraySpec, compile, type Program, spec } from "../../engine/index.ts";
import { adamW, optimiserStep } from "../../nn/index.ts";
import type { ForecastNetwork } from "./forecast-network.ts";
import type { CompleteForecastSettings } from "./settings.ts";
import type { WindowArrays } from "./window-arrays.ts";

export interface TrainingPrograms {
  readonly train: Program<string, string, "parameters" | "m" | "v" | "step">;
  readonly evaluate: Program<string, string>;
}

/** Compiles both programs for paths of P steps. */
export async function trainingPrograms(
  network: ForecastNetwork,
  settings: CompleteForecastSettings,
  P: number,
): Promise<TrainingPrograms> {
  const { batch: B, engine, threads } = settings;
  const { size } = network.layout;
  // Weights decay; biases and other vectors do not.
  const decayMask = network.layout.fill(({ shape }) => (shape.length > 1 ? 1 : 0));
  const batchSpecs = {
    ...network.inputSpecs(B),
    tokens: spec([B, P], "int32"),
    weights: spec([B, P]),
    ...(network.pointForecast && { standardised: spec([B, P]) }),
  } as Record<BatchInput, ArraySpec>;
  const lossesAt = (flat: np.Array, inputs: Readonly<Record<string, np.Array>>) =>
    network.losses(network.layout.split(flat), inputs);

  function train(
    inputs: Readonly<Record<BatchInput | "learningRate" | "parameters" | "m" | "v" | "step", np.Array>>,
  ) {
    const { learningRate, parameters, m, v, step } = inputs; // [], [N], [N], [N], []
    const [loss, gradient] = valueAndGrad((flat: np.Array) => lossesAt(flat, inputs).loss)(parameters); // [], [N]
    const { params, state } = optimiserStep(
      adamW({ learningRate, weightDecay: settings.weightDecay, decayMask }),
      parameters,
      gradient,
      { m, v, step },
      MAX_GRADIENT_NORM,
    ); // [N], [N] each
    return { parameters: params, ...state, loss };
  }

  const stateSpecs = { parameters: spec([size]), m: spec([size]), v: spec([size]), step: spec([], "int32") };
  return {
    train: (await compile(
      train,
      { ...batchSpecs, learningRate: spec([]), ...stateSpecs },
      { state: ["parameters", "m", "v", "step"], finite: ["loss"], engine, threads },
    )) as TrainingPrograms["train"],
    evaluate: (await compile(
      function evaluate(inputs: Readonly<Record<BatchInput | "parameters", np.Array>>) {
        return { crossEntropy: lossesAt(inputs.parameters, inputs).crossEntropy };
      },
      { ...batchSpecs, parameters: spec([size]) },
      { engine, threads },
    )) as TrainingPrograms["evaluate"],
  };
}

type BatchInput = keyof WindowArrays | "tokens" | "weights" | "standardised";

const MAX_GRADIENT_NORM = 1;
