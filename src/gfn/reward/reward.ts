// Rewards from scores: R = max(score^β, floor · max score^β).
//
// The floor keeps log R finite. Training and exact evaluation use the same R. With a ramp, training starts with
// exponent 1 and moves towards β.

/** How scores become rewards. */
export interface RewardOptions {
  /** β; a higher exponent puts more probability on the best objects. Default: 1. */
  readonly exponent?: number;
  /** Smallest reward, as a fraction of the largest. Default: 1e-4. */
  readonly floor?: number;
  /** Iterations after which the exponent has moved half-way from 1 to β. Default: 0, which trains with β throughout. */
  readonly ramp?: number;
  /** The largest score that a score function can return, which the floor refers to. Default: 1. */
  readonly largest?: number;
}

export interface RewardTableOptions extends Pick<RewardOptions, "exponent" | "floor"> {
  /** Text of a terminal in error messages. Optional. */
  readonly decode?: (terminal: number) => string;
}

export const DEFAULT_FLOOR = 1e-4;

/** Rewards of all terminals. Throws an error that names the terminal if a score is negative or not finite. */
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
        `rewardTable: scores must be finite and not negative, got ${score} for ${name(terminal)}`,
      );
    }
    if (score > scores[best]) best = terminal;
  }
  if (!(scores[best] > 0)) {
    throw new RangeError(
      scores.length === 0
        ? "rewardTable: there must be at least one score, got none"
        : `rewardTable: at least one score must be positive, got 0 for all, from ${name(0)} to ${name(scores.length - 1)}`,
    );
  }
  const largest = scores[best] ** exponent;
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `rewardTable: the largest reward must be positive and finite, got ${largest} for ${name(best)}, which is ${scores[best]} to the power ${exponent}; lower the exponent or rescale the scores`,
    );
  }
  return scores.map((score, terminal) => {
    const reward = Math.max(score ** exponent, floor * largest);
    if (reward > 0) return reward;
    throw new RangeError(
      `rewardTable: rewards must be positive, got 0 for ${name(terminal)}; set a floor above 0`,
    );
  });
}

/** The exponent of training iteration t, counted from 0: 1 + (β − 1)(1 − 1/(1 + t/ramp)). */
export function exponentAt({ exponent = 1, ramp = 0 }: RewardOptions, t: number): number {
  return ramp > 0 ? 1 + (exponent - 1) * (1 - 1 / (1 + t / ramp)) : exponent;
}

/** Stands for log 0: far below any floor, and finite in float32 times any exponent in use. */
const LOG_ZERO = -1e20;

/** log of a score, −1e20 for a score of 0. */
export function logScore(score: number): number {
  return score > 0 ? Math.log(score) : LOG_ZERO;
}

/** log R of a score. `largest` is the largest score, which the floor refers to. */
export function logReward(score: number, exponent: number, floor: number, largest: number): number {
  return Math.max(exponent * logScore(score), logScore(floor) + exponent * Math.log(largest));
}
