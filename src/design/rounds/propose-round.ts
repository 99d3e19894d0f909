// One round of active learning: fits the proxies to all scored strings, trains a policy on the acquisition function, searches
// around good strings, and chooses strings to score. A round is a function of the scores, the earlier rounds and the seed, so
// a round that was interrupted gives the same proposals when it starts again.

import { tokenText } from "../../constraints/index.ts";
import type { EngineName } from "../../engine/index.ts";
import { RandomStream } from "../../engine/random-stream.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import type { DataSetSettings } from "../../gfn/training/data-set-settings.ts";
import type { SettingsInput } from "../../gfn/training/settings.ts";
import type { DistanceName } from "../../math/bounded-distance.ts";
import { standardDeviation } from "../../math/statistics.ts";
import { expectedImprovement, upperConfidenceBound } from "../../proxy/acquisition.ts";
import type { AcquisitionName } from "../../proxy/acquisition-names.ts";
import { calibrate, type JudgedPrediction, predictiveMoments, unseenError } from "../../proxy/calibration.ts";
import { type ProxyFitter, proxyFitter, type TriedProxy } from "../../proxy/choose-proxy.ts";
import type { MotifModel } from "../../proxy/motif-model.ts";
import { MEMBERS, type ProxyData, type ProxyName } from "../../proxy/proxy.ts";
import { reverseComplementOf } from "../../proxy/strands.ts";
import { targetScale } from "../../proxy/target-scale.ts";
import type { ScoredDesign } from "../candidates.ts";
import { chooseBatch } from "./choose-batch.ts";
import { conservativeSearch, type SearchedString } from "./conservative-search.ts";
import { policyTrainer } from "./policy.ts";
import { byRareLetters } from "./rare-letters.ts";
import { uniformStrings } from "./uniform-strings.ts";

/** A string to score, with what the proxy expects. */
export interface RoundProposal {
  readonly string: string;
  /** The predicted score, its deviation, and the interval that should hold 80 % of the scores; null without a proxy. */
  readonly prediction: {
    readonly mean: number;
    readonly deviation: number;
    readonly low: number;
    readonly high: number;
  } | null;
}

/** Whether a score lies in the predicted interval. */
export function isInside({ low, high }: NonNullable<RoundProposal["prediction"]>, score: number): boolean {
  return score >= low && score <= high;
}

/** What a round did. */
export interface Round {
  readonly proposals: readonly RoundProposal[];
  /** The proxies that were tried, and the best of them; null while there is nothing to learn from. */
  readonly tried: readonly TriedProxy[];
  readonly proxy: ProxyName | null;
  /** Scored strings that the proxies were fitted to. */
  readonly fitted: number;
  /** Strings that the proxy scored. */
  readonly proxyCalls: number;
  /** Motif products, from which the next round goes on; null if they are neither believed nor a hypothesis. */
  readonly motifs: readonly MotifModel[] | null;
  /** With a laboratory: how many results were told before the round. */
  readonly told?: number;
}

