// Builds the automaton of parts that run side by side: breadth first from the start, so that only combined states that
// some prefix reaches exist. Then, from the last layer to the first, nodes without a legal completion are cut and nodes
// with the same continuations are merged.

import type { Automaton } from "./automaton.ts";
import type { Part } from "./parts.ts";
import type { SequenceSpace } from "./space.ts";
import { hashOf, StateTable } from "./state-table.ts";

/** The combined states that exceed the limit. */
export interface Excess {
  /** Number of tokens read in a large layer. */
  readonly position: number;
  /** By what factor constraints, or groups of them, multiply the states of this layer; the largest factor comes first. */
  readonly factors: readonly Factor[];
}

/** How many times as many states a layer has because of some constraints. */
export interface Factor {
  /** Indices of the constraints: one, or all forbidden motifs if none alone has an effect. */
  readonly constraints: readonly number[];
  readonly factor: number;
}

/** One layer while building: the node in the next layer after each token, −1 if illegal, and which nodes accept. */
interface Layer {
  readonly next: Int32Array;
  readonly accepts: Uint8Array;
}

/** Largest layer that an excess is explained by, and most constraints of one part that are tried one by one. */
const [EXPLAINED_NODES, EXPLAINED_CONSTRAINTS] = [50_000, 50];

/** The automaton; null if no string is legal; an excess if there are more than `limit` combined states. */
export function buildAutomaton(
  space: SequenceSpace,
  parts: readonly Part[],
  limit: number,
): Automaton | Excess | null {
  const { tokens, length } = space;
  const A = tokens.length;
  const layers: Layer[] = [];
  let states = startOf(parts);
  let explained = { states, position: 0 };
  for (let position = 0, total = 1; position <= length.max; position++) {
    const accepts = acceptsOf(space, parts, states, position);
    const next = new Int32Array(position < length.max ? states.count * A : 0).fill(-1);
    layers.push({ next, accepts });
    if (position === length.max) break;
    const after = statesAfter(parts, states, { A, position, next, most: limit - total });
    if (after.count > explained.states.count && after.count <= EXPLAINED_NODES)
      explained = { states: after, position: position + 1 };
    total += after.count;
    if (total > limit) return { position: explained.position, factors: factorsOf(parts, explained.states) };
    states = after;
  }
  return cutAndMerge(space, layers);
}

/** Whether some string is legal; undefined if more than `limit` combined states are needed to know it. */
export function hasLegalString(
  space: SequenceSpace,
  parts: readonly Part[],
  limit: number,
): { readonly legal: boolean | undefined; readonly states: number } {
  const { tokens, length } = space;
  let states = startOf(parts);
  let total = 1;
  for (let position = 0; states.count > 0; position++) {
    if (acceptsOf(space, parts, states, position).includes(1)) return { legal: true, states: total };
    if (position === length.max) break;
    states = statesAfter(parts, states, { A: tokens.length, position, next: null, most: limit - total });
    total += states.count;
    if (total > limit) return { legal: undefined, states: total };
  }
  return { legal: false, states: total };
}

function startOf(parts: readonly Part[]): StateTable {
  const start = new StateTable(parts.length);
  start.add(new Int32Array(parts.length));
  return start;
}

/** 1 for each combined state in which a string may end. */
function acceptsOf(
  { length }: SequenceSpace,
  parts: readonly Part[],
  { rows, count }: StateTable,
  position: number,
): Uint8Array {
  const accepts = new Uint8Array(count);
  if (position < length.min) return accepts;
  const width = parts.length;
  for (let node = 0; node < count; node++) {
    let isAccepted = true;
    for (let i = 0; i < width && isAccepted; i++)
      isAccepted = parts[i].accepts(rows[node * width + i], position);
    accepts[node] = +isAccepted;
  }
  return accepts;
}

interface Step {
  /** Number of tokens of the alphabet. */
  readonly A: number;
  readonly position: number;
  /** Receives the number of the state after each token, [states · A]. */
  readonly next: Int32Array | null;
  /** One more state than this is the last that is found. */
  readonly most: number;
}

/** The combined states after one more token. */
function statesAfter(
  parts: readonly Part[],
  { rows, count }: StateTable,
  { A, position, next, most }: Step,
): StateTable {
  const width = parts.length;
  const found = new StateTable(width);
  const after = new Int32Array(width);
  for (let node = 0; node < count; node++) {
    for (let token = 0; token < A; token++) {
      let i = 0;
      for (; i < width; i++) {
        const state = parts[i].next(rows[node * width + i], token, position);
        if (state < 0) break;
        after[i] = state;
      }
      if (i < width) continue;
      const child = found.add(after);
      if (next !== null) next[node * A + token] = child;
      if (found.count > most) return found;
    }
  }
  return found;
}

