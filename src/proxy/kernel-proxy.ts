// Linear and pairwise proxies: ridge regression on the letters of each position, and on all pairs of them.
//
// Both are computed by their kernels, which depend only on the share m of positions at which two strings agree: 1 + m has
// one weight for each letter of each position, and 1 + m + m² also one for each pair. So the number of weights does not
// matter, only the number of strings.

import { agreements, mirrored, mirroredMean } from "./agreements.ts";
import { gramMatrix, kernelRegression } from "./kernel-regression.ts";
import { byMember, foldsOf, type ProxyData, type ScoreProxy, type Tokens } from "./proxy.ts";
import { targetScale } from "./target-scale.ts";

/** Fits the proxy. */
export function kernelProxy(name: "linear" | "pairwise", data: ProxyData): ScoreProxy {
  const { strings, length, mirror } = data;
  const count = strings.length;
  const folds = foldsOf(data);
  const scale = targetScale(data.scores);
  const plain = (a: Tokens, b: Tokens): number => {
    const share = agreements(a, b, length) / length;
    return 1 + share + (name === "pairwise" ? share * share : 0);
  };
  const known = strings.map((string) => mirrored(string, mirror));
  const gram = gramMatrix(count, (i, j) => mirroredMean(known[i], known[j], plain));
  const { members } = kernelRegression([gram], Float64Array.from(data.scores, scale.scaled), folds);
  const predictions = (similarities: Float64Array): Float64Array =>
    Float64Array.from(members, ({ centre, weights }) => {
      let sum = centre;
      for (let i = 0; i < count; i++) sum += weights[i] * similarities[i];
      return scale.score(sum);
    });
  return {
    name,
    outOfFold: Float64Array.from(
      strings,
      (_, i) => predictions(gram.subarray(i * count, (i + 1) * count))[folds[i]],
    ),
    predict: async (others) =>
      byMember(others, (other) => {
        const both = mirrored(other, mirror);
        return predictions(Float64Array.from(known, (each) => mirroredMean(both, each, plain)));
      }),
  };
}
