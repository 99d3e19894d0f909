// The hidden model of a customer, who answers a premium in one of three ways: stays, stays with a claim, or leaves.
//
// The probability of leaving depends on the premium relative to the competitor's premium of the month, and on loyalty,
// which discounts raise and surcharges lower. The probability of a claim depends on earlier claims. All numbers are
// invented, and chosen so that each premium is the best one in some situation.

export interface CustomerOptions {
  /** Increase of the log odds of leaving per unit of premium above the competitor's premium. */
  readonly priceSensitivity: number;
}

/** Properties of a customer, each a level from 0 to 2. */
export interface Customer {
  readonly loyalty: number;
  /** Number of claims so far; 2 stands for two or more. */
  readonly claims: number;
}

export const LEVELS = 3;
/** Monthly premiums: with a discount, standard, with a surcharge. */
export const PREMIUMS = [80, 100, 125] as const;
/** Answers of the customer, which are the outcomes of the second step of a month. */
export const ANSWERS = { stays: 0, claims: 1, leaves: 2 } as const;
/** Properties of a customer before the first month. */
export const NEW_CUSTOMER: Customer = { loyalty: 1, claims: 0 };

/** Premium of the competitor in each month; it repeats every four months. */
const COMPETITOR = [100, 90, 100, 110] as const;
/** Probability that a customer who stays makes a claim, for each level of earlier claims. */
export const CLAIM_RATES = [0.1, 0.2, 0.35] as const;
/** Log odds that a new customer leaves if the premium equals the competitor's. */
const BASE_LOG_ODDS = -2.2;
/** Decrease of the log odds of leaving per level of loyalty. */
const LOYALTY_EFFECT = 0.8;
/** Smallest and largest probability of leaving. */
const [MIN_LEAVE, MAX_LEAVE] = [0.02, 0.92];

/** Level of the competitor's premium in a month: 0 below, 1 at, 2 above the standard premium. */
export function competitorLevel(month: number): number {
  return 1 + Math.sign(competitorPrice(month) - PREMIUMS[1]);
}

/** Probability that a customer of this loyalty leaves in a month, counted from 0. `premium` is an index of `PREMIUMS`. */
export function leaveProbability(
  { priceSensitivity }: CustomerOptions,
  month: number,
  premium: number,
  loyalty: number,
): number {
  const difference = PREMIUMS[premium] - competitorPrice(month);
  const logOdds =
    BASE_LOG_ODDS + priceSensitivity * difference - LOYALTY_EFFECT * (loyalty - NEW_CUSTOMER.loyalty);
  return MIN_LEAVE + (MAX_LEAVE - MIN_LEAVE) / (1 + Math.exp(-logOdds));
}

/** Probabilities of the answers, in the order of `ANSWERS`. */
export function answerDistribution(
  options: CustomerOptions,
  month: number,
  premium: number,
  { loyalty, claims }: Customer,
): [number, number, number] {
  const leaves = leaveProbability(options, month, premium, loyalty);
  const claim = (1 - leaves) * CLAIM_RATES[claims];
  return [1 - leaves - claim, claim, leaves];
}

/** The customer after a month. Leaving changes nothing. */
export function nextCustomer(customer: Customer, premium: number, answer: number): Customer {
  if (answer === ANSWERS.leaves) return customer;
  const level = (value: number) => Math.min(Math.max(value, 0), LEVELS - 1);
  return {
    loyalty: level(customer.loyalty + 1 - premium),
    claims: level(customer.claims + (answer === ANSWERS.claims ? 1 : 0)),
  };
}

/** Profit of a month. A customer who leaves pays nothing. */
export function profitOf(claimCost: number, premium: number, answer: number): number {
  if (answer === ANSWERS.leaves) return 0;
  return PREMIUMS[premium] - (answer === ANSWERS.claims ? claimCost : 0);
}

function competitorPrice(month: number): number {
  return COMPETITOR[month % COMPETITOR.length];
}
