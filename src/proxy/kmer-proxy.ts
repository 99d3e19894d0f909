// The proxy of k-mers: ridge regression on the k-mers of a string wherever they stand. If the scores say so, positions count
// too: a second kernel, exp(−3 d) of the share d of positions at which two strings differ, is added to that of the k-mers.

import { agreements, mirrored, mirroredMean } from "./agreements.ts";
import { gramMatrix, kernelRegression } from "./kernel-regression.ts";
import { type Features, KmerFeatures } from "./kmer-features.ts";
import { byMember, foldsOf, type ProxyData, type ScoreProxy, type Tokens } from "./proxy.ts";
import { targetScale } from "./target-scale.ts";

/** Most strings that are fitted: the best, and some of the others. The time grows with the third power of their number. */
const [MOST_BEST, MOST_OTHERS] = [500, 500];
/** How fast the second kernel falls with the share of positions that differ. */
const DECAY = 3;

/** Fits the proxy. */
export function kmerProxy(data: ProxyData): ScoreProxy {
  const { length, mirror } = data;
  const folds = foldsOf(data);
  const scale = targetScale(data.scores);
  const used = fittedStrings(data);
  const strings = used.map((i) => data.strings[i]);
  const count = strings.length;

  const kmers = new KmerFeatures(data);
  const featuresOf = (string: Tokens, isKnown: boolean): Features[] =>
    (mirror ? [string, mirror(string)] : [string]).map((each) => kmers.of(each, { isKnown }));
  const features = strings.map((string) => featuresOf(string, false));
  const closeness = (a: Tokens, b: Tokens) => Math.exp(DECAY * (agreements(a, b, length) / length - 1));
  const known = strings.map((string) => mirrored(string, mirror));

  const byKmers = gramOf(features, kmers.size);
  const byPositions = gramMatrix(count, (i, j) => mirroredMean(known[i], known[j], closeness));
  const { kernel, members } = kernelRegression(
    [byKmers, byKmers.map((value, i) => value + byPositions[i])],
    Float64Array.from(used, (i) => scale.scaled(data.scores[i])),
    Int32Array.from(used, (i) => folds[i]),
  );
  const hasPositions = kernel === 1;

  // The weights of k-mers, [k-mers][members], so that predictions do not depend on the number of known strings.
  const size = members.length;
  const weights = new Float64Array(kmers.size * size);
  features.forEach((own, i) => {
    for (const { ids, values } of own) {
      ids.forEach((id, k) => {
        for (let m = 0; m < size; m++)
          weights[id * size + m] += (members[m].weights[i] * values[k]) / own.length;
      });
    }
  });
  const constants = members.map(({ centre, weights: own }) => own.reduce((a, b) => a + b, centre));

  const predicted = (string: Tokens): Float64Array => {
    const sums = Float64Array.from(constants);
    const own = featuresOf(string, true);
    for (const { ids, values } of own) {
      for (let k = 0; k < ids.length; k++) {
        const value = values[k] / own.length;
        for (let m = 0; m < size; m++) sums[m] += weights[ids[k] * size + m] * value;
      }
    }
    if (hasPositions) {
      const both = mirrored(string, mirror);
      for (let i = 0; i < count; i++) {
        const value = mirroredMean(both, known[i], closeness);
        for (let m = 0; m < size; m++) sums[m] += members[m].weights[i] * value;
      }
    }
    return sums.map(scale.score);
  };
  return {
    name: "kmers",
    outOfFold: Float64Array.from(data.strings, (string, i) => predicted(string)[folds[i]]),
    predict: async (others) => byMember(others, predicted),
  };
}

/** The indices of the strings that are fitted, in their order. */
function fittedStrings({ strings, scores }: ProxyData): number[] {
  const ranked = strings.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const best = new Set(ranked.slice(0, MOST_BEST));
  const others = strings.flatMap((_, i) => (best.has(i) ? [] : [i]));
  const every = Math.max(1, others.length / MOST_OTHERS);
  const some = others.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every));
  return [...best, ...some].sort((a, b) => a - b);
}

/** 1 plus the products of the vectors of all pairs of strings, averaged over their mirror images. */
function gramOf(features: readonly (readonly Features[])[], size: number): Float64Array {
  const dense = new Float64Array(size);
  let current = -1;
  return gramMatrix(features.length, (i, j) => {
    if (i !== current) {
      dense.fill(0);
      for (const { ids, values } of features[i]) {
        for (let k = 0; k < ids.length; k++) dense[ids[k]] += values[k];
      }
      current = i;
    }
    let sum = 0;
    for (const { ids, values } of features[j]) {
      for (let k = 0; k < ids.length; k++) sum += dense[ids[k]] * values[k];
    }
    return 1 + sum / (features[i].length * features[j].length);
  });
}
