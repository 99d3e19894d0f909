// Task `pricing`: premiums for one customer over a few months, scored by the profit of what really happened.
//
// The object is the whole path, premiums and answers: answers alone do not say what was paid. A path is worth
// exp(profit / scale), so that losses are possible and rewards still positive; the best path has score 1.

import { checkTerminal, type Task } from "../task.ts";
import { ANSWERS, profitOf } from "./customer.ts";
import { type PricingEnvironment, pricingEnvironment } from "./environment.ts";
import { readPath, writePath } from "./paths.ts";

export interface PricingTaskOptions {
  /** Probability that a premium is not the intended one but drawn. */
  readonly stick: number;
  readonly months?: number;
  /** What a claim costs, where the standard premium is 100 a month. */
  readonly claimCost?: number;
  /** Log odds of leaving for each unit that a premium is above the competitor's. */
  readonly priceSensitivity?: number;
  /** Profit that makes a path e times as good: the temperature of the reward. */
  readonly profitScale?: number;
}

export interface PricingTask extends Task<PricingEnvironment> {
  /** Profit of every terminal. */
  readonly profits: Float64Array;
}

export const PRICING_DEFAULTS = {
  months: 4,
  claimCost: 150,
  priceSensitivity: 0.05,
  profitScale: 60,
} as const;

export function pricingTask({ stick, ...options }: PricingTaskOptions): PricingTask {
  const { months, claimCost, priceSensitivity, profitScale } = { ...PRICING_DEFAULTS, ...options };
  if (!(claimCost >= 0 && claimCost < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`pricing: claimCost must be a number that is not negative, got ${claimCost}`);
  }
  if (!(profitScale > 0 && profitScale < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`pricing: profitScale must be a number above 0, got ${profitScale}`);
  }
  const environment = pricingEnvironment({ stick, months, priceSensitivity });
  const { states, terminals, wayOf } = environment.paths;
  const ways = Array.from({ length: terminals }, (_, path) => wayOf(states + path));
  const profits = Float64Array.from(ways, (way) => profitOfPath(way, claimCost));
  const best = profits.reduce((a, b) => Math.max(a, b));
  const numbers = new Map(ways.map((way, path) => [writePath(way), path]));
  return {
    name: "pricing",
    label: `exp(profit / ${profitScale}) of ${months} months at 80, 100 or 125, where a claim costs ${claimCost}; 1 for the best`,
    environment,
    profits,
    scores: profits.map((profit) => Math.exp((profit - best) / profitScale)),
    modes: ways.flatMap((way, path) => (isQuiet(way) ? [path] : [])),
    decode(terminal) {
      checkTerminal("pricing", terminal, terminals);
      return writePath(ways[terminal]);
    },
    encode(text) {
      return numbers.get(writePath(readPath("pricing", text, months))) as number;
    },
    distance(a, b) {
      const [short, long] = a.length < b.length ? [a, b] : [b, a];
      return Array.from(long).filter((letter, i) => letter !== short[i]).length;
    },
  };
}

/** The mean of the profits if paths have these probabilities. */
export function expectedProfit({ profits }: PricingTask, law: Float64Array): number {
  return law.reduce((sum, probability, path) => sum + probability * profits[path], 0);
}

function profitOfPath(way: readonly number[], claimCost: number): number {
  let profit = 0;
  for (let t = 0; t < way.length; t += 2) profit += profitOf(claimCost, way[t], way[t + 1]);
  return profit;
}

/** Whether the customer stays to the end and never claims. */
function isQuiet(way: readonly number[]): boolean {
  return way.every((outcome, t) => t % 2 === 0 || outcome === ANSWERS.stays);
}
