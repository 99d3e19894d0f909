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
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) ** 2;
    yy += (y[i] - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** Correlation of ranks; ties share their mean rank. Neighbours that differ by no more than `tie` are tied. */
export function spearman(x: Float64Array, y: Float64Array, tie = 0): number {
  return pearson(ranks(x, tie), ranks(y, tie));
}

/** Sorting numbers, and looking each up among them, is several times faster than sorting positions. */
function ranks(values: Float64Array, tie: number): Float64Array {
  const sorted = values.slice().sort();
  const rankAt = new Float64Array(sorted.length);
  let start = 0;
  for (let end = 1; end <= sorted.length; end++) {
    if (end < sorted.length && sorted[end] - sorted[end - 1] <= tie) continue;
    rankAt.fill((start + end - 1) / 2, start, end);
    start = end;
  }
  return values.map((value) => rankAt[firstNotBelow(sorted, value)]);
}

function firstNotBelow(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
