// The proxy of motif products: each member is the best of several annealings on the strings outside of its fold. A fit may
// start from the members of an earlier fit, which knew fewer strings.

import { RandomStream } from "../engine/random-stream.ts";
import { mean, standardError, variance } from "../math/statistics.ts";
import { type AnnealedModel, anneal, randomMotifs } from "./motif-annealing.ts";
import { MotifData } from "./motif-data.ts";
import { type MotifModel, motifScore, motifScores } from "./motif-model.ts";
import { foldsOf, MEMBERS, type ProxyData, type ScoreProxy } from "./proxy.ts";

/** A fitted proxy with the models of its members. */
export interface MotifProxy extends ScoreProxy {
  readonly name: "motifs";
  readonly models: readonly MotifModel[];
}

/** Numbers of motifs that are tried, and the members that try all of them; the others take the best number of these. */
const [MOTIF_COUNTS, PIONEERS] = [[1, 2, 3, 4], 2];
const FRESH = { steps: 20_000, temperature: 8 };
const CONTINUED = { steps: 10_000, temperature: 3 };
/** Most strings of an annealing: the best and, from the others, the latest. More strings would tell little more. */
const [MOST_BEST, MOST_LATEST] = [150, 150];
/** With so many strings, a model is given up that explains less than this share of the first members' folds, or less than
 * another proxy does. */
const [ENOUGH_STRINGS, LEAST_EXPLAINED] = [100, 0.1];

/** Fits the proxy; null if the scores are no motif product. `before` are the members of an earlier fit, and `rivals` are
 * other proxies of the same data. */
export function motifProxy(
  data: ProxyData,
  seed: number,
  {
    before = null,
    rivals = [],
  }: { readonly before?: readonly MotifModel[] | null; readonly rivals?: readonly ScoreProxy[] } = {},
): MotifProxy | null {
  const folds = foldsOf(data);
  let counts: readonly number[] = MOTIF_COUNTS;
  const models: MotifModel[] = [];
  for (let member = 0; member < MEMBERS; member++) {
    if (member === PIONEERS && data.strings.length >= ENOUGH_STRINGS) {
      if (isGivenUp(models, data, rivals)) return null;
    }
    const stream = RandomStream.fromSeed(seed).split("motifs").split(`${member}`);
    const own = new MotifData(withoutFold(data, member));
    if (before) counts = [MOTIF_COUNTS[stream.integer(MOTIF_COUNTS.length)]];
    else if (member === PIONEERS) counts = [...new Set(models.map(({ motifs }) => motifs.length))];
    const found: AnnealedModel[] = counts.map((count) =>
      anneal(own, { motifs: randomMotifs(count, data.tokens, stream), quantum: 1 }, FRESH, stream),
    );
    if (before) found.push(anneal(own, before[member], CONTINUED, stream));
    models.push(found.reduce((a, b) => (b.energy < a.energy ? b : a)).model);
  }
  return {
    name: "motifs",
    models,
    outOfFold: Float64Array.from(data.strings, (string, i) => motifScore(models[folds[i]], string)),
    predict: async (strings) => motifScores(models, strings, data.tokens),
  };
}

/** Whether the first members explain too little of their folds, or one of the rivals is better there by more than a standard
 * error. */
function isGivenUp(models: readonly MotifModel[], data: ProxyData, rivals: readonly ScoreProxy[]): boolean {
  const { strings, scores } = data;
  const folds = foldsOf(data);
  const unseen = strings.flatMap((_, i) => (folds[i] < models.length ? [i] : []));
  const errors = unseen.map((i) => (motifScore(models[folds[i]], strings[i]) - scores[i]) ** 2);
  const explained = 1 - mean(errors) / variance(unseen.map((i) => scores[i]));
  const isWorse = ({ outOfFold }: ScoreProxy) => {
    const excess = unseen.map((i, j) => errors[j] - (outOfFold[i] - scores[i]) ** 2);
    return mean(excess) > standardError(excess);
  };
  return explained < LEAST_EXPLAINED || rivals.some(isWorse);
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
