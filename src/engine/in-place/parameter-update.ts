// The update of a parameter vector by Adam, after each call of a program that computes its gradient.

import type { numpy as np } from "@jax-js/jax";

/**
 * An optimiser step that a program makes after each call. The function that is compiled returns the gradient; the program keeps
 * parameters, moments and the number of steps as its state.
 */
export interface ParameterUpdate {
  /** Names of the state: the parameters [P], the moments [P], and the number of updates, int32 []. */
  readonly parameters: string;
  readonly m: string;
  readonly v: string;
  readonly step: string;
  /** Output of the function, [P]. It is not an output of the program. */
  readonly gradient: string;
  /** Input with the learning rate, []. */
  readonly rate: string;
  /** Output that the program adds: the norm of the gradient before clipping, []. Omit for none. */
  readonly norm?: string;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Largest norm of the gradient; 0 does not clip. */
  readonly clip: number;
  /** Factors on the learning rate, [P]. */
  readonly rateScale?: Float32Array;
  /** The same update as array code, for engines that have no memory to update in place: the next state and the norm. */
  traced(inputs: Readonly<Record<string, np.Array>>, gradient: np.Array): Record<string, np.Array>;
}

/** Names of the state that an update keeps. */
export function updateState({ parameters, m, v, step }: ParameterUpdate): readonly string[] {
  return [parameters, m, v, step];
}

/** The function with the updates inside, which returns the next state and the norms instead of the gradients. */
export function withTracedUpdates<A extends Readonly<Record<string, np.Array>>>(
  f: (inputs: A) => Record<string, np.Array>,
  updates: readonly ParameterUpdate[],
): (inputs: A) => Record<string, np.Array> {
  if (updates.length === 0) return f;
  return (inputs) => {
    const outputs = { ...f(inputs) };
    for (const update of updates) {
      const { [update.gradient]: gradient } = outputs;
      delete outputs[update.gradient];
      Object.assign(outputs, update.traced(inputs, gradient));
    }
    return outputs;
  };
}
