// The kernel of an enumeration, and the level of its noise if it is stick noise.

import type { Enumeration } from "./enumeration.ts";

/** The level of the enumerated noise if it is stick noise; undefined for other noise, if there are no two actions to choose
 * from, or if the level equals `declared`. */
export function stickLevel(enumeration: Enumeration, declared = Number.NaN): number | undefined {
  let level: number | undefined;
  for (let state = 0; state < enumeration.states; state++) {
    const moves = movesIn(enumeration, state);
    if (moves.length === 1 && !isNear(kernelOf(enumeration, state, moves[0])[moves[0]], 1)) return undefined;
    if (moves.length < 2) continue;
    for (const action of moves) {
      const kernel = kernelOf(enumeration, state, action);
      level ??= Math.max(0, (1 - kernel[action]) / (1 - 1 / moves.length));
      const rest = level / moves.length;
      const isStick = moves.every((c) => isNear(kernel[c], c === action ? 1 - level! + rest : rest));
      if (!isStick || level >= 1 || isNear(level, declared)) return undefined;
    }
  }
  return level;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-9;
}

/** Legal actions in a state, without the stop. */
export function movesIn({ actions, offsets, outcome }: Enumeration, state: number): number[] {
  const moves: number[] = [];
  for (let action = 0; action < actions; action++) {
    const first = offsets[state * actions + action];
    if (offsets[state * actions + action + 1] > first && outcome[first] >= 0) moves.push(action);
  }
  return moves;
}

/** Outcome probabilities of an action in a state. */
export function kernelOf(enumeration: Enumeration, state: number, action: number): Float64Array {
  const { actions, outcomes, offsets, outcome, probabilities } = enumeration;
  const kernel = new Float64Array(outcomes);
  for (let i = offsets[state * actions + action]; i < offsets[state * actions + action + 1]; i++) {
    kernel[outcome[i]] += probabilities[i];
  }
  return kernel;
}
