// Arrays that a tabular environment looks up, computed from its enumeration and its features.

import type { Enumeration } from "./enumeration.ts";
import type { FeatureTable } from "./feature-table.ts";
import { nodeOf } from "./parent-edge-table.ts";
import { stickLevel } from "./stick-level.ts";

/** The node that each outcome leads to, [nodes · outcomes]. An outcome that is not possible stays at its node, and so does
 * every outcome of an object. */
export function nextNodes(enumeration: Enumeration): Int32Array {
  const { states, terminals, actions, outcomes, offsets, targets, outcome } = enumeration;
  const next = Int32Array.from({ length: (states + terminals) * outcomes }, (_, i) =>
    Math.floor(i / outcomes),
  );
  for (let state = 0; state < states; state++) {
    for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
      next[state * outcomes + outcome[i]] = nodeOf(enumeration, targets[i]);
    }
  }
  return next;
}

/** 0/1 masks of the legal actions and of the possible outcomes of each node, [nodes · actions] each. An object has the
 * first of each, so that no row is empty. */
export function masksOf(enumeration: Enumeration): {
  readonly allowed: Float32Array;
  readonly possible: Float32Array;
} {
  const { states, terminals, actions, offsets, outcome } = enumeration;
  const allowed = new Float32Array((states + terminals) * actions);
  const possible = new Float32Array((states + terminals) * actions);
  for (let row = 0; row < states * actions; row++) {
    if (offsets[row + 1] > offsets[row]) allowed[row] = 1;
    const start = row - (row % actions);
    for (let i = offsets[row]; i < offsets[row + 1]; i++) possible[start + outcome[i]] = 1;
  }
  for (let node = states; node < states + terminals; node++) {
    allowed[node * actions] = 1;
    possible[node * actions] = 1;
  }
  return { allowed, possible };
}

/** The kernel for sampling: the possible outcomes of each action, and their cumulative probabilities. */
export interface KernelTable {
  /** Largest number of outcomes of an action. */
  readonly slots: number;
  /** Outcome of each slot, [states · actions · slots]. */
  readonly outcomes: Int32Array;
  /** Probability of this slot and those before it; 2 from the last outcome on, [states · actions · slots]. */
  readonly cumulative: Float32Array;
}

/** Largest number of outcomes of an action. */
export function mostSlots({ offsets }: Enumeration): number {
  let most = 1;
  for (let row = 0; row + 1 < offsets.length; row++) most = Math.max(most, offsets[row + 1] - offsets[row]);
  return most;
}

export function kernelTable(enumeration: Enumeration): KernelTable {
  const { states, actions, offsets, outcome, probabilities } = enumeration;
  const slots = mostSlots(enumeration);
  const outcomes = new Int32Array(states * actions * slots);
  const cumulative = new Float32Array(states * actions * slots).fill(2);
  for (let row = 0; row < states * actions; row++) {
    const first = offsets[row];
    let sum = 0;
    for (let i = first; i < offsets[row + 1]; i++) {
      outcomes[row * slots + i - first] = outcome[i];
      sum += probabilities[i];
      if (i + 1 < offsets[row + 1]) cumulative[row * slots + i - first] = sum;
    }
  }
  return { slots, outcomes, cumulative };
}

/** The block of each feature, and its place within the block. */
export function featureColumns({ widths }: FeatureTable): {
  readonly blocks: Int32Array;
  readonly places: Int32Array;
} {
  const columns = widths.flatMap((width, block) =>
    Array.from({ length: width }, (_, place) => ({ block, place })),
  );
  return {
    blocks: Int32Array.from(columns, ({ block }) => block),
    places: Int32Array.from(columns, ({ place }) => place),
  };
}

/** Number of steps of the longest trajectory. */
export function longestTrajectory({ states, actions, offsets, targets }: Enumeration): number {
  const steps = new Uint32Array(states);
  let longest = 0;
  for (let state = 0; state < states; state++) {
    const after = steps[state] + 1;
    longest = Math.max(longest, after);
    for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
      if (targets[i] >= 0) steps[targets[i]] = Math.max(steps[targets[i]], after);
    }
  }
  return longest;
}

export interface Noise {
  /** Level of the noise, as `Environment.stick` defines it. */
  readonly stick: number;
  readonly isStickNoise: boolean;
  /** Whether outcome i is the most probable one of action i, wherever either is possible. */
  readonly hasIntendedOutcomes: boolean;
}

export function noiseOf(enumeration: Enumeration): Noise {
  const { states, actions, offsets, outcome, probabilities } = enumeration;
  const { allowed } = masksOf(enumeration);
  let certain = true;
  let hasIntendedOutcomes = true;
  let leastCertain = 1;
  for (let row = 0; row < states * actions; row++) {
    if (offsets[row] === offsets[row + 1]) continue;
    const start = row - (row % actions);
    let [largest, intended] = [0, 0];
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      largest = Math.max(largest, probabilities[i]);
      if (outcome[i] === row % actions) intended = probabilities[i];
      else certain = false;
      hasIntendedOutcomes &&= allowed[start + outcome[i]] === 1;
    }
    hasIntendedOutcomes &&= intended === largest;
    leastCertain = Math.min(leastCertain, largest);
  }
  if (certain) return { stick: 0, isStickNoise: true, hasIntendedOutcomes };
  const level = stickLevel(enumeration);
  return { stick: level ?? 1 - leastCertain, isStickNoise: level !== undefined, hasIntendedOutcomes };
}
