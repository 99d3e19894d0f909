// The automaton of all constraints: a graph of nodes in layers, one layer per number of tokens read. Every node has a legal
// completion, so a builder that follows it never gets stuck.

/** Node 0 is the start. */
export interface Automaton {
  /** Number of tokens of the alphabet, A. */
  readonly tokens: number;
  /** Smallest and largest number of tokens of a string. */
  readonly length: { readonly min: number; readonly max: number };
  /** The nodes after t tokens are those from layers[t] up to layers[t + 1]; [max + 2]. */
  readonly layers: Int32Array;
  /** The node after each token, −1 if no continuation is legal, [nodes · A]. */
  readonly next: Int32Array;
  /** 1 if a string may end at the node, [nodes]. */
  readonly accepts: Uint8Array;
}

/** Number of nodes. */
export function nodeCount({ accepts }: Automaton): number {
  return accepts.length;
}

/** The node after each number of tokens, from the start on; −1 from the first token on that no legal string has there. */
export function nodesAlong({ tokens: A, next }: Automaton, string: readonly number[]): Int32Array {
  const nodes = new Int32Array(string.length + 1);
  string.forEach((token, i) => {
    nodes[i + 1] = nodes[i] < 0 || !(token >= 0 && token < A) ? -1 : next[nodes[i] * A + token];
  });
  return nodes;
}

/** Whether a string of tokens is legal. */
export function isAccepted(automaton: Automaton, string: readonly number[]): boolean {
  if (string.length > automaton.length.max) return false;
  const last = nodesAlong(automaton, string)[string.length];
  return last >= 0 && automaton.accepts[last] === 1;
}
