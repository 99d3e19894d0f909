// Task `pricing`: premiums of one insurance customer over some months, scored by the profit.
//
// An object is a path of premiums and answers. Its score is exp((profit − largest profit) / scale), which is positive even
// for a loss, and 1 for the best path.

import { hammingDistance } from "../../math/bounded-distance.ts";
import { checkTaskOptions } from "../check-task-options.ts";
import { checkTerminal, type Task } from "../task.ts";
import { ANSWERS, profitOf } from "./customer.ts";
import { type PricingEnvironment, pricingEnvironment } from "./environment.ts";
import { PRICING_DEFAULTS, PRICING_KEYS, type PricingTaskOptions } from "./options.ts";
import { formatPath, parsePath } from "./paths.ts";

export type { PricingTaskOptions };

/** The task `pricing`, with the profit of each path. */
export interface PricingTask extends Task<PricingEnvironment> {
  /** Profit of each terminal, which is a finished path. */
  readonly profits: Float64Array;
}

/**
 * Premiums of one insurance customer over some months, scored by the profit. The customer answers each premium at
 * random, so that the policy can reach only some distributions over paths (docs/pricing.md).
 *
 * @example
 * ```ts
 * import { pricingTask } from "gflownet";
 *
 * const task = pricingTask({ stick: 0, months: 2 });
 * const best = task.scores.indexOf(1);
 * console.log(task.decode(best), task.profits[best]); // UqUq 250
 * ```
 */
export function pricingTask({
  stick,
  months = PRICING_DEFAULTS.months,
  claimCost = PRICING_DEFAULTS.claimCost,
  priceSensitivity = PRICING_DEFAULTS.priceSensitivity,
  profitScale = PRICING_DEFAULTS.profitScale,
}: PricingTaskOptions): PricingTask {
  const options = { stick, months, claimCost, priceSensitivity, profitScale };
  checkTaskOptions(PRICING_KEYS, undefined, options);
  const environment = pricingEnvironment({ stick, months, priceSensitivity });
  const { states, terminals, outcomesOf } = environment.paths;
  const paths = Array.from({ length: terminals }, (_, terminal) => outcomesOf(states + terminal));
  const profits = Float64Array.from(paths, (path) => profitOfPath(path, claimCost));
  const best = profits.reduce((a, b) => Math.max(a, b));
  const indices = new Map(paths.map((path, terminal) => [formatPath(path), terminal]));
  return {
    name: "pricing",
    label: `exp(profit / ${profitScale}) of ${months} months at 80, 100 or 125, with claims of ${claimCost}; 1 for the best path`,
    environment,
    profits,
    scores: profits.map((profit) => Math.exp((profit - best) / profitScale)),
    modes: paths.flatMap((path, terminal) => (isQuiet(path) ? [terminal] : [])),
    decode(terminal) {
      checkTerminal("pricing", terminal, terminals);
      return formatPath(paths[terminal]);
    },
    encode(text) {
      return indices.get(formatPath(parsePath("pricing", text, months))) as number;
    },
    distance: hammingDistance,
  };
}

/** Expected profit under a distribution over paths. */
export function expectedProfit({ profits }: PricingTask, distribution: Float64Array): number {
  return distribution.reduce((sum, probability, path) => sum + probability * profits[path], 0);
}

function profitOfPath(path: readonly number[], claimCost: number): number {
  let profit = 0;
  for (let t = 0; t < path.length; t += 2) profit += profitOf(claimCost, path[t], path[t + 1]);
  return profit;
}

/** Whether the customer stays to the end and never claims. */
function isQuiet(path: readonly number[]): boolean {
  return path.every((outcome, t) => t % 2 === 0 || outcome === ANSWERS.stays);
}
