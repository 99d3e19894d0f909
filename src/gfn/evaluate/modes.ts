// How many of the good places a set of strings has found, counted in three ways that must not be confused.
//
// `greedyModes` needs nothing but the strings and their rewards; `modeRecall` needs the modes to be known; local maxima
// need the reward of every neighbour, and are exact.

/** A string, or the numbers of its letters. */
export type Sequence = string | ArrayLike<number>;

/** Positions in which two sequences differ; letters that only the longer one has count as different. */
export function hammingDistance(a: Sequence, b: Sequence): number {
  const common = Math.min(a.length, b.length);
  let distance = Math.max(a.length, b.length) - common;
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) distance++;
  return distance;
}

export interface GreedyModesOptions {
  /** Look at this many of the best distinct sequences; 100 unless a threshold is given. */
  readonly top?: number;
  /** Look at every sequence whose reward is at least this, instead of the top ones. */
  readonly threshold?: number;
  /** A sequence is new when its distance to every accepted one exceeds this. */
  readonly distance?: number;
  /** How far two sequences are apart; the Hamming distance unless given. */
  between?(a: Sequence, b: Sequence): number;
}

/**
 * Greedy cover: goes through the sequences from the best down and accepts one whenever it is new. Returns the
 * positions of the accepted ones; their count is the number of modes. Repeated sequences count once, equal rewards keep
 * their order.
 */
export function greedyModes(
  sequences: readonly Sequence[],
  rewards: ArrayLike<number>,
  {
    threshold,
    top = threshold === undefined ? 100 : Number.POSITIVE_INFINITY,
    distance = 2,
    between = hammingDistance,
  }: GreedyModesOptions = {},
): number[] {
  const accepted: number[] = [];
  let seen = 0;
  for (const i of bestFirst(sequences, rewards)) {
    if (seen++ >= top || (threshold !== undefined && !(rewards[i] >= threshold))) break;
    if (accepted.every((mode) => between(sequences[mode], sequences[i]) > distance)) accepted.push(i);
  }
  return accepted;
}

/** Positions of the distinct sequences, best reward first; equal rewards keep their order. */
export function bestFirst(sequences: readonly Sequence[], rewards: ArrayLike<number>): number[] {
  if (sequences.length !== rewards.length) {
    throw new RangeError(
      `bestFirst: ${sequences.length} sequences have ${rewards.length} rewards; give one each`,
    );
  }
  for (let i = 0; i < rewards.length; i++) {
    if (Number.isNaN(rewards[i])) throw new RangeError(`bestFirst: the reward of sequence ${i} is NaN`);
  }
  return distinct(sequences).sort((a, b) => rewards[b] - rewards[a]);
}

/** Positions of the sequences that occur for the first time. */
export function distinct(sequences: readonly Sequence[]): number[] {
  const seen = new Set<string>();
  const first: number[] = [];
  for (let i = 0; i < sequences.length; i++) {
    const key = keyOf(sequences[i]);
    if (seen.has(key)) continue;
    seen.add(key);
    first.push(i);
  }
  return first;
}

/** The share of a given set of modes that is among the sequences. */
export function modeRecall(sequences: readonly Sequence[], modes: readonly Sequence[]): number {
  if (modes.length === 0) throw new RangeError("modeRecall: the set of modes is empty; give at least one");
  const found = new Set(sequences.map(keyOf));
  const wanted = new Set(modes.map(keyOf));
  let count = 0;
  for (const mode of wanted) if (found.has(mode)) count++;
  return count / wanted.size;
}

export interface LocalMaximaOptions {
  /** Size of the alphabet. */
  readonly letters: number;
  /** Only sequences whose reward is at least this count. */
  readonly threshold: number;
  /** Reward of any sequence of letter numbers. */
  readonly rewardOf: (sequence: ArrayLike<number>) => number;
}

/**
 * Positions of the distinct sequences that are local maxima above the threshold: no change of one letter has a higher
 * reward. Exact, since every neighbour is asked for.
 */
export function localMaxima(
  sequences: readonly ArrayLike<number>[],
  { letters, threshold, rewardOf }: LocalMaximaOptions,
): number[] {
  return distinct(sequences).filter((i) => {
    const reward = rewardOf(sequences[i]);
    if (!(reward >= threshold)) return false;
    const neighbour = Array.from(sequences[i]);
    for (let position = 0; position < neighbour.length; position++) {
      const own = neighbour[position];
      for (let letter = 0; letter < letters; letter++) {
        neighbour[position] = letter;
        if (letter !== own && rewardOf(neighbour) > reward) return false;
      }
      neighbour[position] = own;
    }
    return true;
  });
}

/** All local maxima above the threshold, out of the rewards of all strings of a length in alphabetical order. */
export function localMaximaOfTable(
  rewards: Float64Array,
  {
    letters,
    length,
    threshold,
  }: { readonly letters: number; readonly length: number; readonly threshold: number },
): number[] {
  if (rewards.length !== letters ** length) {
    throw new RangeError(
      `localMaximaOfTable: ${letters} letters and length ${length} make ${letters ** length} strings, got ${rewards.length} rewards`,
    );
  }
  const maxima: number[] = [];
  for (let index = 0; index < rewards.length; index++) {
    if (rewards[index] >= threshold && isMaximum(index)) maxima.push(index);
  }
  return maxima;

  function isMaximum(index: number): boolean {
    for (let place = 1; place < rewards.length; place *= letters) {
      const own = Math.floor(index / place) % letters;
      for (let letter = 0; letter < letters; letter++) {
        if (rewards[index + (letter - own) * place] > rewards[index]) return false;
      }
    }
    return true;
  }
}

function keyOf(sequence: Sequence): string {
  return typeof sequence === "string" ? sequence : Array.from(sequence).join();
}
