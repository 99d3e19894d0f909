// How far a distribution over terminals is from the target: each number defined once.

/** Total variation, ½ Σ |p − q|. */
export function totalVariation(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.abs(p[i] - q[i]);
  return sum / 2;
}

/** KL(target ‖ p) in nats; infinite where p misses something of the target. */
export function divergence(target: Float64Array, p: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < target.length; i++) if (target[i] > 0) sum += target[i] * Math.log(target[i] / p[i]);
  return sum;
}

export function entropy(p: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) if (p[i] > 0) sum -= p[i] * Math.log(p[i]);
  return sum;
}

/** Σ p f. */
export function expectation(p: Float64Array, f: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += p[i] * f[i];
  return sum;
}

/** Rewards scaled to sum to one, and the logarithm of their sum. */
export function normalise(reward: Float64Array): { target: Float64Array; logZ: number } {
  let sum = 0;
  for (const value of reward) sum += value;
  return { target: reward.map((value) => value / sum), logZ: Math.log(sum) };
}

/** Linear correlation; NaN if either side is constant. */
export function pearson(x: Float64Array, y: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) ** 2;
    yy += (y[i] - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Correlation of ranks; ties share their mean rank. */
export function spearman(x: Float64Array, y: Float64Array): number {
  return pearson(ranks(x), ranks(y));
}

function ranks(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b]);
  const result = new Float64Array(values.length);
  let start = 0;
  while (start < order.length) {
    let end = start + 1;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    for (let i = start; i < end; i++) result[order[i]] = (start + end - 1) / 2;
    start = end;
  }
  return result;
}
