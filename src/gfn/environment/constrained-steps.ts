// The steps of strings that are written under constraints: the nodes of the automaton, with the letters that may be
// intended at each and the letters that noise may write.
//
// Under free noise a prefix can become illegal. It then continues at an illegal node, one for each number of letters, where
// every letter may be intended. The illegal nodes have the highest numbers.

import { type Automaton, type Template, templatePlace } from "../../constraints/index.ts";
import type { Letters } from "./letter-noise.ts";

export interface ConstrainedSteps {
  /** Number of letters of the alphabet, A. */
  readonly letters: number;
  /** Largest number of letters of a string. */
  readonly length: number;
  /** Whether a stop ends a string. */
  readonly variable: boolean;
  /** Number of nodes. */
  readonly nodes: number;
  /** Nodes from this number on are illegal. */
  readonly firstIllegal: number;
  /** Number of letters before each node, [nodes]. */
  readonly layer: Int32Array;
  /** The node after each written letter, −1 if it cannot be written, [nodes · A]. */
  readonly next: Int32Array;
  /** 1 for each letter that may be intended, [nodes · A]. */
  readonly allowed: Uint8Array;
  /** 1 if the string may end at the node, [nodes]. */
  readonly ends: Uint8Array;
  /** P(written | intended) at a node, [A · A], in rows of intended letters; a row of zeros for a letter that may not be
   * intended. */
  kernel(node: number): Float64Array;
}

/**
 * @param masks A restriction of the automaton (`restrictAutomaton`), which may be the automaton itself.
 * @param intended The template of the masks, if they say only what is intended (`intendedAutomaton`). Noise then writes
 * what it would write without them.
 */
export function constrainedSteps(
  automaton: Automaton,
  letters: Letters,
  masks = automaton,
  intended?: Pick<Template, "pattern" | "open">,
): ConstrainedSteps {
  const { tokens: A, length, layers } = automaton;
  const firstIllegal = automaton.accepts.length;
  const nodes = firstIllegal + (letters.isFree ? length.max : 0);
  const layer = new Int32Array(nodes);
  for (let t = 0; t <= length.max; t++) layer.fill(t, layers[t], layers[t + 1]);
  for (let node = firstIllegal; node < nodes; node++) layer[node] = node - firstIllegal + 1;
  const next = new Int32Array(nodes * A).fill(-1);
  const allowed = new Uint8Array(nodes * A);
  const ends = new Uint8Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const t = layer[node];
    if (node >= firstIllegal) {
      const place = intended ? templatePlace(intended, t) : { tokens: null, canEnd: true };
      ends[node] = +(place.canEnd && t >= length.min);
      if (t === length.max) continue;
      next.fill(node + 1, node * A, (node + 1) * A);
      const nothing = place.tokens?.length === 0 && ends[node] === 0;
      if (place.tokens === null || nothing) allowed.fill(1, node * A, (node + 1) * A);
      else for (const token of place.tokens) allowed[node * A + token] = 1;
      continue;
    }
    ends[node] = masks.accepts[node];
    const first = node * A;
    // Noise may leave the restriction; then only the automaton itself applies.
    const isReached = ends[node] === 1 || masks.next.subarray(first, first + A).some((child) => child >= 0);
    const source = isReached ? masks : automaton;
    if (!isReached) ends[node] = automaton.accepts[node];
    for (let c = 0; c < A; c++) allowed[first + c] = +(source.next[first + c] >= 0);
    if (t === length.max) continue;
    for (let c = 0; c < A; c++) {
      if (!letters.isFree) next[first + c] = (intended ? automaton : source).next[first + c];
      else if (canBeWritten(first, t, c)) {
        const legal = automaton.next[first + c];
        next[first + c] = legal >= 0 ? legal : firstIllegal + t;
      }
    }
  }

  /** Whether some letter that may be intended at a node can be written as letter c. */
  function canBeWritten(first: number, t: number, c: number): boolean {
    for (let a = 0; a < A; a++) if (allowed[first + a] === 1 && letters.probability(t, a, c) > 0) return true;
    return false;
  }

  return {
    letters: A,
    length: length.max,
    variable: length.min < length.max,
    nodes,
    firstIllegal,
    layer,
    next,
    allowed,
    ends,
    kernel(node) {
      const kernel = new Float64Array(A * A);
      const t = layer[node];
      const possible = next.subarray(node * A, (node + 1) * A);
      const count = possible.reduce((sum, child) => sum + +(child >= 0), 0);
      for (let a = 0; a < A; a++) {
        if (allowed[node * A + a] === 0) continue;
        let sum = 0;
        for (let c = 0; c < A; c++) if (possible[c] >= 0) sum += letters.probability(t, a, c);
        for (let c = 0; c < A; c++) {
          if (possible[c] < 0) continue;
          // Stick noise draws uniformly from the possible letters; a matrix is conditioned on them.
          kernel[a * A + c] =
            letters.stick === null
              ? letters.probability(t, a, c) / sum
              : (a === c ? 1 - letters.stick : 0) + letters.stick / count;
        }
      }
      return kernel;
    },
  };
}
