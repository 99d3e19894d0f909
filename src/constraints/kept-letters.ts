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
  { tokens: A, length, next, accepts }: Automaton,
  { pattern, open = false }: KeptLetters,
): Uint8Array | null {
  const columns = A + 1;
  const tokenAt = (t: number) => (t < pattern.length ? pattern[t] : null);
  const canEnd = (t: number) => (open ? t >= lastKept(pattern) : t === pattern.length);
  const canGoOn = (t: number) => t < length.max && (open || t < pattern.length);

  // Forwards: the nodes that the kept tokens lead to.
  const reached: number[][] = [[0]];
  for (let t = 0; canGoOn(t); t++) {
    const nodes = new Set<number>();
    for (const node of reached[t]) {
      for (let token = 0; token < A; token++) {
        if (tokenAt(t) !== null && tokenAt(t) !== token) continue;
        const child = next[node * A + token];
        if (child >= 0) nodes.add(child);
      }
    }
    reached.push([...nodes]);
  }
  // Backwards: those of them that have an end.
  const possible = new Uint8Array((length.max + 1) * columns);
  let alive = new Set<number>();
  for (let t = reached.length - 1; t >= 0; t--) {
    const own = new Set<number>();
    for (const node of reached[t]) {
      if (canEnd(t) && accepts[node] === 1) {
        possible[t * columns + A] = 1;
        own.add(node);
      }
      for (let token = 0; token < A; token++) {
        if (tokenAt(t) !== null && tokenAt(t) !== token) continue;
        if (!alive.has(next[node * A + token])) continue;
        possible[t * columns + token] = 1;
        own.add(node);
      }
    }
    alive = own;
  }
  return alive.has(0) ? possible : null;
}

function lastKept(pattern: readonly (number | null)[]): number {
  return pattern.findLastIndex((token) => token !== null) + 1;
}
