// How much worse a law of paths scores than the exact one as a forecast of numbers.

/**
 * Mean over steps of CRPS(law) − CRPS(exact), both expected under the exact law: ∫ (F − F*)² of each step's marginals, on
 * bins of this width. It is never below 0.
 */
export function excessCrps(law: Float64Array, exact: Float64Array, K: number, binWidth: number): number {
  const H = Math.round(Math.log(law.length) / Math.log(K));
  let sum = 0;
  for (let t = 0; t < H; t++) {
    const [ours, theirs] = [law, exact].map((paths) => marginal(paths, K, K ** (H - 1 - t)));
    let gap = 0;
    for (let x = 0; x < K; x++) {
      gap += ours[x] - theirs[x];
      sum += (gap * gap * binWidth) / H;
    }
  }
  return sum;
}

/** The law of the token that changes with every `stride` paths, [K]. */
function marginal(paths: Float64Array, K: number, stride: number): Float64Array {
  const shares = new Float64Array(K);
  for (let n = 0; n < paths.length; n++) shares[Math.floor(n / stride) % K] += paths[n];
  return shares;
}