export interface RoundsOptions {
  readonly environment: ConstrainedSequenceEnvironment;
  readonly seed: number;
  readonly goal: "maximise" | "minimise";
  readonly acquisition: AcquisitionName;
  readonly distance: DistanceName;
  /** How many rounds are planned. Default: not known. */
  readonly rounds?: number;
  /** Iterations of the policy's training in each round. Default: 300. */
  readonly iterations?: number;
  /** Settings of the policy that differ from their defaults. */
  readonly settings?: SettingsInput & Partial<DataSetSettings>;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/** Fewest scored strings for a proxy: one for each member to be fitted without. */
const FEWEST_SCORED = MEMBERS;
/** Iterations and new strings of the policy's training. */
const [ITERATIONS, POLICY_CALLS] = [150, 2000];
/** Scored strings that the search starts from. */
const STARTS = 200;
/** Most members of the believed proxies that search on their own. */
const MOST_SEARCHERS = 2 * MEMBERS;

/** The parts of a round that take time. */
export type Stage = "proxies" | "policy" | "search";

/** Strings that explore are farther apart than an eighth of their length, if there are enough. */
function batchRadius(length: number): number {
  return Math.max(1, Math.round(length / 8));
}

/** Strings that differ at up to a quarter of their positions belong to one family. */
function familyRadius(length: number): number {
  return Math.max(1, Math.floor(length / 4));
}

/** The share of a round that is chosen by predicted means: it grows from the first round to the last. It is a half if nobody
 * knows which round is the last. */
function exploitedShare(round: number, rounds: number | undefined): number {
  if (rounds === undefined) return 0.5;
  return rounds > 1 ? Math.min(round / (rounds - 1), 1) : 1;
}

/** Proposes the strings of rounds. Programs are compiled once. */
export interface RoundProposer {
  propose(input: {
    /** All scored strings, in the order in which they were scored. */
    readonly scored: readonly ScoredDesign[];
    /** Earlier rounds of this design. */
    readonly rounds: readonly Round[];
    readonly count: number;
    /** Is told which part of the round begins. */
    readonly onStage?: (stage: Stage) => void;
  }): Promise<Round>;
  dispose(): Promise<void>;
}

export function roundProposer(options: RoundsOptions): RoundProposer {
  const { environment, goal, seed, acquisition, distance, engine, threads, signal } = options;
  const { space } = environment;
  const text = tokenText(space.tokens);
  const sign = goal === "minimise" ? -1 : 1;
  const radius = batchRadius(space.length.max);
  const family = familyRadius(space.length.max);
  const fitter: ProxyFitter = proxyFitter(
    { tokens: space.tokens.length, length: space.length.max },
    { engine, threads },
  );
  const policies = policyTrainer({
    ...{ environment, iterations: options.iterations ?? ITERATIONS, calls: POLICY_CALLS },
    ...{ settings: options.settings, engine, threads, signal },
  });

  async function propose({
    scored,
    rounds,
    count,
    onStage,
  }: Parameters<RoundProposer["propose"]>[0]): Promise<Round> {
    const stream = RandomStream.fromSeed(seed).split("rounds").split(`${rounds.length}`);
    const scores = scored.map(({ score }) => sign * score);
    const spread = standardDeviation(scores.map(targetScale(scores).scaled));
    if (scored.length < FEWEST_SCORED || !(spread > 0))
      return uniformRound(askedStrings(scored, rounds), count, stream);
    const data: ProxyData = {
      strings: scored.map(({ string }) => text.parse(string)),
      scores,
      tokens: space.tokens.length,
      length: space.length.max,
      mirror: reverseComplementOf(space.tokens),
    };
    const roundSeed = stream.integer(2 ** 31);
    const motifs = latestMotifs(rounds);
    onStage?.("proxies");
    const fitted = await fitter.fit(data, { seed: roundSeed, motifs, earlier: rounds });
    signal?.throwIfAborted();
    const { proxy, tried } = fitted;
    const error = unseenError(proxy, data);
    const scoreOf = new Map(scored.map(({ string }, i) => [string, scores[i]]));
    const asked = askedStrings(scored, rounds);
    const unseen = scores.map((score, i) => ({
      mean: proxy.outOfFold[i],
      deviation: Math.sqrt(error),
      score,
    }));
    const calibration = calibrate(judgedPredictions(rounds, scoreOf, sign), unseen);
    const best = scores.reduce((a, b) => Math.max(a, b));
    let proxyCalls = 0;

    const evaluate = async (strings: readonly string[]): Promise<SearchedString[]> => {
      const tokens = strings.map((string) => text.parse(string));
      const members = await proxy.predict(tokens);
      const searchers = [...members.slice(0, MOST_SEARCHERS), ...(await fitted.hypotheses(tokens))];
      proxyCalls += strings.length;
      const { mean, deviation } = predictiveMoments(members, error);
      return strings.map((string, i) => {
        const calibrated = calibration.factor * deviation[i];
        const values =
          acquisition === "thompson"
            ? Float64Array.from(searchers, (searcher) => searcher[i])
            : Float64Array.of(
                acquisition === "ucb"
                  ? upperConfidenceBound(mean[i], calibrated)
                  : expectedImprovement(mean[i], calibrated, best),
              );
        return { string, tokens: tokens[i], values, mean: mean[i], deviation: deviation[i] / spread };
      });
    };
    const value = ({ values }: SearchedString) => values.reduce((a, b) => Math.max(a, b));
    const ranked = scored
      .map(({ string }, i) => ({ string, score: scores[i] }))
      .sort((a, b) => b.score - a.score);
    const start = await evaluate(ranked.slice(0, STARTS).map(({ string }) => string));
    onStage?.("policy");
    const policy = await policies.train({
      known: start.map((each) => ({ string: each.string, score: value(each) })),
      acquisition: async (strings) => (await evaluate(strings)).map(value),
      seed: roundSeed,
    });
    onStage?.("search");
    const found = await conservativeSearch({
      ...{ start, evaluate, family, distance, stream },
      refill: (patterns, random) => policy.refill(patterns, random),
    });
    const legal = found.filter(({ string }) => !asked.has(string) && environment.isLegal(string));
    const ordered = byRareLetters(legal, data.strings); // this order decides among equally good strings
    const exploited = Math.round(count * exploitedShare(rounds.length, options.rounds));
    const top = ranked.slice(0, count);
    const batch = chooseBatch(ordered, { count, exploited, top, family, radius, distance });
    const members = await proxy.predict(batch.map(({ tokens }) => tokens));
    const { mean, deviation } = predictiveMoments(members, error);
    const proposals = batch.map(({ string }, i): RoundProposal => {
      const [middle, half] = [sign * mean[i], calibration.halfWidth * deviation[i]];
      const prediction = {
        ...{ mean: middle, deviation: deviation[i] },
        ...{ low: middle - half, high: middle + half },
      };
      return { string, prediction };
    });
    return {
      ...{ proposals, tried, proxy: proxy.name, fitted: scored.length, proxyCalls },
      motifs: fitted.motifs,
    };
  }

  /** Uniformly drawn legal strings, while there is nothing to learn from. */
  function uniformRound(asked: ReadonlySet<string>, count: number, stream: RandomStream): Round {
    const isNew = (string: string) => !asked.has(string) && environment.isLegal(string);
    const strings = uniformStrings(environment, { count, radius, distance, isNew, stream });
    const proposals = strings.map((string) => ({ string, prediction: null }));
    return { proposals, tried: [], proxy: null, fitted: 0, proxyCalls: 0, motifs: null };
  }

  return {
    propose,
    async dispose() {
      await fitter.dispose();
      await policies.dispose();
    },
  };
}

/** The motif products from which the next fit goes on. They are forgotten if they were neither believed nor a
 * hypothesis in the last two. */
function latestMotifs(rounds: readonly Round[]): readonly MotifModel[] | null {
  const fits = rounds.filter(({ tried }) => tried.length > 0).slice(-2);
  return fits.findLast(({ motifs }) => motifs !== null)?.motifs ?? null;
}

/** Strings that have a score, or that the oracle gave none. Wells that a laboratory left out may be proposed again. */
function askedStrings(scored: readonly ScoredDesign[], rounds: readonly Round[]): ReadonlySet<string> {
  const proposed = rounds.flatMap(({ proposals, told }) => (told === undefined ? proposals : []));
  return new Set([...scored, ...proposed].map(({ string }) => string));
}

/** The predictions of each earlier round whose scores are known. */
function judgedPredictions(
  rounds: readonly Round[],
  scoreOf: ReadonlyMap<string, number>,
  sign: number,
): JudgedPrediction[][] {
  return rounds.map(({ proposals }) =>
    proposals.flatMap(({ string, prediction }) => {
      const score = scoreOf.get(string);
      if (!prediction || score === undefined) return [];
      const { mean, deviation } = prediction;
      return [{ mean: sign * mean, deviation, score, isInside: isInside(prediction, sign * score) }];
    }),
  );
}
