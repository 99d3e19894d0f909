// Options of the task `pricing`: their defaults, help and rules.

import { is, type Keys, key } from "../../settings/keys.ts";
import { number, whole } from "../../settings/kinds.ts";
import { stickKey } from "../stick-key.ts";

/** Options of `pricingTask`. */
export interface PricingTaskOptions {
  /** Probability that the environment replaces the chosen premium by a uniform draw among the three. */
  readonly stick: number;
  readonly months?: number;
  /** Cost of a claim; the standard premium is 100 a month. */
  readonly claimCost?: number;
  /** Increase of the log odds of leaving per unit of premium above the competitor's premium. */
  readonly priceSensitivity?: number;
  /** The profit that multiplies the score of a path by e: the score is proportional to exp(profit / profitScale). */
  readonly profitScale?: number;
}

export const PRICING_DEFAULTS = {
  months: 4,
  claimCost: 150,
  priceSensitivity: 0.05,
  profitScale: 60,
} as const;

/** The largest number of months; for more, the enumeration of all paths would be slow. */
const MAX_MONTHS = 6;
const notNegative = number({ from: 0 });

export const PRICING_KEYS: Keys<Required<PricingTaskOptions>> = {
  stick: stickKey,
  months: key(whole(1, MAX_MONTHS), "task", "number of months", is(PRICING_DEFAULTS.months)),
  claimCost: key(
    notNegative,
    "task",
    "cost of a claim; the standard premium is 100 a month",
    is(PRICING_DEFAULTS.claimCost),
  ),
  priceSensitivity: key(
    notNegative,
    "task",
    "log odds of leaving per unit of premium above the competitor's",
    is(PRICING_DEFAULTS.priceSensitivity),
  ),
  profitScale: key(
    number({ above: 0 }),
    "task",
    "profit that multiplies the score of a path by e",
    is(PRICING_DEFAULTS.profitScale),
  ),
};
