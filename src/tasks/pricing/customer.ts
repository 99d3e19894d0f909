// How a customer answers a premium: stays, stays and claims, or leaves. Known here, and to nobody who sets prices.
//
// A customer who leaves depends on the premium against what the competitor asks that month, and on loyalty, which
// discounts raise and surcharges lower. A claim depends on the claims before. All figures are made up; they are of a
// size that makes every premium right in some place.

export interface CustomerOptions {
  /** Log odds of leaving for each unit that the premium is above the competitor's. */
  readonly priceSensitivity: number;
}

/** What is known of a customer, each a level from 0 to 2. */
export interface Customer {
  readonly loyalty: number;
  /** Claims so far; 2 for more. */
  readonly claims: number;
}

export const LEVELS = 3;
/** A discount, the standard premium, and a surcharge, per month. */
export const PREMIUMS = [80, 100, 125] as const;
/** What a month may end with, by number. */
export const ANSWERS = { stays: 0, claims: 1, leaves: 2 } as const;
/** Nobody knows a new customer. */
export const NEW_CUSTOMER: Customer = { loyalty: 1, claims: 0 };

/** What the competitor asks: it is cheap in the second month of four, and dear in the fourth. */
const COMPETITOR = [100, 90, 100, 110] as const;
/** Share of customers that claim, of those who stay, by claims before. */
export const CLAIM_RATES = [0.1, 0.2, 0.35] as const;
/** Log odds of leaving at the competitor's price, and what a level of loyalty takes from it. */
const RESTLESS = -2.2;
const LOYALTY = 0.8;
/** Some leave whatever they pay, and some never do. */
const [LEAST, MOST] = [0.02, 0.92];

/** Level of the competitor's price in a month: 0 cheap, 1 as usual, 2 dear. */
export function competitorLevel(month: number): number {
  return 1 + Math.sign(competitorPrice(month) - PREMIUMS[1]);
}

/** Probability that a customer of this loyalty leaves in a month, counted from 0, for premium number `premium`. */
export function leavingRate(
  { priceSensitivity }: CustomerOptions,
  month: number,
  premium: number,
  loyalty: number,
): number {
  const dearer = PREMIUMS[premium] - competitorPrice(month);
  const odds = RESTLESS + priceSensitivity * dearer - LOYALTY * (loyalty - NEW_CUSTOMER.loyalty);
  return LEAST + (MOST - LEAST) / (1 + Math.exp(-odds));
}

/** Probabilities of the answers, in their order. */
export function answerLaw(
  options: CustomerOptions,
  month: number,
  premium: number,
  { loyalty, claims }: Customer,
): [number, number, number] {
  const leaves = leavingRate(options, month, premium, loyalty);
  const claim = (1 - leaves) * CLAIM_RATES[claims];
  return [1 - leaves - claim, claim, leaves];
}

/** What a customer is after a month. One who leaves is not changed by it. */
export function customerAfter(customer: Customer, premium: number, answer: number): Customer {
  if (answer === ANSWERS.leaves) return customer;
  const level = (value: number) => Math.min(Math.max(value, 0), LEVELS - 1);
  return {
    loyalty: level(customer.loyalty + 1 - premium),
    claims: level(customer.claims + (answer === ANSWERS.claims ? 1 : 0)),
  };
}

/** Profit of a month in which a claim costs this much. Who leaves does not pay. */
export function profitOf(claimCost: number, premium: number, answer: number): number {
  if (answer === ANSWERS.leaves) return 0;
  return PREMIUMS[premium] - (answer === ANSWERS.claims ? claimCost : 0);
}

function competitorPrice(month: number): number {
  return COMPETITOR[month % COMPETITOR.length];
}
