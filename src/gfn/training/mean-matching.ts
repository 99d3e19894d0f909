// Mean matching: raises the reward exponent of training while the collected objects score lower than objects of the target
// would.
//
// A policy that learns from few calls explains only a part of the log-rewards. It is flatter than the target, and its
// objects score lower. Both means are known without further calls: the first objects of a run are uniform draws, whose
// weights R estimate the mean score of the target, and the later ones are draws of the policy. A factor on the exponent
// closes the gap between the two. The price is a policy that overweights what it has learned; the factor returns to 1 as
// the policy learns the rest, so the target stays the limit of training with more calls.
//
// The factor is a function of the scores in the order of their calls, so a run that continues from a snapshot has the same.

/** The scored objects of a run, in the order of their calls. */
export interface ScoreSequence {
  readonly calls: number;
  scoreAt(position: number): number;
}

export interface MeanMatchingOptions {
  /** The call budget of the run. */
  readonly calls: number;
  /** Number of the first objects, which are uniform draws. */
  readonly first: number;
  /** Number of objects after which the factor is revised. */
  readonly block: number;
  /** Reward of a score. */
  rewardOf(score: number): number;
}

/** Share of the budget after which the factor may change; before, the policy has not learned enough. */
const FROM = 0.4;
/** Change of the logarithm of the factor over a whole budget in which the policy stays at the uniform mean. */
const GAIN = 6;
const LARGEST_FACTOR = 4;
/** Smallest effective share of draws of the target among the first objects. Below, the target is concentrated on few
 * objects: its mean is not known well enough, and the policy repeats known objects, so that the mean of the new ones, which
 * the factor follows, is no longer that of the policy. On one such problem the factor rose without need, and the mean
 * score to more than twice that of the target. */
const SMALLEST_EFFECTIVE_SHARE = 0.5;

export class MeanMatching {
  readonly #options: MeanMatchingOptions;
  /** Mean scores of uniform draws and of the target; null if they are not known, or equal. */
  #means: { readonly uniform: number; readonly target: number } | null = null;
  /** Objects that the factor accounts for. */
  #seen = 0;
  #logFactor = 0;

  constructor(options: MeanMatchingOptions) {
    this.#options = options;
  }

  /** The factor on the reward exponent, from 1 to 4, after all complete blocks of this sequence. It must be the same
   * sequence in each call, but may have grown. */
  factor(scores: ScoreSequence): number {
    const { calls, first, block } = this.#options;
    if (this.#seen === 0) {
      if (scores.calls < first) return 1;
      this.#means = firstMeans(scores, this.#options);
      this.#seen = Math.max(first, Math.round(FROM * calls));
    }
    if (!this.#means) return 1;
    const { uniform, target } = this.#means;
    for (; this.#seen + block <= scores.calls; this.#seen += block) {
      let sum = 0;
      for (let i = 0; i < block; i++) sum += scores.scoreAt(this.#seen + i);
      const missing = (target - sum / block) / (target - uniform);
      const change = (GAIN * block * Math.min(Math.max(missing, -1), 1)) / calls;
      this.#logFactor = Math.min(Math.max(this.#logFactor + change, 0), Math.log(LARGEST_FACTOR));
    }
    return Math.exp(this.#logFactor);
  }
}

/** The means of uniform draws and of the target, which weights the same draws by their rewards. */
function firstMeans(scores: ScoreSequence, { first, rewardOf }: MeanMatchingOptions) {
  let [sum, rewards, squares, weighted] = [0, 0, 0, 0];
  for (let i = 0; i < first; i++) {
    const score = scores.scoreAt(i);
    const reward = rewardOf(score);
    sum += score;
    rewards += reward;
    squares += reward ** 2;
    weighted += reward * score;
  }
  const [uniform, target] = [sum / first, weighted / rewards];
  const effectiveShare = rewards ** 2 / squares / first;
  return effectiveShare >= SMALLEST_EFFECTIVE_SHARE && target > uniform ? { uniform, target } : null;
}
