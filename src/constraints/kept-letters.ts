// Strings that keep some letters of a given string: which tokens may stand at each position, so that a legal string can
// still result.

import type { Automaton } from "./automaton.ts";

/** The token that is kept at each position; null for a position that may change. A string keeps its length unless it is
 * `open`; then it may end or go on after the last kept token. */
export interface KeptLetters {
  readonly pattern: readonly (number | null)[];
  readonly open?: boolean;
}

/**
 * For each number of tokens before, 1 for each token that some legal string with the kept ones has there, and in the last
 * column 1 if such a string may end, [(max + 1) · (A + 1)]; null if no legal string has the kept tokens.
 *
 * A token may be possible after some beginnings only. For constraints on neighbours, the tokens that a row allows do not
 * depend on the beginning beyond what the automaton itself says.
 */
export function possibleTokens(
  { tokens: A, length, layers, next, accepts }: Automaton,
  { pattern, open = false }: KeptLetters,
): Uint8Array | null {
  const columns = A + 1;
  const firstEnd = open ? pattern.findLastIndex((token) => token !== null) + 1 : pattern.length;
  const steps = open ? length.max : Math.min(pattern.length, length.max);
  /** The range of the tokens that may follow t others, [steps] each. */
  const [from, to] = [new Int32Array(steps), new Int32Array(steps).fill(A)];
  for (let t = 0; t < Math.min(steps, pattern.length); t++) {
    const token = pattern[t];
    if (token === null) continue;
    from[t] = token;
    to[t] = token >= 0 && token < A ? token + 1 : token; // nothing follows a token of another alphabet
  }

  // Forwards: the nodes that the kept tokens lead to, layer after layer. Those of layer t begin at starts[t].
  const reached = new Int32Array(accepts.length);
  const starts = new Int32Array(steps + 2);
  const marks = new Uint8Array(accepts.length);
  let count = 1; // node 0
  starts[1] = count;
  for (let t = 0; t < steps; t++) {
    const all = count + layers[t + 2] - layers[t + 1];
    for (let i = starts[t]; i < starts[t + 1] && count < all; i++) {
      const edges = reached[i] * A;
      for (let token = from[t]; token < to[t]; token++) {
        const child = next[edges + token];
        if (child < 0 || marks[child] === REACHED) continue;
        marks[child] = REACHED;
        reached[count++] = child;
      }
    }
    starts[t + 2] = count;
  }
  // Backwards: those of them that have an end.
  const possible = new Uint8Array((length.max + 1) * columns);
  for (let t = steps; t >= 0; t--) {
    const row = t * columns;
    let missing = A; // tokens that are not yet known to be possible
    for (let i = starts[t]; i < starts[t + 1]; i++) {
      const node = reached[i];
      if (t >= firstEnd && accepts[node] === 1) {
        possible[row + A] = 1;
        marks[node] = ALIVE;
      }
      if (t === steps) continue;
      const edges = node * A;
      for (let token = from[t]; token < to[t]; token++) {
        const child = next[edges + token];
        if (child < 0 || marks[child] !== ALIVE) continue;
        marks[node] = ALIVE;
        if (possible[row + token] === 0) {
          possible[row + token] = 1;
          missing--;
        }
        if (missing === 0) break;
      }
    }
  }
  return marks[0] === ALIVE ? possible : null;
}

/** Marks of nodes: reached by some string with the kept tokens, and reached by one that then ends legally. */
const [REACHED, ALIVE] = [1, 2];
