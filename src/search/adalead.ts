// AdaLead (Sinai et al. 2020): evolution that asks a proxy model first.
//
// The seeds of a round are all scored strings whose score is near the best. They recombine, and from each a rollout of
// mutations continues as long as the mean of the proxy is not below that of its start. The strings of all rollouts with the
// highest means are asked.

import { RandomStream } from "../engine/random-stream.ts";
import { checkSetting } from "./check-setting.ts";
import { legalStrings } from "./legal-strings.ts";
import { SearchMemory } from "./search-memory.ts";
import type { ScoredString, StringSearch, StringSearchOptions } from "./string-search.ts";
import { mutated } from "./variation.ts";

/** A fitted model of the scores. */
export interface MeanProxy {
  /** The predicted mean score of each string. */
  means(strings: readonly string[]): Promise<ArrayLike<number>>;
}

/** Fits a proxy to scored strings. */
export type FitProxy = (scored: readonly ScoredString[], seed: number) => Promise<MeanProxy>;

/** Settings of AdaLead. */
export interface AdaLeadOptions extends StringSearchOptions {
  readonly fitProxy: FitProxy;
  /** κ: seeds are the strings whose score is at least (1 − κ) of the best. Default: 0.05. */
  readonly threshold?: number;
  /** Probability at each position that the recombination of two seeds changes from one to the other. Default: 0.2. */
  readonly recombination?: number;
  /** Expected number of changed tokens of a step of a rollout; a step changes at least one. Default: 1. */
  readonly mutations?: number;
  /** Number of strings that the proxy predicts in a round, for each string that is asked. Default: 20. */
  readonly proxyCallsPerString?: number;
}

/** AdaLead, with the number of strings that its proxies have predicted. */
export interface AdaLead extends StringSearch {
  readonly proxyCalls: number;
}

/** Rollouts that advance together. */
const ROLLOUTS = 20;
/** Draws of a legal recombination, or of a string that is new in this round. */
const DRAWS = 20;

/** Proposes the strings that the proxy prefers among mutants of the best strings. */
export function adalead(options: AdaLeadOptions): AdaLead {
  const { environment, seed, initial = [], fitProxy, threshold = 0.05, recombination = 0.2 } = options;
  const { mutations = 1, proxyCallsPerString = 20 } = options;
  checkSetting("adalead", "threshold", threshold, { from: 0, to: 1 });
  checkSetting("adalead", "recombination", recombination, { from: 0, to: 1 });
  checkSetting("adalead", "mutations", mutations, { above: 0 });
  checkSetting("adalead", "proxyCallsPerString", proxyCallsPerString, { from: 1 });
  const strings = legalStrings(environment);
  const root = RandomStream.fromSeed(seed).split("adalead");
  const stream = root.split("rollouts");
  const memory = new SearchMemory(strings, root.split("uniform"));
  let proxyCalls = 0;
  let round = 0;

  /** The strings near the best; a negative best score lowers the threshold too. */
  function seeds(): (readonly number[])[] {
    const { scored } = memory;
    const top = scored.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY);
    const least = top - threshold * Math.abs(top);
    return scored.filter(({ score }) => score >= least).map(({ tokens }) => tokens);
  }

  /** Two seeds, recombined at random positions; the first one if no legal recombination is found. */
  function recombined(parents: readonly (readonly number[])[]): readonly number[] {
    const parent = () => parents[stream.integer(parents.length)];
    const first = parent();
    for (let draw = 0; draw < DRAWS; draw++) {
      const second = parent();
      let isFirst = true;
      const tokens = first.map((token, i) => {
        if (stream.uniform() < recombination) isFirst = !isFirst;
        return isFirst ? token : (second[i] ?? token);
      });
      if (strings.isLegal(tokens)) return tokens;
    }
    return first;
  }

  /** A mutant that is neither scored nor predicted in this round; null if none is found. */
  function newMutant(
    tokens: readonly number[],
    predicted: ReadonlyMap<string, number>,
  ): readonly number[] | null {
    for (let draw = 0; draw < DRAWS; draw++) {
      let changes = 0;
      for (let i = 0; i < tokens.length; i++) if (stream.uniform() < mutations / tokens.length) changes++;
      const mutant = mutated(strings, tokens, Math.max(1, changes), stream);
      const string = strings.text(mutant);
      if (!memory.has(string) && !predicted.has(string)) return mutant;
    }
    return null;
  }

  /** The predictions of all strings of the rollouts of a round. */
  async function rollouts(proxy: MeanProxy, calls: number): Promise<Map<string, number>> {
    const parents = seeds();
    const predicted = new Map<string, number>();
    const last = proxyCalls + calls;
    const predict = async (all: readonly (readonly number[])[]) => {
      proxyCalls += all.length;
      return proxy.means(all.map(strings.text));
    };
    while (proxyCalls < last) {
      const roots = Array.from({ length: Math.min(ROLLOUTS, last - proxyCalls) }, () => recombined(parents));
      const rootMeans = await predict(roots);
      roots.forEach((tokens, i) => {
        const string = strings.text(tokens);
        if (!memory.has(string)) predicted.set(string, rootMeans[i]);
      });
      let nodes = roots.map((tokens, i) => ({ tokens, least: rootMeans[i] }));
      while (nodes.length > 0 && proxyCalls < last) {
        const children = nodes.slice(0, last - proxyCalls).flatMap(({ tokens, least }) => {
          const mutant = newMutant(tokens, predicted);
          return mutant ? [{ tokens: mutant, least }] : [];
        });
        const means = await predict(children.map(({ tokens }) => tokens));
        children.forEach(({ tokens }, i) => {
          predicted.set(strings.text(tokens), means[i]);
        });
        nodes = children.filter(({ least }, i) => means[i] >= least);
      }
    }
    return predicted;
  }

  return {
    name: "AdaLead",
    get proxyCalls() {
      return proxyCalls;
    },
    async ask(count) {
      const first = memory.askThese(initial, count);
      const rest = count - first.length;
      const known = memory.scored;
      if (known.length === 0) return [...first, ...memory.askUniform(rest)];
      const proxy = await fitProxy(
        known.map(({ string, score }) => ({ string, score })),
        root.split(`proxy ${round++}`).bits(),
      );
      const predicted = await rollouts(proxy, Math.round(proxyCallsPerString * count));
      const sorted = [...predicted].sort(([, a], [, b]) => b - a).map(([string]) => string);
      const chosen = memory.askThese(sorted, rest);
      return [...first, ...chosen, ...memory.askUniform(rest - chosen.length)];
    },
    async tell(scored) {
      memory.tell(scored);
    },
  };
}
