// From scores to rewards: R = max(score^β, floor · max score^β).
//
// The floor keeps log R finite, and everything exact (target, limit) uses the same floored R. While it trains, a run
// may begin with a smaller exponent that grows towards β.

export interface RewardOptions {
  /** β; higher prefers the best more. */
  readonly exponent?: number;
  /** Smallest reward as a share of the largest. */
  readonly floor?: number;
  /** Iterations after which the exponent is half-way from 1 to β; 0 trains with β from the start. */
  readonly ramp?: number;
  /** The largest score to expect of a score function, which the floor is a share of; 1 if not given. */
  readonly largest?: number;
}

export interface RewardTableOptions extends Pick<RewardOptions, "exponent" | "floor"> {
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

/** The exponent that trains iteration t, counted from 0: 1 + (β − 1)(1 − 1/(1 + t/ramp)). */
export function exponentAt({ exponent = 1, ramp = 0 }: RewardOptions, t: number): number {
  return ramp > 0 ? 1 + (exponent - 1) * (1 - 1 / (1 + t / ramp)) : exponent;
}

/** log of a score that is 0: far below any floor, and finite in float32 for any exponent in use. */
const LOG_ZERO = -1e20;

export function logOf(score: number): number {
  return score > 0 ? Math.log(score) : LOG_ZERO;
}

/** log R of a score under an exponent; `largest` is the largest score there is, or is taken to be. */
export function logReward(score: number, exponent: number, floor: number, largest: number): number {
  return Math.max(exponent * logOf(score), logOf(floor) + exponent * Math.log(largest));
}
