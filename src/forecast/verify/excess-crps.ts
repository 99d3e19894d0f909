// The excess CRPS of a distribution of paths over the exact one, if tokens stand for bins of numbers.

/**
 * Mean over steps of CRPS(distribution) − CRPS(exact), both expected under the exact distribution. This is ∫ (F − F*)² of
 * the marginals of each step, with bins of this width, and never negative.
 */
export function excessCrps(
  distribution: Float64Array,
  exact: Float64Array,
  K: number,
  binWidth: number,
): number {
  const H = Math.round(Math.log(distribution.length) / Math.log(K));
  let sum = 0;
  for (let t = 0; t < H; t++) {
    const [marginal, exactMarginal] = [distribution, exact].map((paths) =>
      marginalOf(paths, K, K ** (H - 1 - t)),
    );
    let difference = 0;
    for (let x = 0; x < K; x++) {
      difference += marginal[x] - exactMarginal[x];
      sum += (difference * difference * binWidth) / H;
    }
  }
  return sum;
}

/** The marginal of the token that changes every `stride` paths, [K]. */
function marginalOf(paths: Float64Array, K: number, stride: number): Float64Array {
  const shares = new Float64Array(K);
  for (let n = 0; n < paths.length; n++) shares[Math.floor(n / stride) % K] += paths[n];
  return shares;
}
