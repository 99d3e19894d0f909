// Adam as an update that a compiled program makes after each call, on the gradient that its function returns.

import type { ParameterUpdate } from "../../engine/in-place/parameter-update.ts";
import { adam } from "./adam.ts";
import { optimiserStep } from "./optimiser-step.ts";

/** Options of `adamUpdate`. */
export interface AdamUpdateOptions extends Pick<ParameterUpdate, "gradient" | "rate" | "norm" | "rateScale"> {
  /** Default: 0.9. */
  readonly beta1?: number;
  /** Default: 0.999. */
  readonly beta2?: number;
  /** Default: 1e-8. */
  readonly epsilon?: number;
  /** Largest norm of the gradient. Default: 0, no clipping. */
  readonly clip?: number;
}

/** Adam on the parameter vector of this name. Its moments are the states `NAME.m` and `NAME.v`, the number of updates is
 * `NAME.step`. */
export function adamUpdate(
  parameters: string,
  { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, clip = 0, rateScale, ...names }: AdamUpdateOptions,
): ParameterUpdate {
  const [m, v, step] = [`${parameters}.m`, `${parameters}.v`, `${parameters}.step`];
  return {
    ...{ parameters, m, v, step, ...names, beta1, beta2, epsilon, clip, rateScale },
    traced(inputs, gradient) {
      const optimiser = adam({ learningRate: inputs[names.rate], beta1, beta2, epsilon, rateScale });
      const before = { m: inputs[m], v: inputs[v], step: inputs[step] };
      const { params, state, norm } = optimiserStep(optimiser, inputs[parameters], gradient, before, clip);
      const next = { [parameters]: params, [m]: state.m, [v]: state.v, [step]: state.step };
      return names.norm === undefined ? next : { ...next, [names.norm]: norm };
    },
  };
}
