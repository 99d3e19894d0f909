// The parent edges of all nodes of an enumeration as a table: which backward action of a node stands for which pair of
// parent and action. The nodes are the states, followed by the terminal objects.

import type { Enumeration } from "./enumeration.ts";

export interface ParentEdgeTable {
  /** Number of backward actions: the largest number of parent edges of a node, or on a tree the number of actions. */
  readonly backwardActions: number;
  /** parent · actions + action of each backward action of each node, −1 if there is none, [nodes · backwardActions]. */
  readonly edges: Int32Array;
}

/** Largest number of parent edges of a node, without those of stops. */
export function mostParentEdges(enumeration: Enumeration): { readonly node: number; readonly count: number } {
  const counts = new Uint32Array(enumeration.states + enumeration.terminals);
  for (const target of enumeration.targets) counts[nodeOf(enumeration, target)]++;
  const node = counts.reduce((best, count, i) => (count > counts[best] ? i : best), 0);
  return { node, count: counts[node] };
}

/**
 * Builds the table. On a tree, the index of a backward action is that of its action. The enumeration must not have stops,
 * and an action must not lead to one node by several outcomes.
 */
export function parentEdgeTable(enumeration: Enumeration, tree: boolean): ParentEdgeTable {
  const { states, terminals, actions, offsets, targets } = enumeration;
  const backwardActions = tree ? actions : mostParentEdges(enumeration).count;
  const edges = new Int32Array((states + terminals) * backwardActions).fill(-1);
  const found = new Uint32Array(states + terminals);
  for (let row = 0; row < states * actions; row++) {
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      const node = nodeOf(enumeration, targets[i]);
      edges[node * backwardActions + (tree ? row % actions : found[node]++)] = row;
    }
  }
  return { backwardActions, edges };
}

/** The node of a target of a transition. */
export function nodeOf({ states }: Pick<Enumeration, "states">, target: number): number {
  return target >= 0 ? target : states - 1 - target;
}
