// Samples the object that results from an intended object in a noisy environment.
//
// Search methods choose whole objects. An intended object becomes a fixed sequence of actions (`sampleTrajectoryTo`: its
// letters, or the moves to a grid cell in random order), which the environment executes with noise, without feedback.
// An action that noise has made illegal, such as a move beyond the edge of a grid, is skipped, because the result is
// then nearer to the intended object than if the trajectory stopped. After the last action the trajectory stops; if
// stopping is illegal, it takes the first legal action until it ends.

import type { RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import { indexInRange } from "../math/index-sampler.ts";

export interface TerminalSampler {
  /** Samples the terminal that results from a sequence of actions, which contains no stop action. */
  sampleFromActions(actions: ArrayLike<number>, stream: RandomStream): number;
  /** Samples the terminal that results from each intended terminal. */
  sampleFromTerminals(intended: ArrayLike<number>, stream: RandomStream): Int32Array;
}

/** Samples outcomes from the kernel of the enumeration. */
export function terminalSampler(environment: EnumerableEnvironment): TerminalSampler {
  const { actions, offsets, targets, probabilities } = enumerationOf(environment);
  const { outcomes } = environment;

  function sampleFromActions(sequence: ArrayLike<number>, stream: RandomStream): number {
    let state = 0;
    for (let i = 0; i < sequence.length && state >= 0; i++) {
      const action = sequence[i];
      if (!(Number.isInteger(action) && action >= 0 && action < outcomes)) {
        throw new RangeError(
          `terminalSampler: action ${i + 1} must be a whole number from 0 to ${outcomes - 1}, got ${action}`,
        );
      }
      const row = state * actions + action;
      if (offsets[row + 1] > offsets[row]) state = sampleTarget(row, stream);
    }
    while (state >= 0) state = sampleTarget(rowAfterLastAction(environment, state), stream);
    return -1 - state;
  }

  /** Index of the next state, or −1 − t if the trajectory ends at terminal t. */
  function sampleTarget(row: number, stream: RandomStream): number {
    const [first, end] = [offsets[row], offsets[row + 1]];
    if (first === end - 1) return targets[first];
    return targets[indexInRange(probabilities, first, end, stream.uniform())];
  }

  return {
    sampleFromActions,
    sampleFromTerminals(intended, stream) {
      const terminals = new Int32Array(intended.length);
      for (let i = 0; i < intended.length; i++) {
        terminals[i] = sampleFromActions(environment.sampleTrajectoryTo(intended[i], stream), stream);
      }
      return terminals;
    },
  };
}

/** The row of the enumeration (state and action) to follow after the last action: stop, or the first legal action. */
export function rowAfterLastAction(environment: EnumerableEnvironment, state: number): number {
  const { actions, offsets } = enumerationOf(environment);
  const legal = (row: number) => offsets[row + 1] > offsets[row];
  const stop = (state + 1) * actions - 1;
  if (environment.hasStop && legal(stop)) return stop;
  let row = state * actions;
  while (!legal(row)) row++;
  return row;
}
