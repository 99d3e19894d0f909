// The programs of a training by likelihood: one iteration as one call, and the loss of windows that only validate.

import { type numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArraySpec, compile, type Program, spec } from "../../engine/index.ts";
import { adamW, clipByGlobalNorm, cosineSchedule, warmUp } from "../../nn/index.ts";
import type { ForecastNetwork } from "./network.ts";
import type { CompleteSettings } from "./settings.ts";
import type { WindowArrays } from "./windows.ts";

export interface TrainingPrograms {
  readonly train: Program<string, string, "parameters" | "m" | "v" | "step">;
  readonly evaluate: Program<string, string>;
}

/** Both programs, for paths of P steps. */
export async function trainingPrograms(
  network: ForecastNetwork,
  settings: CompleteSettings,
  P: number,
): Promise<TrainingPrograms> {
  const { batch: B, engine, threads } = settings;
  const { size } = network.layout;
  const optimiser = optimiserOf(settings, network);
  const example = {
    ...network.specs(B),
    tokens: spec([B, P], "int32"),
    weights: spec([B, P]),
    ...(network.point && { differences: spec([B, P]) }),
  } as Record<TrainName, ArraySpec>;
  const lossesAt = (flat: np.Array, inputs: Readonly<Record<string, np.Array>>) =>
    network.losses(network.layout.split(flat), inputs);

  function train(inputs: Readonly<Record<TrainName | "parameters" | "m" | "v" | "step", np.Array>>) {
    const { parameters, m, v, step } = inputs; // [N], [N], [N], []
    const [loss, raw] = valueAndGrad((flat: np.Array) => lossesAt(flat, inputs).loss)(parameters); // [], [N]
    const { gradient } = clipByGlobalNorm(raw, CLIP); // [N]
    const moved = optimiser.update(parameters, gradient, { m, v, step });
    return { parameters: moved.params, ...moved.state, loss };
  }

  const moments = { parameters: spec([size]), m: spec([size]), v: spec([size]), step: spec([], "int32") };
  return {
    train: (await compile(
      train,
      { ...example, ...moments },
      { state: ["parameters", "m", "v", "step"], finite: ["loss"], engine, threads },
    )) as TrainingPrograms["train"],
    evaluate: (await compile(
      function evaluate(inputs: Readonly<Record<TrainName | "parameters", np.Array>>) {
        return { crossEntropy: lossesAt(inputs.parameters, inputs).crossEntropy };
      },
      { ...example, parameters: spec([size]) },
      { engine, threads },
    )) as TrainingPrograms["evaluate"],
  };
}

/** Adam with weights that decay, biases that do not, a short rise and a half-cosine down to a twentieth. */
function optimiserOf(
  { learningRate, weightDecay, iterations }: CompleteSettings,
  { layout }: ForecastNetwork,
) {
  const rise = Math.min(50, Math.ceil(iterations / 10));
  const fall = cosineSchedule({
    from: learningRate,
    to: learningRate / 20,
    steps: Math.max(1, iterations - rise),
  });
  return adamW({
    learningRate: warmUp(rise, fall),
    weightDecay,
    decayMask: layout.fill(({ shape }) => (shape.length > 1 ? 1 : 0)),
  });
}

type TrainName = keyof WindowArrays | "tokens" | "weights" | "differences";

/** Norm of the gradient at most. */
const CLIP = 1;
