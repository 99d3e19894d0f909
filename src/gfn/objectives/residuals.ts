// Residuals of a balance: the difference between its two sides, which is zero for a trained flow.

import { numpy as np } from "@jax-js/jax";
import type { Batch } from "../sampling/batch.ts";
import type { BalanceTerms } from "./balance-terms.ts";
import { detailedBalance, forwardLookingDetailedBalance } from "./detailed-balance.ts";
import type { Balance } from "./objective.ts";
import { subTrajectoryBalance } from "./sub-trajectory-balance.ts";
import { trajectoryBalance, vargrad } from "./trajectory-balance.ts";

/** The size of a batch, and where its trajectories run and end. */
export type TrajectorySpan = Pick<Batch, "T" | "B" | "running" | "ends">;

/** The loss is the weighted mean of a function of the residuals. */
export interface Residuals {
  readonly residual: np.Array;
  readonly weight: np.Array;
}

export interface BalanceOptions {
  /** Sub-trajectories of n steps have the weight λⁿ. */
  readonly lambda: number;
  /** Learned log Z, []. Omit to use the log flow of the start. */
  readonly logZ?: np.Array;
  /** log R of every state, [(T + 1)·B], for an environment that rewards partial objects. */
  readonly partialLogReward?: np.Array;
  /** Upper bound of the log flow after each step, [N], for terms that bootstrap. */
  readonly maxLogFlow?: np.Array;
}

/** `logReward` is log R of the terminal object of each trajectory, [B]. */
export function balanceResiduals(
  balance: Balance,
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  options: BalanceOptions,
): Residuals {
  switch (balance) {
    case "db":
      return detailedBalance(span, terms, logReward, options.maxLogFlow);
    case "fl-db":
      return forwardLookingDetailedBalance(span, terms, logReward, options.partialLogReward);
    case "tb":
      return trajectoryBalance(span, terms, logReward, options.logZ);
    case "vargrad":
      return vargrad(span, terms, logReward);
    case "subtb":
      return subTrajectoryBalance(span, terms, logReward, options);
    default:
      return balance satisfies never;
  }
}

/** Σ weight · value / Σ weight. */
export function weightedMean(values: np.Array, weight: np.Array): np.Array {
  return np.divide(np.sum(np.multiply(values, weight)), np.sum(weight)); // []
}
