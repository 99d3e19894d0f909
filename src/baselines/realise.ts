// What the environment makes of a plan: intentions fixed beforehand, which do not look at what happens on the way.
//
// Methods that choose whole objects know nothing of steps. They intend an object; its plan is a way to it (`wayTo`: its
// letters, or the moves to a cell in a random order), and the environment realises one intention after the other with
// its noise. Noise may lead to where the next intention is not legal, as at the edge of a grid: it is left out and the
// plan goes on with the one after it, which ends nearer to what was intended than to stop there would. After the last
// intention the episode stops; where no stop is legal, the first intention that is legal takes its place.

import type { RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";

export interface Realiser {
  /** The terminal that comes of a plan, drawn. A plan has no stop: it ends where it ends. */
  draw(plan: ArrayLike<number>, stream: RandomStream): number;
  /** The terminals that come of intended terminals, one each. */
  drawAll(intended: ArrayLike<number>, stream: RandomStream): Int32Array;
}

/** Draws with the environment's listed kernel. */
export function realiser(environment: EnumerableEnvironment): Realiser {
  const { actions, offsets, targets, probabilities } = listingOf(environment);
  const { outcomes } = environment;

  function draw(plan: ArrayLike<number>, stream: RandomStream): number {
    let at = 0;
    for (let i = 0; i < plan.length && at >= 0; i++) {
      const intention = plan[i];
      if (!(Number.isInteger(intention) && intention >= 0 && intention < outcomes)) {
        throw new RangeError(
          `realiser: intention ${i + 1} of a plan must be a whole number from 0 to ${outcomes - 1}, got ${intention}`,
        );
      }
      const row = at * actions + intention;
      if (offsets[row + 1] > offsets[row]) at = follow(row, stream);
    }
    while (at >= 0) at = follow(endingRow(environment, at), stream);
    return -1 - at;
  }

  function follow(row: number, stream: RandomStream): number {
    const last = offsets[row + 1] - 1;
    let i = offsets[row];
    if (i === last) return targets[i];
    for (let rest = stream.uniform() - probabilities[i]; rest >= 0 && i < last; ) rest -= probabilities[++i];
    return targets[i];
  }

  return {
    draw,
    drawAll(intended, stream) {
      const terminals = new Int32Array(intended.length);
      for (let i = 0; i < intended.length; i++) {
        terminals[i] = draw(environment.wayTo(intended[i], stream), stream);
      }
      return terminals;
    },
  };
}

/** The row of the listing that is followed in a state when the plan is at its end. */
export function endingRow(environment: EnumerableEnvironment, state: number): number {
  const { actions, offsets } = listingOf(environment);
  const legal = (row: number) => offsets[row + 1] > offsets[row];
  const stop = (state + 1) * actions - 1;
  if (environment.stops && legal(stop)) return stop;
  let row = state * actions;
  while (!legal(row)) row++;
  return row;
}
