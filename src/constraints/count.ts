// Counts the legal strings of an automaton, lists them, and draws them uniformly.

import type { Automaton } from "./automaton.ts";

/** Number of legal strings, exactly. */
export function countStrings({ tokens: A, length, layers, next, accepts }: Automaton): bigint {
  // Completions of the nodes of the layer after the current one.
  let after: bigint[] = [];
  for (let t = length.max; t >= 0; t--) {
    const own: bigint[] = [];
    for (let node = layers[t]; node < layers[t + 1]; node++) {
      let count = BigInt(accepts[node]);
      for (let i = node * A; i < (node + 1) * A; i++)
        if (next[i] >= 0) count += after[next[i] - layers[t + 1]];
      own.push(count);
    }
    after = own;
  }
  return after[0];
}

/** Number of legal strings: exactly below 2⁵³, rounded above, and infinite if float64 cannot hold it. This is much faster
 * than `countStrings`. */
export function approximateCount(automaton: Automaton): number {
  const { counts, exponents } = completions(automaton);
  return counts[0] * 2 ** exponents[0];
}

/** All legal strings in alphabetical order; null if there are more than `most`. */
export function listStrings(automaton: Automaton, most: number): number[][] | null {
  if (countStrings(automaton) > BigInt(most)) return null;
  const { tokens: A, accepts, next } = automaton;
  const found: number[][] = accepts[0] === 1 ? [[]] : [];
  // The tokens of a prefix, its nodes, and for each of them the token that comes next.
  const [prefix, nodes, following] = [[] as number[], [0], [0]];
  while (nodes.length > 0) {
    const token = following[following.length - 1]++;
    if (token === A) {
      for (const stack of [prefix, nodes, following]) stack.pop();
      continue;
    }
    const node = next[nodes[nodes.length - 1] * A + token];
    if (node < 0) continue;
    prefix.push(token);
    nodes.push(node);
    following.push(0);
    if (accepts[node] === 1) found.push([...prefix]);
  }
  return found;
}

/** Draws strings of tokens. `uniform` returns random numbers in [0, 1). */
export type StringSampler = (uniform: () => number) => number[];

/** A sampler that draws every legal string with the same probability, apart from rounding. */
export function uniformSampler(automaton: Automaton): StringSampler {
  const { tokens: A, accepts, next } = automaton;
  const { counts, exponents } = completions(automaton);
  return (uniform) => {
    const string: number[] = [];
    for (let node = 0; ; ) {
      // Counts of the next layer are in units of a power of two; so is the string that ends here.
      const end = accepts[node] * 2 ** -exponents[string.length + 1];
      let total = end;
      for (let i = node * A; i < (node + 1) * A; i++) if (next[i] >= 0) total += counts[next[i]];
      let rest = uniform() * total - end;
      if (rest < 0) return string;
      let token = -1;
      for (let c = 0; c < A && (token < 0 || rest >= 0); c++) {
        const child = next[node * A + c];
        if (child < 0) continue;
        token = c;
        rest -= counts[child];
      }
      if (token < 0) return string;
      string.push(token);
      node = next[node * A + token];
    }
  };
}

/** Number of completions of each node, in units of 2^exponents[t] for the nodes after t tokens: the numbers of long
 * strings are larger than float64 can hold. */
function completions({ tokens: A, length, layers, next, accepts }: Automaton) {
  const counts = new Float64Array(accepts.length);
  const exponents = new Float64Array(length.max + 2);
  for (let t = length.max; t >= 0; t--) {
    let largest = 0;
    for (let node = layers[t]; node < layers[t + 1]; node++) {
      let count = accepts[node] * 2 ** -exponents[t + 1];
      for (let i = node * A; i < (node + 1) * A; i++) if (next[i] >= 0) count += counts[next[i]];
      counts[node] = count;
      largest = Math.max(largest, count);
    }
    // If no string is so long, the layer has no nodes.
    const shift = largest > 0 ? Math.floor(Math.log2(largest)) : 0;
    for (let node = layers[t]; node < layers[t + 1]; node++) counts[node] *= 2 ** -shift;
    exponents[t] = exponents[t + 1] + shift;
  }
  return { counts, exponents };
}
