// δ-conservative search (Kim et al. 2024, arXiv 2410.04461): proposals come from masking a part of a good string and
// refilling it by the policy. Fewer positions are masked the less certain the proxy is of a string, because the proxy is
// trustworthy only near strings that have been scored.

import type { RandomStream } from "../../engine/random-stream.ts";

/** A string that the search has found or started from. */
export interface SearchedString {
  readonly string: string;
  readonly tokens: readonly number[];
  /** The value of the string to each searcher: each member of the proxy, or one acquisition function for all. */
  readonly values: Float64Array;
  /** Deviation of the prediction, relative to that of all scores. */
  readonly deviation: number;
}

export interface ConservativeSearchOptions {
  /** Strings to start from. */
  readonly start: readonly SearchedString[];
  /** Number of values of a string. */
  readonly searchers: number;
  /** The values of strings. */
  evaluate(strings: readonly string[]): Promise<readonly SearchedString[]>;
  refill(
    patterns: readonly (readonly (number | null)[])[],
    stream: RandomStream,
  ): Promise<readonly (string | null)[]>;
  readonly stream: RandomStream;
}

/** δ₀ and λ of the masking probability max(δ₀ − λσ, 0), with σ relative to the deviation of the scores. */
const [MASKED, CAUTION] = [0.35, 0.15];
/** Generations, strings of each, and best strings of a searcher that become parents. */
const [GENERATIONS, CHILDREN, PARENTS] = [24, 512, 40];
/** Whole strings that the policy builds at first. */
const BUILT = 512;

/** All strings that the search has found, without those it started from. */
export async function conservativeSearch(options: ConservativeSearchOptions): Promise<SearchedString[]> {
  const { start, searchers, evaluate, refill, stream } = options;
  const seen = new Set(start.map(({ string }) => string));
  const found: SearchedString[] = [];
  const parents = Array.from({ length: searchers }, (_, searcher) => bestOf(start, searcher));
  const add = async (strings: readonly (string | null)[]) => {
    const news = [...new Set(strings)].filter(
      (string): string is string => string !== null && !seen.has(string),
    );
    for (const string of news) seen.add(string);
    const evaluated = await evaluate(news);
    found.push(...evaluated);
    for (let searcher = 0; searcher < searchers; searcher++) {
      parents[searcher] = bestOf([...parents[searcher], ...evaluated], searcher);
    }
  };
  await add(
    await refill(
      Array.from({ length: BUILT }, () => []),
      stream,
    ),
  );
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const patterns = Array.from({ length: CHILDREN }, (_, i) => {
      const own = parents[i % searchers];
      return masked(own[Math.floor(stream.uniform() ** 2 * own.length)], stream);
    });
    await add(await refill(patterns, stream));
  }
  return found;
}

/** The best strings to one searcher. */
function bestOf(strings: readonly SearchedString[], searcher: number): SearchedString[] {
  return strings.toSorted((a, b) => b.values[searcher] - a.values[searcher]).slice(0, PARENTS);
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
