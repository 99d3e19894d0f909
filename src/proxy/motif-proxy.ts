// The proxy of motif products: each member is the best of several annealings on the strings outside of its fold. A fit may
// start from the members of an earlier fit, which knew fewer strings.

import { RandomStream } from "../engine/random-stream.ts";
import { mean, variance } from "../math/statistics.ts";
import { type AnnealedModel, anneal, randomMotifs } from "./motif-annealing.ts";
import { MotifData } from "./motif-data.ts";
import { type MotifModel, motifScore, motifScores } from "./motif-model.ts";
import { foldsOf, MEMBERS, type ProxyData, type ScoreProxy } from "./proxy.ts";
import { targetScale } from "./target-scale.ts";

/** A fitted proxy with the models of its members. */
export interface MotifProxy extends ScoreProxy {
  readonly name: "motifs";
  readonly models: readonly MotifModel[];
}

/** Numbers of motifs that are tried, and the members that try all of them; the others take the best number of these. */
const [MOTIF_COUNTS, PIONEERS] = [[1, 2, 3, 4], 2];
const FRESH = { steps: 20_000, temperature: 8 };
const CONTINUED = { steps: 10_000, temperature: 3 };
/** The model of least energy is only one of those that the scores allow: another one may have a letter more that no string has
 * shown yet. So it changes by as many steps at temperature 1. */
const SAMPLED = { steps: 3000, temperature: 1, isSampling: true };
/** Most strings of an annealing: the best and, from the others, the latest. More strings would tell little more. */
const [MOST_BEST, MOST_LATEST] = [150, 150];
/** With so many strings, a model is given up that explains less than this share of the first members' folds. */
const [ENOUGH_STRINGS, LEAST_EXPLAINED] = [100, 0.1];

/** Fits the proxy; null if the scores are no motif product. `before` are the members of an earlier fit. */
export function motifProxy(
  given: ProxyData,
  seed: number,
  before: readonly MotifModel[] | null = null,
): MotifProxy | null {
  const { least } = targetScale(given.scores);
  const data = { ...given, scores: Array.from(given.scores, (score) => Math.max(score, least)) };
  const folds = foldsOf(data);
  let counts: readonly number[] = MOTIF_COUNTS;
  const models: MotifModel[] = [];
  for (let member = 0; member < MEMBERS; member++) {
    if (member === PIONEERS && data.strings.length >= ENOUGH_STRINGS) {
      if (isGivenUp(models, data)) return null;
    }
    const stream = RandomStream.fromSeed(seed).split("motifs").split(`${member}`);
    const own = new MotifData(withoutFold(data, member));
    if (before) counts = [MOTIF_COUNTS[stream.integer(MOTIF_COUNTS.length)]];
    else if (member === PIONEERS) counts = [...new Set(models.map(({ motifs }) => motifs.length))];
    const found: AnnealedModel[] = counts.map((count) =>
      anneal(own, { motifs: randomMotifs(count, data.tokens, stream), quantum: 1 }, FRESH, stream),
    );
    if (before) found.push(anneal(own, before[member], CONTINUED, stream));
    const best = found.reduce((a, b) => (b.energy < a.energy ? b : a));
    models.push(anneal(own, best.model, SAMPLED, stream).model);
  }
  return {
    name: "motifs",
    models,
    outOfFold: Float64Array.from(data.strings, (string, i) => motifScore(models[folds[i]], string)),
    predict: async (strings) => motifScores(models, strings, data.tokens),
  };
}

/** Whether the first members explain too little of their folds. */
function isGivenUp(models: readonly MotifModel[], data: ProxyData): boolean {
  const { strings, scores } = data;
  const folds = foldsOf(data);
  const unseen = strings.flatMap((_, i) => (folds[i] < models.length ? [i] : []));
  const errors = unseen.map((i) => (motifScore(models[folds[i]], strings[i]) - scores[i]) ** 2);
  return 1 - mean(errors) / variance(unseen.map((i) => scores[i])) < LEAST_EXPLAINED;
}

/** The strings that a member is fitted to. */
function withoutFold(data: ProxyData, member: number): ProxyData {
  const { strings, scores, ...space } = data;
  const folds = foldsOf(data);
  const outside = strings.flatMap((_, i) => (folds[i] === member ? [] : [i]));
  const ranked = outside.toSorted((a, b) => scores[b] - scores[a]);
  const best = new Set(ranked.slice(0, MOST_BEST));
  const others = outside.filter((i) => !best.has(i)).slice(-MOST_LATEST);
  const kept = [...best, ...others];
  return { ...space, strings: kept.map((i) => strings[i]), scores: kept.map((i) => scores[i]) };
}
