// The states of strings under constraints: a tree of prefixes in lexicographic order, a prefix before its continuations.
//
// The index of a prefix with one more letter is its own index plus a number that depends on the node of the automaton and
// the letter: 1 for the prefix itself and the sizes of the subtrees of smaller letters. The same holds for the number of
// objects before it. So states and objects have consecutive indices without a table of prefixes.

import type { ConstrainedSteps } from "./constrained-steps.ts";
import { type Enumeration, enumerationFrom, type Transition, terminalTarget } from "./enumeration.ts";

/** Sizes of the tree below each node, and what a letter adds to an index. */
export interface TreeSizes {
  /** Number of states, and of objects, below the start. */
  readonly states: number;
  readonly objects: number;
  /** What a letter adds to the index of a state, [nodes · A]. */
  readonly stateOffset: Float64Array;
  /** What a letter adds to the number of objects before a prefix, [nodes · A]. */
  readonly objectOffset: Float64Array;
}

/** The sizes; numbers beyond 2⁵³ are rounded or infinite. */
export function treeSizes({
  letters: A,
  length,
  variable,
  nodes,
  layer,
  next,
  ends,
}: ConstrainedSteps): TreeSizes {
  const states = new Float64Array(nodes);
  const objects = new Float64Array(nodes);
  const stateOffset = new Float64Array(nodes * A);
  const objectOffset = new Float64Array(nodes * A);
  const order = Int32Array.from({ length: nodes }, (_, node) => node).sort((a, b) => layer[b] - layer[a]);
  for (const node of order) {
    const isObject = variable ? ends[node] === 1 : layer[node] === length;
    // Without a stop, a complete string is not a state.
    let [statesBefore, objectsBefore] = [variable || !isObject ? 1 : 0, isObject ? 1 : 0];
    for (let i = node * A; i < (node + 1) * A; i++) {
      stateOffset[i] = statesBefore;
      objectOffset[i] = objectsBefore;
      if (next[i] < 0) continue;
      statesBefore += states[next[i]];
      objectsBefore += objects[next[i]];
    }
    states[node] = statesBefore;
    objects[node] = objectsBefore;
  }
  return { states: states[0], objects: objects[0], stateOffset, objectOffset };
}

/** Tables by the index of a state. */
export interface StateTables {
  /** The node of each state, [states]. */
  readonly node: Int32Array;
  /** Number of objects before each state, [states]. */
  readonly objectsBefore: Int32Array;
  /** The node of the parent of each state and, without a stop, of each object; the start has itself, [states + objects]. */
  readonly parentNode: Int32Array;
}

export function stateTables(steps: ConstrainedSteps, sizes: TreeSizes): StateTables {
  const { letters: A, length, variable, layer, next } = steps;
  const { states, objects, stateOffset, objectOffset } = sizes;
  const node = new Int32Array(states);
  const objectsBefore = new Int32Array(states);
  const parentNode = new Int32Array(states + (variable ? 0 : objects));
  // Every state is reached before its continuations, because they have higher indices.
  for (let state = 0; state < states; state++) {
    const at = node[state];
    for (let i = at * A; i < (at + 1) * A; i++) {
      if (next[i] < 0) continue;
      const before = objectsBefore[state] + objectOffset[i];
      if (!variable && layer[at] === length - 1) {
        parentNode[states + before] = at;
        continue;
      }
      const child = state + stateOffset[i];
      node[child] = next[i];
      objectsBefore[child] = before;
      parentNode[child] = at;
    }
  }
  return { node, objectsBefore, parentNode };
}

export function enumerateConstrained(
  steps: ConstrainedSteps,
  sizes: TreeSizes,
  tables: StateTables,
): Enumeration {
  const { letters: A, length, variable, layer, next, ends } = steps;
  const { states, objects, stateOffset, objectOffset } = sizes;
  let kernel: Float64Array = new Float64Array();
  return enumerationFrom(
    { states, terminals: objects, actions: variable ? A + 1 : A, outcomes: A },
    (state, action): Transition[] => {
      const node = tables.node[state];
      const before = tables.objectsBefore[state];
      if (action === A)
        return ends[node] === 1 ? [{ target: terminalTarget(before), outcome: -1, probability: 1 }] : [];
      if (action === 0) kernel = steps.kernel(node);
      const transitions: Transition[] = [];
      for (let outcome = 0; outcome < A; outcome++) {
        const probability = kernel[action * A + outcome];
        if (probability === 0 || next[node * A + outcome] < 0) continue;
        const i = node * A + outcome;
        const isObject = !variable && layer[node] === length - 1;
        const target = isObject ? terminalTarget(before + objectOffset[i]) : state + stateOffset[i];
        transitions.push({ target, outcome, probability });
      }
      return transitions;
    },
  );
}

/** 1 for each object that is illegal, [objects]. */
export function illegalObjects(steps: ConstrainedSteps, sizes: TreeSizes, tables: StateTables): Uint8Array {
  const { letters: A, length, variable, firstIllegal, layer, next, ends } = steps;
  const illegal = new Uint8Array(sizes.objects);
  for (let state = 0; state < sizes.states; state++) {
    const [node, before] = [tables.node[state], tables.objectsBefore[state]];
    if (variable) {
      if (node >= firstIllegal && ends[node] === 1) illegal[before] = 1;
      continue;
    }
    if (layer[node] < length - 1) continue;
    for (let i = node * A; i < (node + 1) * A; i++) {
      if (next[i] >= firstIllegal) illegal[before + sizes.objectOffset[i]] = 1;
    }
  }
  return illegal;
}

/** The letters of the state or object with this index: `offset` is `stateOffset` or `objectOffset`, and `isFound` tells
 * whether a node at which nothing remains is the one sought. */
export function lettersOf(
  { letters: A, next }: ConstrainedSteps,
  offset: Float64Array,
  index: number,
  isFound: (node: number) => boolean,
): number[] {
  const letters: number[] = [];
  let rest = index;
  for (let node = 0; rest > 0 || !isFound(node); ) {
    // The last letter whose subtree begins at or before the index.
    let letter = -1;
    for (let c = 0; c < A; c++) if (next[node * A + c] >= 0 && offset[node * A + c] <= rest) letter = c;
    if (letter < 0) throw new RangeError(`there is no prefix or object with index ${index}`);
    letters.push(letter);
    rest -= offset[node * A + letter];
    node = next[node * A + letter];
  }
  return letters;
}