/** For each constraint, how many times as many states there are as would be told apart without it. */
function factorsOf(parts: readonly Part[], { rows, count, width }: StateTable): Factor[] {
  /** The factor of telling the states of a part apart only as far as `stateOf` does. */
  const factor = (left: number, stateOf: (state: number) => number | string) => {
    const own = new Map<number | string, number>();
    const others = new StateTable(width);
    const row = new Int32Array(width);
    for (let node = 0; node < count; node++) {
      row.set(rows.subarray(node * width, (node + 1) * width));
      const key = stateOf(row[left]);
      const number = own.get(key) ?? own.size;
      own.set(key, number);
      row[left] = number;
      others.add(row);
    }
    return count / others.count;
  };
  const factors = parts.flatMap(({ constraints, without }, part): Factor[] => {
    const whole = { constraints, factor: factor(part, () => 0) };
    if (!without || constraints.length === 1 || constraints.length > EXPLAINED_CONSTRAINTS) return [whole];
    const each = constraints.map((constraint, i) => ({
      constraints: [constraint],
      factor: factor(part, (state) => without(state, i)),
    }));
    return each.some((one) => one.factor >= LEAST_FACTOR) ? each : [whole];
  });
  return factors.filter((one) => one.factor >= LEAST_FACTOR).sort((a, b) => b.factor - a.factor);
}

/** Smaller factors are not worth naming. */
const LEAST_FACTOR = 1.1;

/** Null if the start has no legal completion. */
function cutAndMerge({ tokens: { length: A }, length }: SequenceSpace, layers: Layer[]): Automaton | null {
  // The merged nodes of each layer, and the merged node of each node of the layer before; −1 if it is cut.
  let mergedOf = new Int32Array();
  for (let t = layers.length - 1; t >= 0; t--) {
    const { next, accepts } = layers[t];
    const nodes = accepts.length;
    const index = new RowIndex(next, accepts, next.length > 0 ? A : 0);
    const own = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) {
      let isAlive = accepts[node] === 1;
      for (let i = node * index.width; i < (node + 1) * index.width; i++) {
        if (next[i] < 0) continue;
        next[i] = mergedOf[next[i]];
        if (next[i] >= 0) isAlive = true;
      }
      own[node] = isAlive ? index.find(node) : -1;
    }
    // The layer itself is no longer needed.
    layers[t] = index.distinct();
    mergedOf = own;
  }
  if (mergedOf[0] < 0) return null;
  const offsets = new Int32Array(length.max + 2);
  layers.forEach(({ accepts }, t) => {
    offsets[t + 1] = offsets[t] + accepts.length;
  });
  const all = offsets[length.max + 1];
  const next = new Int32Array(all * A).fill(-1);
  const accepts = new Uint8Array(all);
  layers.forEach((layer, t) => {
    const first = offsets[t] * A;
    for (let i = 0; i < layer.next.length; i++) {
      if (layer.next[i] >= 0) next[first + i] = offsets[t + 1] + layer.next[i];
    }
    accepts.set(layer.accepts, offsets[t]);
  });
  return { tokens: A, length: { ...length }, layers: offsets, next, accepts };
}

/** Finds nodes of a layer with the same row of `next` and the same value of `accepts`, by a hash table. */
class RowIndex {
  readonly width: number;
  readonly #next: Int32Array;
  readonly #accepts: Uint8Array;
  /** Node numbers by hash, −1 where there is none. */
  readonly #slots: Int32Array;
  /** For each slot, the number of its node among the distinct ones. */
  readonly #numbers: Int32Array;
  readonly #first: number[] = [];

  constructor(next: Int32Array, accepts: Uint8Array, width: number) {
    this.width = width;
    this.#next = next;
    this.#accepts = accepts;
    const size = 2 ** Math.ceil(Math.log2(2 * accepts.length + 1));
    this.#slots = new Int32Array(size).fill(-1);
    this.#numbers = new Int32Array(size);
  }

  /** The number of the first node that equals this one, counted among distinct nodes. */
  find(node: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hashOf(this.#next, node * this.width, this.width) ^ this.#accepts[node]) & mask;
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
    const next = new Int32Array(this.#first.length * this.width);
    this.#first.forEach((node, i) => {
      next.set(this.#next.subarray(node * this.width, (node + 1) * this.width), i * this.width);
    });
    return { next, accepts: Uint8Array.from(this.#first, (node) => this.#accepts[node]) };
  }

  #isEqual(a: number, b: number): boolean {
    if (this.#accepts[a] !== this.#accepts[b]) return false;
    const [ofA, ofB] = [a * this.width, b * this.width];
    for (let i = 0; i < this.width; i++) if (this.#next[ofA + i] !== this.#next[ofB + i]) return false;
    return true;
  }
}
