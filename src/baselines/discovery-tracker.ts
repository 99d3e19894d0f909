// Tracks the objects that a method has sampled and scored: oracle calls, modes, and the best objects.
//
// Counts and the best k objects are updated in every iteration, which is cheap. Diversity and total variation are
// computed on request.

import { type TopK, topK } from "../gfn/evaluate/diversity.ts";
import { type SampledTotalVariation, sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import { checkSizes } from "../nn/checks.ts";

export interface DiscoveryTrackerOptions {
  /** Number of terminals. */
  readonly terminals: number;
  /** Modes as sets of terminals (`modeSetsOf`). */
  readonly modeSets: readonly (readonly number[])[];
  /** The object of a terminal as text; diversity is the edit distance of these texts. */
  decode(terminal: number): string;
  /** Number of best objects kept. Default: 100. */
  readonly top?: number;
  /** Number of latest samples kept for the sampled total variation. Default: 10,000. */
  readonly window?: number;
}

/** The objects of one step of a method. */
export interface ObservedBatch {
  /** Scored objects, including objects that were scored before. */
  readonly terminals: ArrayLike<number>;
  /** Their scores. */
  readonly scores: ArrayLike<number>;
  /** 1 for each scored object that the method did not sample itself, such as a row that follows a uniformly drawn object.
   * Default: it sampled all of them. */
  readonly offPolicy?: ArrayLike<number>;
  /** Samples from the distribution of the method. Default: the scored objects. */
  readonly samples?: ArrayLike<number>;
}

export interface DiscoveryTracker {
  add(observed: ObservedBatch): void;
  /** Number of oracle calls. */
  readonly calls: number;
  /** Number of distinct scored objects. */
  readonly distinct: number;
  /** Number of modes among the objects that the method sampled itself. */
  readonly modesFound: number;
  /** Number of modes among all scored objects. */
  readonly modesScored: number;
  readonly modes: number;
  /** The best score; −∞ before the first call. */
  readonly bestScore: number;
  /** Mean score and diversity of the best distinct objects. Null before the first call. */
  topK(): TopK | null;
  /** Total variation between the frequencies of the latest samples and the target, with its sampling floor. Null before the first sample. */
  sampledTotalVariation(target: Float64Array): SampledTotalVariation | null;
  /** The complete state; a tracker restored from it continues identically. */
  save(): SavedDiscoveries;
  restore(saved: SavedDiscoveries): void;
}

/** The state of a tracker as plain data; its typed arrays are not JSON. */
export interface SavedDiscoveries {
  readonly calls: number;
  /** Number of samples added so far, which determines the position of the next sample in the window. */
  readonly sampled: number;
  /** 2 for every terminal that the method sampled, 1 for one that was only scored, 0 for the others. */
  readonly seen: Uint8Array;
  /** The best distinct terminals, best first. */
  readonly topTerminals: readonly number[];
  readonly topScores: readonly number[];
  readonly window: Int32Array;
}

/** Values of `seen`. */
const [UNSEEN, SCORED, SAMPLED] = [0, 1, 2];

export function discoveryTracker(options: DiscoveryTrackerOptions): DiscoveryTracker {
  const { terminals: count, modeSets, decode, top = 100, window: size = 10_000 } = options;
  checkSizes("discoveryTracker", { terminals: count, top, window: size });
  const modesAt = groupsByTerminal(modeSets, count);
  const seen = new Uint8Array(count);
  /** The largest number in `seen` over the terminals of each mode. */
  const found = new Uint8Array(modeSets.length);
  const window = new Int32Array(size);
  let topTerminals: number[] = [];
  let topScores: number[] = [];
  let [calls, distinct, modesFound, modesScored, sampled] = [0, 0, 0, 0, 0];

  function markSeen(terminal: number, how: number): void {
    if (seen[terminal] === UNSEEN) distinct++;
    seen[terminal] = how;
    for (const mode of modesAt.get(terminal) ?? []) {
      if (found[mode] === UNSEEN) modesScored++;
      if (found[mode] < SAMPLED && how === SAMPLED) modesFound++;
      found[mode] = Math.max(found[mode], how);
    }
  }

  /** Inserts a terminal into the list of the best; terminals with equal scores stay in the order of arrival. */
  function rank(terminal: number, score: number): void {
    let position = topScores.length;
    while (position > 0 && topScores[position - 1] < score) position--;
    if (position === top) return;
    topTerminals.splice(position, 0, terminal);
    topScores.splice(position, 0, score);
    topTerminals.length = topScores.length = Math.min(top, topScores.length);
  }

  return {
    add({ terminals, scores, offPolicy, samples = terminals }) {
      checkObserved(terminals, scores, samples, count);
      for (let i = 0; i < terminals.length; i++) {
        calls++;
        const how = offPolicy?.[i] === 1 ? SCORED : SAMPLED;
        const before = seen[terminals[i]];
        if (how <= before) continue;
        markSeen(terminals[i], how);
        if (before === UNSEEN) rank(terminals[i], scores[i]);
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
    get modesScored() {
      return modesScored;
    },
    modes: modeSets.length,
    get bestScore() {
      return topScores[0] ?? Number.NEGATIVE_INFINITY;
    },
    topK: () => (calls === 0 ? null : topK(topTerminals.map(decode), topScores, top)),
    sampledTotalVariation: (target) =>
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
          throw new RangeError(
            `discoveryTracker: ${name} must be ${here} as in this tracker, got ${there} in the saved state`,
          );
      }
      ({ calls, sampled } = saved);
      topTerminals = saved.topTerminals.slice(0, top);
      topScores = saved.topScores.slice(0, top);
      window.set(saved.window);
      found.fill(0);
      [distinct, modesFound, modesScored] = [0, 0, 0];
      saved.seen.forEach((how, terminal) => {
        seen[terminal] = UNSEEN;
        if (how !== UNSEEN) markSeen(terminal, how);
      });
    },
  };
}

/** The modes that each terminal belongs to. */
function groupsByTerminal(modeSets: readonly (readonly number[])[], count: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  modeSets.forEach((set, mode) => {
    for (const terminal of set) {
      checkTerminal(`mode ${mode}`, terminal, count);
      const modes = groups.get(terminal);
      if (modes) modes.push(mode);
      else groups.set(terminal, [mode]);
    }
  });
  return groups;
}

/** Checks all objects of a step before any of them is counted. */
function checkObserved(
  terminals: ArrayLike<number>,
  scores: ArrayLike<number>,
  samples: ArrayLike<number>,
  count: number,
): void {
  if (terminals.length !== scores.length) {
    throw new RangeError(
      `discoveryTracker: there must be one score per terminal, got ${scores.length} scores for ${terminals.length} terminals`,
    );
  }
  for (let i = 0; i < terminals.length; i++) {
    checkTerminal(`object ${i}`, terminals[i], count);
    if (Number.isNaN(scores[i]))
      throw new RangeError(`discoveryTracker: the score of object ${i} must be a number, got NaN`);
  }
  if (samples !== terminals) {
    for (let i = 0; i < samples.length; i++) checkTerminal(`sample ${i}`, samples[i], count);
  }
}

function checkTerminal(name: string, terminal: number, count: number): void {
  if (Number.isInteger(terminal) && terminal >= 0 && terminal < count) return;
  throw new RangeError(
    `discoveryTracker: the terminal of ${name} must be from 0 to ${count - 1}, got ${terminal}`,
  );
}
