// Builds the automaton of parts that run side by side: breadth first from the start, so that only combined states that
// some prefix reaches exist. Then, from the last layer to the first, nodes without a legal completion are cut and nodes
// with the same continuations are merged.

import type { Automaton } from "./automaton.ts";
import type { Part } from "./parts.ts";
import type { SequenceSpace } from "./space.ts";

/** The combined states that exceed the limit. */
export interface Excess {
  /** Number of tokens read in the largest layer. */
  readonly position: number;
  /** The part without which this layer has the fewest states, and by what factor it multiplies them. */
  readonly part: Part;
  readonly factor: number;
}

/** One layer while building: the node in the next layer after each token, −1 if illegal, and which nodes accept. */
interface Layer {
  readonly next: Int32Array;
  readonly accepts: Uint8Array;
}

/** The automaton; null if no string is legal; an excess if there are more than `limit` combined states. */
export function buildAutomaton(
  space: SequenceSpace,
  parts: readonly Part[],
  limit: number,
): Automaton | Excess | null {
  const { tokens, length } = space;
  const A = tokens.length;
  const keyOf = keyFunction(parts);
  const layers: Layer[] = [];
  // States of the parts at each node of the current layer, [nodes · parts].
  let states: number[] = parts.map(() => 0);
  let total = 1;
  let largest = { states, position: 0 };
  for (let position = 0, nodes = 1; position <= length.max; position++) {
    const accepts = new Uint8Array(nodes);
    const next = new Int32Array(nodes * A).fill(-1);
    const found = new Map<number | string, number>();
    const nextStates: number[] = [];
    for (let node = 0; node < nodes; node++) {
      const own = states.slice(node * parts.length, (node + 1) * parts.length);
      accepts[node] = +(position >= length.min && parts.every((part, i) => part.accepts(own[i], position)));
      if (position === length.max) continue;
      for (let token = 0; token < A; token++) {
        const after = parts.map((part, i) => part.next(own[i], token, position));
        if (after.includes(-1)) continue;
        const key = keyOf(after);
        let child = found.get(key);
        if (child === undefined) {
          child = found.size;
          found.set(key, child);
          for (const state of after) nextStates.push(state);
          if (total + found.size > limit) {
            const ownLargest = { states: nextStates, position: position + 1 };
            return excessOf(parts, largest.states.length > nextStates.length ? largest : ownLargest);
          }
        }
        next[node * A + token] = child;
      }
    }
    layers.push({ next, accepts });
    states = nextStates;
    nodes = found.size;
    total += nodes;
    if (states.length > largest.states.length) largest = { states, position: position + 1 };
  }
  return cutAndMerge(space, layers);
}

/** A key for the states of all parts: one number, or a text if numbers cannot distinguish them all. */
function keyFunction(parts: readonly Part[]): (states: readonly number[]) => number | string {
  const combinations = parts.reduce((product, part) => product * part.states, 1);
  if (combinations > Number.MAX_SAFE_INTEGER) return (states) => states.join();
  return (states) => states.reduce((key, state, i) => key * parts[i].states + state, 0);
}

function excessOf(
  parts: readonly Part[],
  layer: { readonly states: readonly number[]; readonly position: number },
): Excess {
  const nodes = layer.states.length / parts.length;
  const factors = parts.map((_, left) => {
    const others = new Set<string>();
    for (let node = 0; node < nodes; node++) {
      const own = layer.states.slice(node * parts.length, (node + 1) * parts.length);
      others.add(own.filter((_, i) => i !== left).join());
    }
    return nodes / others.size;
  });
  const factor = Math.max(...factors);
  return { position: layer.position, part: parts[factors.indexOf(factor)], factor };
}

/** Null if the start has no legal completion. */
function cutAndMerge(
  { tokens: { length: A }, length }: SequenceSpace,
  layers: readonly Layer[],
): Automaton | null {
  // The merged nodes of each layer, and the merged node of each node of the layer before; −1 if it is cut.
  const merged: Layer[] = new Array(layers.length);
  let mergedOf = new Int32Array();
  for (let t = layers.length - 1; t >= 0; t--) {
    const { next, accepts } = layers[t];
    const nodes = accepts.length;
    for (let i = 0; i < next.length; i++) if (next[i] >= 0) next[i] = mergedOf[next[i]];
    const index = new RowIndex(next, accepts, A);
    const own = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) {
      const row = next.subarray(node * A, (node + 1) * A);
      own[node] = accepts[node] === 1 || row.some((child) => child >= 0) ? index.find(node) : -1;
    }
    merged[t] = index.distinct();
    mergedOf = own;
  }
  if (mergedOf[0] < 0) return null;
  const offsets = new Int32Array(length.max + 2);
  merged.forEach(({ accepts }, t) => {
    offsets[t + 1] = offsets[t] + accepts.length;
  });
  const all = offsets[length.max + 1];
  const next = new Int32Array(all * A);
  const accepts = new Uint8Array(all);
  merged.forEach((layer, t) => {
    next.set(
      layer.next.map((child) => (child < 0 ? -1 : offsets[t + 1] + child)),
      offsets[t] * A,
    );
    accepts.set(layer.accepts, offsets[t]);
  });
  return { tokens: A, length: { ...length }, layers: offsets, next, accepts };
}

/** Finds nodes of a layer with the same row of `next` and the same value of `accepts`, by a hash table. */
class RowIndex {
  readonly #next: Int32Array;
  readonly #accepts: Uint8Array;
  readonly #width: number;
  /** Node numbers by hash, −1 where there is none. */
  readonly #slots: Int32Array;
  /** For each slot, the number of its node among the distinct ones. */
  readonly #numbers: Int32Array;
  readonly #first: number[] = [];

  constructor(next: Int32Array, accepts: Uint8Array, width: number) {
    this.#next = next;
    this.#accepts = accepts;
    this.#width = width;
    const size = 2 ** Math.ceil(Math.log2(2 * accepts.length + 1));
    this.#slots = new Int32Array(size).fill(-1);
    this.#numbers = new Int32Array(size);
  }

  /** The number of the first node that equals this one, counted among distinct nodes. */
  find(node: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(node) & mask;
    while (this.#slots[slot] >= 0 && !this.#isEqual(this.#slots[slot], node)) slot = (slot + 1) & mask;
    if (this.#slots[slot] < 0) {
      this.#slots[slot] = node;
      this.#numbers[slot] = this.#first.length;
      this.#first.push(node);
    }
    return this.#numbers[slot];
  }

  /** The distinct nodes in the order of their numbers. */
  distinct(): Layer {
    const next = new Int32Array(this.#first.length * this.#width);
    this.#first.forEach((node, i) => {
      next.set(this.#next.subarray(node * this.#width, (node + 1) * this.#width), i * this.#width);
    });
    return { next, accepts: Uint8Array.from(this.#first, (node) => this.#accepts[node]) };
  }

  #hash(node: number): number {
    let hash = this.#accepts[node];
    for (let i = node * this.#width; i < (node + 1) * this.#width; i++) {
      hash = Math.imul(hash ^ (this.#next[i] + 1), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #isEqual(a: number, b: number): boolean {
    if (this.#accepts[a] !== this.#accepts[b]) return false;
    const [ofA, ofB] = [a * this.#width, b * this.#width];
    for (let i = 0; i < this.#width; i++) if (this.#next[ofA + i] !== this.#next[ofB + i]) return false;
    return true;
  }
}
