// Exact mean scores of the uniform policy, of the target and of the best reachable policy, for strings of a fixed length
// with stick noise on every letter.
//
// The score of a string is a function of the last of a chain of states, one for each of its prefixes: the number of
// letters K so far, the state of a motif automaton, or the prefix itself, which is plain enumeration. Dynamic programming
// over these states is exact, because the flow of a prefix, the sum of the rewards of all its completions, depends on the
// state only.
//
// The best reachable policy minimises KL(target ‖ policy). On a tree of prefixes this divergence is the sum over prefixes
// of the target's probability of the prefix times KL(target's next letter ‖ policy's next letter), so each prefix has a
// problem of its own. Stick noise gives each of m letters at least the probability α/m, and the solution is water-filling.

import { waterFill } from "../../src/gfn/evaluate/limit.ts";

/** The states of the prefixes of a problem, numbered within each level, where level t has the prefixes of t letters. */
export interface ScoredStates {
  readonly letters: number;
  readonly length: number;
  /** Number of states at level t, from 0 to `length`; level 0 has one. */
  statesAt(t: number): number;
  /** State at level t + 1 after this letter. */
  next(t: number, state: number, letter: number): number;
  /** Score of the strings that end in this state of the last level, at most 1. */
  scoreOf(state: number): number;
}

/** Noise and reward of a problem. */
export interface ReferenceOptions {
  readonly stick: number;
  readonly exponent?: number;
  /** Smallest reward, where the largest possible reward is 1. */
  readonly floor?: number;
}

/** Mean scores of three policies. */
export interface ReferenceMeans {
  readonly uniform: number;
  /** Mean under the distribution proportional to the reward, which noise may put out of reach. */
  readonly target: number;
  readonly bestReachable: number;
}

/** Values of all states of one level. */
interface Level {
  readonly flow: Float64Array;
  readonly uniform: Float64Array;
  readonly target: Float64Array;
  readonly bestReachable: Float64Array;
}

/** Computes the means by backward recursion over the levels. */
export function referenceMeans(states: ScoredStates, options: ReferenceOptions): ReferenceMeans {
  const { stick, exponent = 1, floor = 1e-4 } = options;
  const { letters: m, length } = states;
  let later = lastLevel(states, exponent, floor);
  for (let t = length - 1; t >= 0; t--) {
    const level = emptyLevel(states.statesAt(t));
    const children = new Int32Array(m);
    const shares = new Array<number>(m);
    for (let state = 0; state < level.flow.length; state++) {
      for (let c = 0; c < m; c++) children[c] = states.next(t, state, c);
      let flow = 0;
      for (const child of children) flow += later.flow[child];
      for (let c = 0; c < m; c++) shares[c] = later.flow[children[c]] / flow;
      const reached = stick > 0 ? waterFill(shares, stick / m) : shares;
      let [uniform, target, bestReachable] = [0, 0, 0];
      for (let c = 0; c < m; c++) {
        uniform += later.uniform[children[c]] / m;
        target += later.target[children[c]] * shares[c];
        bestReachable += later.bestReachable[children[c]] * reached[c];
      }
      level.flow[state] = flow;
      level.uniform[state] = uniform;
      level.target[state] = target;
      level.bestReachable[state] = bestReachable;
    }
    later = level;
  }
  return { uniform: later.uniform[0], target: later.target[0], bestReachable: later.bestReachable[0] };
}

function lastLevel(states: ScoredStates, exponent: number, floor: number): Level {
  const count = states.statesAt(states.length);
  const score = Float64Array.from({ length: count }, (_, state) => states.scoreOf(state));
  const flow = score.map((value) => Math.max(value ** exponent, floor));
  return { flow, uniform: score, target: score, bestReachable: score };
}

function emptyLevel(count: number): Level {
  const zeros = () => new Float64Array(count);
  return { flow: zeros(), uniform: zeros(), target: zeros(), bestReachable: zeros() };
}

/** Every prefix is a state of its own: plain enumeration. The score is that of the letters' indices. */
export function prefixStates(
  letters: number,
  length: number,
  scoreOf: (string: readonly number[]) => number,
): ScoredStates {
  const string = new Array<number>(length);
  return {
    letters,
    length,
    statesAt: (t) => letters ** t,
    next: (_, state, letter) => state * letters + letter,
    scoreOf(state) {
      for (let i = length - 1, rest = state; i >= 0; i--) {
        string[i] = rest % letters;
        rest = Math.floor(rest / letters);
      }
      return scoreOf(string);
    },
  };
}

/** The state is the number of occurrences so far of one letter. */
export function letterCountStates(
  letters: number,
  length: number,
  scoreOf: (count: number) => number,
): ScoredStates {
  return {
    letters,
    length,
    statesAt: (t) => t + 1,
    // The counted letter has index 0; the others are alike.
    next: (_, state, letter) => state + (letter === 0 ? 1 : 0),
    scoreOf,
  };
}

/** The state is the number of occurrences of a motif so far, and how much of the motif the last letters spell. */
export function motifCountStates(
  letters: number,
  length: number,
  motif: readonly number[],
  scoreOf: (count: number) => number,
): ScoredStates {
  const k = motif.length;
  const most = length + 1;
  /** The longest beginning of the motif that ends a text of `matched` letters of the motif and one more letter. */
  const matchedAfter = (matched: number, letter: number) => {
    const text = [...motif.slice(0, matched), letter];
    for (let size = Math.min(k, text.length); size > 0; size--) {
      if (motif.slice(0, size).every((value, i) => value === text[text.length - size + i])) return size;
    }
    return 0;
  };
  const table = Array.from({ length: k + 1 }, (_, matched) =>
    Array.from({ length: letters }, (_, letter) => matchedAfter(matched, letter)),
  );
  return {
    letters,
    length,
    statesAt: (t) => (t === 0 ? 1 : most * (k + 1)),
    next(_, state, letter) {
      const [count, matched] = [Math.floor(state / (k + 1)), state % (k + 1)];
      const after = table[matched][letter];
      return Math.min(count + (after === k ? 1 : 0), most - 1) * (k + 1) + after;
    },
    scoreOf: (state) => scoreOf(Math.floor(state / (k + 1))),
  };
}
