// From scores to rewards: R = max(score^β, floor · max score^β).
//
// The floor keeps log R finite, and everything exact (target, limit) uses the same floored R.

export interface RewardTableOptions {
  /** β; higher prefers the best more. */
  readonly exponent?: number;
  /** Smallest reward as a share of the largest. */
  readonly floor?: number;
  /** How errors write a terminal. */
  readonly decode?: (terminal: number) => string;
}

export const DEFAULT_FLOOR = 1e-4;

/** Rewards of all terminals. Throws, naming the terminal, if scores are negative, not finite, or all zero. */
export function rewardTable(
  scores: Float64Array,
  { exponent = 1, floor = DEFAULT_FLOOR, decode }: RewardTableOptions = {},
): Float64Array {
  if (!(exponent > 0 && exponent < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`rewardTable: exponent must be a positive number, got ${exponent}`);
  }
  if (!(floor >= 0 && floor <= 1)) throw new RangeError(`rewardTable: floor must be in [0, 1], got ${floor}`);
  const name = (terminal: number) => `terminal ${terminal}${decode ? ` (${decode(terminal)})` : ""}`;
  let best = 0;
  for (let terminal = 0; terminal < scores.length; terminal++) {
    const score = scores[terminal];
    if (!(score >= 0 && score < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `rewardTable: the score of ${name(terminal)} is ${score}; scores must be finite and not negative`,
      );
    }
    if (score > scores[best]) best = terminal;
  }
  if (!(scores[best] > 0)) {
    throw new RangeError(
      scores.length === 0
        ? "rewardTable: there are no scores"
        : `rewardTable: every score is 0, from ${name(0)} to ${name(scores.length - 1)}; one at least must be positive`,
    );
  }
  const largest = scores[best] ** exponent;
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `rewardTable: the score of ${name(best)}, ${scores[best]}, to the power ${exponent} is ${largest}; lower the exponent or rescale the scores`,
    );
  }
  return scores.map((score, terminal) => {
    const reward = Math.max(score ** exponent, floor * largest);
    if (reward > 0) return reward;
    throw new RangeError(
      `rewardTable: the reward of ${name(terminal)} is 0, and its logarithm is not finite; give a floor above 0`,
    );
  });
}
