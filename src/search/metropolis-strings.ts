// Metropolis–Hastings chains on legal strings, whose target is proportional to exp(score / temperature). A step proposes one
// change of a token. An illegal proposal is rejected without a call; one with a known score is decided at once.
//
// The other proposals of a batch are asked before it is known which are accepted: each chain proposes several changes of its
// current string, and decides them in order when their scores arrive. After an accepted one the rest is dropped, so that
// every chain is an exact Metropolis–Hastings chain.

import { RandomStream } from "../engine/random-stream.ts";
import { standardDeviation } from "../math/statistics.ts";
import { checkSetting } from "./check-setting.ts";
import { type LegalStrings, legalStrings } from "./legal-strings.ts";
import { SearchMemory } from "./search-memory.ts";
import type { StringSearch, StringSearchOptions } from "./string-search.ts";
import { type ChangeKind, changed, changeKinds } from "./variation.ts";

/** Settings of the chains. */
export interface MetropolisStringsOptions extends StringSearchOptions {
  /** Number of chains. They start at the best of the first scored strings. Default: 8. */
  readonly chains?: number;
  /** Difference of scores that counts as a factor e. Default: a fifth of the standard deviation of the scores that are told
   * before the first step, and then fixed. */
  readonly temperature?: number;
  /** Is called after each step of a chain with the string where the chain is. */
  readonly onStep?: (string: string) => void;
}

/** A change of the current string of a chain. */
interface Proposal {
  /** Null if the proposal is illegal. */
  readonly string: string | null;
  readonly tokens: readonly number[];
  /** Logarithm of the ratio of the probabilities to propose the way back and the way there. */
  readonly logRatio: number;
}

interface Chain {
  current: { readonly tokens: readonly number[]; readonly score: number };
  pending: Proposal[];
}

/** Most steps without a new string; a uniform string takes its place then. */
const MOST_STEPS = 1000;
/** Between a tenth and a third, results on generated Ehrlich functions and NK landscapes were alike. */
const TEMPERATURE_SHARE = 1 / 5;

/** Proposes the steps of Metropolis–Hastings chains. */
export function metropolisStrings(options: MetropolisStringsOptions): StringSearch {
  const { environment, seed, initial = [], chains: size = 8 } = options;
  checkSetting("metropolisStrings", "chains", size, { from: 1, whole: true });
  if (options.temperature !== undefined)
    checkSetting("metropolisStrings", "temperature", options.temperature, { above: 0 });
  const strings = legalStrings(environment);
  const root = RandomStream.fromSeed(seed).split("metropolis strings");
  const stream = root.split("chains");
  const memory = new SearchMemory(strings, root.split("uniform"));
  let chains: Chain[] = [];
  let temperature = options.temperature ?? Number.NaN;

  /** Starts the chains at the best scored strings. */
  function start(): void {
    const sorted = memory.scored.toSorted((a, b) => b.score - a.score);
    if (sorted.length === 0) return;
    if (options.temperature === undefined) {
      const spread = standardDeviation(sorted.map(({ score }) => score));
      temperature = spread > 0 ? TEMPERATURE_SHARE * spread : 1;
    }
    chains = Array.from({ length: size }, (_, i) => ({ current: sorted[i % sorted.length], pending: [] }));
  }

  /** Decides the proposals of a chain up to the first one without a score. */
  function decide(chain: Chain): void {
    while (chain.pending.length > 0) {
      const { string, tokens, logRatio } = chain.pending[0];
      const score = string === null ? Number.NEGATIVE_INFINITY : memory.scoreOf(string);
      if (score === undefined) return;
      chain.pending.shift();
      const logProbability = (score - chain.current.score) / temperature + logRatio;
      if (Math.log(stream.uniform()) < logProbability) {
        chain.current = { tokens, score };
        chain.pending = [];
      }
      options.onStep?.(strings.text(chain.current.tokens));
    }
  }

  return {
    name: "Metropolis–Hastings",
    async ask(count) {
      const asked = memory.askThese(initial, count);
      if (chains.length === 0) start();
      // Proposals whose strings have got no score, because the oracle failed, count as rejected.
      for (const chain of chains) chain.pending = [];
      for (let steps = 0, i = 0; chains.length > 0 && asked.length < count && steps < MOST_STEPS; i++) {
        const chain = chains[i % chains.length];
        const proposal = propose(strings, chain.current.tokens, stream);
        const [added] = proposal.string === null ? [] : memory.askThese([proposal.string], 1);
        chain.pending.push(proposal);
        decide(chain);
        steps = added === undefined ? steps + 1 : 0;
        if (added !== undefined) asked.push(added);
      }
      return [...asked, ...memory.askUniform(count - asked.length)];
    },
    async tell(scored) {
      memory.tell(scored);
      chains.forEach(decide);
    },
  };
}

/** One change. Inserting one of A tokens at one of n + 1 places has the probability 1 / (A (n + 1)) among insertions, and
 * deleting it again 1 / (n + 1) among deletions. */
function propose(strings: LegalStrings, from: readonly number[], stream: RandomStream): Proposal {
  const kinds = changeKinds(strings);
  const kind = kinds[stream.integer(kinds.length)];
  const tokens = changed(from, kind, strings.letters, stream);
  const isLegal = tokens !== null && strings.isLegal(tokens);
  const logRatios: Record<ChangeKind, number> = {
    substitution: 0,
    insertion: Math.log(strings.letters),
    deletion: -Math.log(strings.letters),
  };
  return {
    string: isLegal ? strings.text(tokens) : null,
    tokens: tokens ?? from,
    logRatio: logRatios[kind],
  };
}
