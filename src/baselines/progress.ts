// How far a method has come, by what it asked the oracle for: the same account for every method of a comparison.
//
// Counting is cheap enough for every iteration: modes, the best and the best k are kept as objects come. What costs more
// (diversity, total variation) is computed when it is asked for.

import { type TopK, topK } from "../gfn/evaluate/diversity.ts";
import { type SampledTotalVariation, sampledTotalVariation } from "../gfn/evaluate/sampled.ts";
import { checkSizes } from "../nn/checks.ts";

export interface ProgressOptions {
  /** How many terminals there are. */
  readonly terminals: number;
  /** Modes as groups of terminals (`modeSetsOf`). */
  readonly modeSets: readonly (readonly number[])[];
  /** A terminal, written out: diversity is the edit distance of these texts. */
  decode(terminal: number): string;
  /** How many of the best are kept. */
  readonly top?: number;
  /** How many of the last samples are kept, to judge their distribution. */
  readonly window?: number;
}

/** What happened in a step of any method. */
export interface Observed {
  /** Objects that the oracle was asked for, repeated ones too. */
  readonly terminals: ArrayLike<number>;
  /** One for each of them. */
  readonly scores: ArrayLike<number>;
  /** Objects given for draws from the target, if those are others. */
  readonly samples?: ArrayLike<number>;
}

export interface Progress {
  add(observed: Observed): void;
  /** Calls of the oracle so far. */
  readonly calls: number;
  /** Different objects among them. */
  readonly distinct: number;
  /** Modes of which an object was seen. */
  readonly modesFound: number;
  readonly modes: number;
  /** Best score; −∞ before the first call. */
  readonly best: number;
  /** The best distinct objects, their scores and how different they are; null before the first call. */
  topK(): TopK | null;
  /** Distance of the last samples' frequencies from the target, beside its floor; null before the first sample. */
  sampled(target: Float64Array): SampledTotalVariation | null;
  /** All that was counted: going on from it gives the same. */
  save(): SavedProgress;
  restore(saved: SavedProgress): void;
}

/** Plain data: JSON but for its typed arrays. */
export interface SavedProgress {
  readonly calls: number;
  /** Samples that were ever added: says where the next one goes. */
  readonly sampled: number;
  /** 1 for every terminal that was seen. */
  readonly seen: Uint8Array;
  /** The best distinct ones, best first. */
  readonly topTerminals: readonly number[];
  readonly topScores: readonly number[];
  readonly window: Int32Array;
}

export function progress(options: ProgressOptions): Progress {
  const { terminals: count, modeSets, decode, top = 100, window: size = 10_000 } = options;
  checkSizes("progress", { terminals: count, top, window: size });
  const modesAt = groupsByTerminal(modeSets, count);
  const seen = new Uint8Array(count);
  const found = new Uint8Array(modeSets.length);
  const window = new Int32Array(size);
  let topTerminals: number[] = [];
  let topScores: number[] = [];
  let [calls, distinct, modesFound, sampled] = [0, 0, 0, 0];

  function see(terminal: number): void {
    seen[terminal] = 1;
    distinct++;
    for (const mode of modesAt.get(terminal) ?? []) {
      if (found[mode] === 0) modesFound++;
      found[mode] = 1;
    }
  }

  /** Equal scores stay in the order in which they came. */
  function rank(terminal: number, score: number): void {
    let place = topScores.length;
    while (place > 0 && topScores[place - 1] < score) place--;
    if (place === top) return;
    topTerminals.splice(place, 0, terminal);
    topScores.splice(place, 0, score);
    topTerminals.length = topScores.length = Math.min(top, topScores.length);
  }

  return {
    add({ terminals, scores, samples = terminals }) {
      checkObserved(terminals, scores, samples, count);
      for (let i = 0; i < terminals.length; i++) {
        calls++;
        if (seen[terminals[i]] === 1) continue;
        see(terminals[i]);
        rank(terminals[i], scores[i]);
      }
      for (let i = 0; i < samples.length; i++) window[sampled++ % size] = samples[i];
    },
    get calls() {
      return calls;
    },
    get distinct() {
      return distinct;
    },
    get modesFound() {
      return modesFound;
    },
    modes: modeSets.length,
    get best() {
      return topScores[0] ?? Number.NEGATIVE_INFINITY;
    },
    topK: () => (calls === 0 ? null : topK(topTerminals.map(decode), topScores, top)),
    sampled: (target) =>
      sampled === 0 ? null : sampledTotalVariation(window.subarray(0, Math.min(sampled, size)), target),
    save: () => ({
      calls,
      sampled,
      seen: seen.slice(),
      topTerminals: topTerminals.slice(),
      topScores: topScores.slice(),
      window: window.slice(),
    }),
    restore(saved) {
      for (const [name, there, here] of [
        ["terminals", saved.seen.length, count],
        ["window", saved.window.length, size],
      ] as const) {
        if (there !== here)
          throw new RangeError(`progress: ${name} was ${there} when saved and is ${here} here`);
      }
      ({ calls, sampled } = saved);
      topTerminals = saved.topTerminals.slice(0, top);
      topScores = saved.topScores.slice(0, top);
      window.set(saved.window);
      found.fill(0);
      [distinct, modesFound] = [0, 0];
      saved.seen.forEach((was, terminal) => {
        seen[terminal] = 0;
        if (was === 1) see(terminal);
      });
    },
  };
}

/** Which modes a terminal belongs to. */
function groupsByTerminal(modeSets: readonly (readonly number[])[], count: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  modeSets.forEach((set, mode) => {
    for (const terminal of set) {
      checkNumber(`mode ${mode}`, terminal, count);
      const own = groups.get(terminal);
      if (own) own.push(mode);
      else groups.set(terminal, [mode]);
    }
  });
  return groups;
}

/** Nothing is counted of a step that is not right as a whole. */
function checkObserved(
  terminals: ArrayLike<number>,
  scores: ArrayLike<number>,
  samples: ArrayLike<number>,
  count: number,
): void {
  if (terminals.length !== scores.length) {
    throw new RangeError(
      `progress: ${terminals.length} terminals have ${scores.length} scores; give one each`,
    );
  }
  for (let i = 0; i < terminals.length; i++) {
    checkNumber(`object ${i}`, terminals[i], count);
    if (Number.isNaN(scores[i])) throw new RangeError(`progress: the score of object ${i} is NaN`);
  }
  if (samples !== terminals) {
    for (let i = 0; i < samples.length; i++) checkNumber(`sample ${i}`, samples[i], count);
  }
}

function checkNumber(what: string, terminal: number, count: number): void {
  if (Number.isInteger(terminal) && terminal >= 0 && terminal < count) return;
  throw new RangeError(
    `progress: ${what} is terminal ${terminal}, but there are terminals 0 to ${count - 1}`,
  );
}
