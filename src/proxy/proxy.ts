// What a proxy is: a cheap model of the score, fitted to the strings that have one. Every proxy is an ensemble of members,
// each of which was fitted without one part (fold) of the strings. Members disagree where the scores leave the model open,
// and the members' predictions of the strings that they did not see show how good the model is, without further fits.

/** A string as the indices of its tokens. */
export type Tokens = ArrayLike<number>;

/** Scored strings. Higher scores are better. */
export interface ProxyData {
  readonly strings: readonly Tokens[];
  readonly scores: ArrayLike<number>;
  /** Number of tokens of the alphabet, A. */
  readonly tokens: number;
  /** Largest number of tokens of a string, L. */
  readonly length: number;
  /** A map of strings that may leave scores as they are, and is its own inverse, such as the reverse complement of DNA. */
  readonly mirror?: ((string: Tokens) => Tokens) | null;
}

/** Names of the proxies. */
export const PROXY_NAMES = ["linear", "pairwise", "kmers", "motifs", "mlp", "convolution"] as const;
export type ProxyName = (typeof PROXY_NAMES)[number];

/** A fitted proxy. */
export interface ScoreProxy<N extends string = ProxyName> {
  readonly name: N;
  /** The prediction of each fitted string by the member that was fitted without it, [n]. */
  readonly outOfFold: Float64Array;
  /** The predictions of each member, [members][strings]. */
  predict(strings: readonly Tokens[]): Promise<readonly Float64Array[]>;
}

/** The predictions of each member, [members][strings], from those of all members for one string. */
export function byMember(
  strings: readonly Tokens[],
  predictions: (string: Tokens) => Float64Array,
): readonly Float64Array[] {
  const result = Array.from({ length: MEMBERS }, () => new Float64Array(strings.length));
  strings.forEach((string, i) => {
    const own = predictions(string);
    for (const [member, values] of result.entries()) values[i] = own[member];
  });
  return result;
}

/** Number of members of a proxy, and of folds of the data. */
export const MEMBERS = 8;

/** The fold of each string, [n]: by its position in the data, or that of its mirror image if this came before, because its score
 * would give the other away. Strings are only appended, so that a string stays in its fold. */
export function foldsOf({ strings, mirror }: Pick<ProxyData, "strings" | "mirror">): Int32Array {
  const folds = Int32Array.from(strings, (_, position) => position % MEMBERS);
  if (!mirror) return folds;
  const keyOf = (string: Tokens) => Array.from(string).join();
  const foldOfKey = new Map<string, number>();
  strings.forEach((string, position) => {
    const key = keyOf(string);
    const fold = foldOfKey.get(key) ?? foldOfKey.get(keyOf(mirror(string))) ?? folds[position];
    foldOfKey.set(key, fold);
    folds[position] = fold;
  });
  return folds;
}

/** Mean and standard deviation over members for each string, [n] each. */
export interface Moments {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** The moments of the members' predictions. */
export function momentsOf(members: readonly Float64Array[]): Moments {
  const count = members[0].length;
  const mean = new Float64Array(count);
  const deviation = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let total = 0;
    for (const member of members) total += member[i];
    mean[i] = total / members.length;
    let squares = 0;
    for (const member of members) squares += (member[i] - mean[i]) ** 2;
    deviation[i] = Math.sqrt(squares / (members.length - 1));
  }
  return { mean, deviation };
}
