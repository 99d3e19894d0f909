// Balance conditions: what a trained flow must satisfy, as residuals that are zero when it does.

import { lax, numpy as np } from "@jax-js/jax";
import type { Batch } from "../batch.ts";
import type { Balance } from "./choice.ts";
import type { Terms } from "./terms.ts";

/** What a balance must know of episodes: how many, and where each runs and ends. */
export type EpisodeSpan = Pick<Batch, "T" | "B" | "running" | "ends">;

/** Residuals and how much each of them counts; the loss is their weighted mean. */
export interface Residuals {
  readonly residual: np.Array;
  readonly weight: np.Array;
}

export interface BalanceOptions {
  /** Sub-trajectories of n steps count λⁿ. */
  readonly lambda: number;
  /** log Z as a parameter of its own, []; else it is log F of the start. */
  readonly logZ?: np.Array;
  /** log R of every state where the environment rewards partial objects, [(T + 1)·B]. */
  readonly partialLogReward?: np.Array;
  /** For terms that bootstrap: log of the largest flow that there can be after each step, [N]. */
  readonly largestLogFlow?: np.Array;
}

/** `logReward` is that of each episode's terminal object, [B]. */
export function residualsOf(
  balance: Balance,
  batch: EpisodeSpan,
  terms: Terms,
  logReward: np.Array,
  options: BalanceOptions,
): Residuals {
  const { T, B, running } = batch;
  const gain = np.multiply(np.subtract(terms.forward, terms.backward), running); // [N]
  switch (balance) {
    case "db":
      return {
        residual: stepResidual(batch, terms, gain, logReward, options.largestLogFlow),
        weight: running,
      };
    case "fl-db": {
      if (!options.partialLogReward) {
        throw new TypeError("fl-db: the environment gives no partial rewards; use db");
      }
      const logFlow = np.add(terms.logFlow, options.partialLogReward); // [(T + 1)·B]
      return { residual: stepResidual(batch, { ...terms, logFlow }, gain, logReward), weight: running };
    }
    case "tb": {
      const logZ = options.logZ ?? np.split(terms.logFlow, [B], 0)[0]; // [] or [B]
      const residual = np.subtract(np.add(episodeSum(gain, T, B), logZ), logReward); // [B]
      return { residual, weight: np.ones([B]) };
    }
    case "vargrad": {
      const score = np.subtract(episodeSum(gain, T, B), logReward); // [B], −log Z for every episode when balanced
      return { residual: np.subtract(score, lax.stopGradient(np.mean(score))), weight: np.ones([B]) };
    }
    case "subtb":
      return subtrajectories(batch, terms.logFlow, gain, logReward, options);
    default:
      return balance satisfies never;
  }
}

/** Per step: flow, gain, less the flow after it, which is the reward at the end; [N], 0 after the end. */
function stepResidual(
  batch: EpisodeSpan,
  { logFlow, bootstraps }: Pick<Terms, "logFlow" | "bootstraps">,
  gain: np.Array,
  logReward: np.Array,
  largest?: np.Array,
): np.Array {
  const { T, B, running } = batch;
  const [before] = np.split(logFlow, [T * B], 0); // [N]
  const [, later] = np.split(bootstraps ? lax.stopGradient(logFlow) : logFlow, [B], 0); // [N]
  // A network that learns from its own word may talk itself up without end.
  const after = bootstraps && largest ? np.minimum(later, largest) : later; // [N]
  const next = np.where(np.less(0.5, batch.ends), repeated(logReward, T, B), after); // [N]
  return np.multiply(np.subtract(np.add(before, gain), next), running); // [N]
}

/** All pairs m < n of one episode: F(m) + gain(m..n) − F(n), weighted λ^(n − m) within each episode. */
function subtrajectories(
  batch: EpisodeSpan,
  logFlow: np.Array,
  gain: np.Array,
  logReward: np.Array,
  { lambda, logZ }: BalanceOptions,
): Residuals {
  const { T, B } = batch;
  const rows = (array: np.Array, count: number) => np.split(array, count, 0); // count × [B]
  const gains = rows(gain, T); // T × [B]
  const running = rows(batch.running, T); // T × [B]
  const flows = rows(logFlow, T + 1); // (T + 1) × [B]
  const ends = rows(batch.ends, T); // T × [B]
  const after = gains.map((_, t) => np.where(np.less(0.5, ends[t]), logReward, flows[t + 1])); // T × [B]
  // Only their ratios count, so the largest is 1: powers of a large λ would not fit a float32.
  const largest = Math.max(1, lambda) ** (T - 1);
  const residuals: np.Array[] = [];
  const weights: np.Array[] = [];
  for (let m = 0; m < T; m++) {
    let sum = m === 0 && logZ ? np.add(np.zeros([B]), logZ) : flows[m]; // [B]
    for (let n = m; n < T; n++) {
      sum = np.add(sum, gains[n]); // [B]
      residuals.push(np.multiply(np.subtract(sum, after[n]), running[n])); // [B]
      weights.push(np.multiply(running[n], lambda ** (n - m) / largest)); // [B]
    }
  }
  const total = weights.reduce((a, b) => np.add(a, b)); // [B]
  return {
    residual: np.concatenate(residuals, 0), // [pairs·B]
    weight: np.concatenate(
      weights.map((weight) => np.divide(weight, total)),
      0,
    ), // [pairs·B]
  };
}

/** Sums over the steps of each episode, [N] to [B]. */
export function episodeSum(values: np.Array, T: number, B: number): np.Array {
  return np.sum(values.reshape([T, B]), 0); // [B]
}

/** One value per episode at each of its steps, [B] to [N]. */
function repeated(values: np.Array, T: number, B: number): np.Array {
  return np.broadcastTo(values, [T, B]).reshape([T * B]); // [N]
}

/** Σ weight · g / Σ weight. */
export function weightedMean(values: np.Array, weight: np.Array): np.Array {
  return np.divide(np.sum(np.multiply(values, weight)), np.sum(weight)); // []
}
