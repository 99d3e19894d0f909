// Mean matching: raises the reward exponent of training while the policy gains less than the target would.
//
// A policy that learns from few calls explains only a part of the log-rewards. It is flatter than the target, and its
// objects score lower. Mean matching compares two gains, each an expected score minus that of the uniform policy u:
//
//   of the target   E_u[w s] / E_u[w] − E_u[s],   w = R(x) P_B(τ | x) / u(τ), from the first objects, which are draws of u
//   of the policy   E_π[(s − c) (1 − u(τ) / π(τ))], from the later ones, which are draws of π
//
// Both are covariances, so the error of the mean score, which is as large as the gains themselves, cancels: the second is
// right for every constant c, and c is the mean of the first scores. A draw tells about the policy that made it, and has
// not been trained on by then, so neither gain is biased by overfitting, nor by objects that were known before.
//
// A factor on the exponent closes the gap. The price is a policy that overweights what it has learned; the factor returns to
// 1 as the policy learns the rest, so the target stays the limit of training with more calls.

/** A sampled trajectory, with the score of its object. */
export interface Draw {
  readonly score: number;
  /** log π(τ) / u(τ). */
  readonly logPolicyRatio: number;
  /** log P_B(τ | x) / u(τ). */
  readonly logTargetRatio: number;
}

export interface MeanMatchingOptions {
  /** The call budget of the run. */
  readonly calls: number;
  /** The reward of a score. */
  rewardOf(score: number): number;
}

/** The state of mean matching, which a snapshot contains: the factor, and sums over the draws of the uniform policy. */
export interface SavedMatching {
  readonly uniformDraws: number;
  readonly scores: number;
  /** The largest log P_B / u. The weights are divided by this ratio, which may be too large for a number. */
  readonly logLargestRatio: number;
  readonly weights: number;
  readonly squaredWeights: number;
  readonly weightedScores: number;
  readonly logFactor: number;
}

/** The state before the first draw. */
export const NO_DRAWS: SavedMatching = {
  uniformDraws: 0,
  scores: 0,
  logLargestRatio: 0,
  weights: 0,
  squaredWeights: 0,
  weightedScores: 0,
  logFactor: 0,
};

/** Change of the logarithm of the factor over as many draws as the budget has calls, if all of the gain is missing. The
 * factor then depends on about the last eighth of the draws: fewer are too noisy, and with more it lags behind the policy. */
const STEP = 8;
const LARGEST_FACTOR = 8;
/** Smallest effective share of draws of the target among those of the uniform policy. Below, the target is concentrated on
 * few objects, and draws of one policy tell too little about the other. */
const SMALLEST_EFFECTIVE_SHARE = 0.5;

export class MeanMatching {
  readonly #options: MeanMatchingOptions;
  #state = NO_DRAWS;

  constructor(options: MeanMatchingOptions) {
    this.#options = options;
  }

  /** The factor on the reward exponent, from 1 to 8. */
  get factor(): number {
    return Math.exp(this.#state.logFactor);
  }

  /** Takes in draws of the uniform policy. */
  addUniform(draws: readonly Draw[]): void {
    for (const { score: given, logTargetRatio } of draws) {
      const score = finite(given);
      const { uniformDraws, logLargestRatio: before, ...sums } = this.#state;
      const logLargestRatio = uniformDraws === 0 ? logTargetRatio : Math.max(before, logTargetRatio);
      const rescale = uniformDraws === 0 ? 1 : Math.exp(before - logLargestRatio);
      const weight = finite(this.#options.rewardOf(score)) * Math.exp(logTargetRatio - logLargestRatio);
      this.#state = {
        ...sums,
        uniformDraws: uniformDraws + 1,
        scores: finite(sums.scores + score),
        logLargestRatio,
        weights: finite(sums.weights * rescale + weight),
        squaredWeights: finite(sums.squaredWeights * rescale ** 2 + weight ** 2),
        weightedScores: finite(sums.weightedScores * rescale + weight * score),
      };
    }
  }

  /** Takes in draws of the policy. */
  add(draws: readonly Draw[]): void {
    const { uniformDraws, scores, logFactor } = this.#state;
    const target = targetGain(this.#state);
    if (draws.length === 0 || target === null) return;
    const missing = 1 - policyGain(draws, scores / uniformDraws) / target;
    // The estimate of few draws may be far off.
    const bounded = Math.min(Math.max(missing, -1), 1);
    const changed = logFactor + (STEP * bounded * draws.length) / this.#options.calls;
    this.#state = { ...this.#state, logFactor: Math.min(Math.max(changed, 0), Math.log(LARGEST_FACTOR)) };
  }

  save(): SavedMatching {
    return this.#state;
  }

  restore(saved: SavedMatching): void {
    this.#state = saved;
  }
}

/** The number, or the largest one that can be saved. Sums of rewards that overflow show no gain of the target, so they leave
 * the factor as it is. */
function finite(sum: number): number {
  return Math.min(sum, Number.MAX_VALUE);
}

/** The expected score of the policy minus that of the uniform policy, from draws of the policy. Any constant is right; the
 * variance is small if it is near the mean score. */
export function policyGain(draws: readonly Draw[], constant: number): number {
  const sum = draws.reduce(
    (sum, { score, logPolicyRatio }) => sum - (score - constant) * Math.expm1(-logPolicyRatio),
    0,
  );
  return sum / draws.length;
}

/** The expected score of the target minus that of the uniform policy; null if it is not positive, or not known well enough. */
function targetGain(sums: SavedMatching): number | null {
  const { uniformDraws: n, scores, weights, squaredWeights, weightedScores } = sums;
  const isSpread = weights ** 2 >= SMALLEST_EFFECTIVE_SHARE * n * squaredWeights;
  const gain = weightedScores / weights - scores / n;
  return isSpread && gain > 0 ? gain : null;
}
