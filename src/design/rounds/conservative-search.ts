// δ-conservative search (Kim et al. 2024, arXiv 2410.04461): proposals come from masking a part of a good string and
// refilling it by the policy. Fewer positions are masked the less certain the proxy is of a string, because the proxy is
// trustworthy only near strings that have been scored. Some strings are recombined from two good ones, whose parts may move:
// motifs that stand in each other's way in all strings so far can only be brought together in this way.

import type { RandomStream } from "../../engine/random-stream.ts";
import { boundedDistancesFrom, type DistanceName } from "../../math/bounded-distance.ts";
import { codesOf } from "../../math/edit-distance.ts";

/** A string that the search has found or started from. */
export interface SearchedString {
  readonly string: string;
  readonly tokens: readonly number[];
  /** The value of the string to each searcher: each member of the proxy, or one acquisition function for all. */
  readonly values: Float64Array;
  /** The predicted score. One more searcher looks for its best values. */
  readonly mean: number;
  /** Deviation of the prediction, relative to that of all scores. */
  readonly deviation: number;
}

export interface ConservativeSearchOptions {
  /** Strings to start from. */
  readonly start: readonly SearchedString[];
  /** The values of strings. */
  evaluate(strings: readonly string[]): Promise<readonly SearchedString[]>;
  refill(
    patterns: readonly (readonly (number | null)[])[],
    stream: RandomStream,
  ): Promise<readonly (string | null)[]>;
  /** Half of the parents are farther apart than this, so that the search improves several families of strings. */
  readonly family: number;
  readonly distance: DistanceName;
  readonly stream: RandomStream;
}

/** δ₀ and λ of the masking probability max(δ₀ − λσ, 0), with σ relative to the deviation of the scores. */
const [MASKED, CAUTION] = [0.35, 0.15];
/** Generations, strings of each, and best strings of a searcher that become parents. */
const [GENERATIONS, CHILDREN, PARENTS] = [24, 512, 40];
/** Share of the children that are recombined, and of their parts that move. */
const [RECOMBINED, MOVED] = [0.25, 0.5];
/** Whole strings that the policy builds at first. */
const BUILT = 512;

/** All strings that the search has found, without those it started from. */
export async function conservativeSearch(options: ConservativeSearchOptions): Promise<SearchedString[]> {
  const { start, evaluate, refill, family, distance, stream } = options;
  const seen = new Set(start.map(({ string }) => string));
  const found: SearchedString[] = [];
  const searchers: readonly Searcher[] = [
    ...Array.from(
      start[0].values,
      (_, i): Searcher =>
        ({ values }) =>
          values[i],
    ),
    ({ mean }) => mean,
  ];
  const best = (strings: readonly SearchedString[], value: Searcher) =>
    bestAndApart(strings, value, { family, distance });
  const parents = searchers.map((value) => best(start, value));
  const add = async (strings: readonly (string | null)[]) => {
    const news = [...new Set(strings)].filter(
      (string): string is string => string !== null && !seen.has(string),
    );
    for (const string of news) seen.add(string);
    const evaluated = await evaluate(news);
    found.push(...evaluated);
    searchers.forEach((value, i) => {
      parents[i] = best([...parents[i], ...evaluated], value);
    });
  };
  await add(
    await refill(
      Array.from({ length: BUILT }, () => []),
      stream,
    ),
  );
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const patterns = Array.from({ length: CHILDREN }, (_, i) => {
      const own = parents[i % searchers.length];
      const parent = () => own[Math.floor(stream.uniform() ** 2 * own.length)];
      return stream.uniform() < RECOMBINED
        ? recombined(parent().tokens, parent().tokens, stream)
        : masked(parent(), stream);
    });
    await add(await refill(patterns, stream));
  }
  return found;
}

/** What a searcher looks for. */
type Searcher = (string: SearchedString) => number;

/** The best strings to one searcher: half of them whatever their distances, and the best of as many families. */
function bestAndApart(
  strings: readonly SearchedString[],
  value: Searcher,
  { family, distance }: Pick<ConservativeSearchOptions, "family" | "distance">,
): SearchedString[] {
  const values = Float64Array.from(strings, value);
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
  const ranked = Array.from(order, (i) => strings[i]);
  const apart: SearchedString[] = [];
  const codes: Int32Array[] = [];
  for (const each of ranked) {
    if (apart.length === PARENTS / 2) break;
    const own = codesOf(each.string);
    const distanceTo = boundedDistancesFrom(own, distance);
    if (codes.some((other) => distanceTo(other, family) <= family)) continue;
    apart.push(each);
    codes.push(own);
  }
  const kept = new Set([...ranked.slice(0, PARENTS / 2), ...apart]);
  return ranked.filter((each) => kept.has(each));
}

/** The probability that a position of a string is masked. */
export function maskProbability(deviation: number): number {
  return Math.max(MASKED - CAUTION * deviation, 0);
}

/** The letters that are kept; at least one position is masked. */
function masked({ tokens, deviation }: SearchedString, stream: RandomStream): (number | null)[] {
  if (tokens.length === 0) return []; // nothing to keep: the policy builds a whole string
  const probability = maskProbability(deviation);
  const chosen = stream.integer(tokens.length);
  return tokens.map((token, i) => (i === chosen || stream.uniform() < probability ? null : token));
}

/** The beginning of one string and the end of another one, each of which may have moved; null where neither has a letter. */
export function recombined(
  one: readonly number[],
  other: readonly number[],
  stream: RandomStream,
): (number | null)[] {
  const { length } = one;
  if (length === 0) return [];
  const moved = () =>
    stream.uniform() < MOVED ? stream.integer(length + 1) - Math.floor((length + 1) / 2) : 0;
  const [first, second] = [moved(), moved()];
  const cut = stream.integer(length + 1);
  return one.map((_, i) => (i < cut ? one[i - first] : other[i - second]) ?? null);
}
