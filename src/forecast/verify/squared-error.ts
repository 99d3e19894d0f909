// Case V12 of the exact suite, a negative control: R = exp(−β MSE(x, y)) with the one observed future y. This reward
// makes the GFlowNet learn a bell curve around the conditional mean, regardless of the process. The case passes if the
// GFlowNet learns this curve.

import { numpy as np } from "@jax-js/jax";
import { oneHotRows } from "../../nn/one-hot.ts";
import type { PathReward } from "../flow/problem.ts";
import { pathOf, type SuiteContext } from "./contexts.ts";
import { normaliseRows, sampleToken } from "./processes.ts";
import { DEFAULT_CASE_SETTINGS, repeat, type SuiteCase, suiteProblem } from "./suite-case.ts";

const [K, H] = [9, 2];
const BETA = 1;
/** The value of each token. */
const VALUES = repeat(K, (k) => -2 + k / 2);
/** The process has two modes, −1 and 1, and each path stays near one of them. The category shifts both modes. */
const SHIFTS = [-0.5, 0, 0.5];
const DEVIATION = 0.25;

export function squaredErrorControl(): SuiteCase {
  const heldOut = SHIFTS.map((_, category) =>
    contextOf(
      category,
      repeat(H, () => 0),
    ),
  );
  return {
    id: "V12",
    name: "squared error to one observed future",
    purpose: "negative control: learns the mean of log rewards",
    problem: suiteProblem(K, H, heldOut[0], { reward: squaredErrorReward() }),
    // The rewards are random, so residuals never vanish: large batches and a small learning rate average them.
    settings: {
      ...DEFAULT_CASE_SETTINGS,
      objective: {},
      contexts: 512,
      learningRate: { from: 3e-3, to: 3e-5, shape: "cosine" },
      iterations: 2500,
    },
    sampleContext(stream) {
      const category = stream.integer(SHIFTS.length);
      const mode = modesOf(category)[stream.integer(2)];
      return contextOf(
        category,
        repeat(H, () => VALUES[sampleToken(mode, K, 0, stream)]),
      );
    },
    evaluationContexts: heldOut,
    logRewards: (context) => meanLogReward(categoryOf(context)),
    trueDistribution: (context) => trueDistributionOf(categoryOf(context)),
  };
}

/** −β / H Σ (x_t − y_t)². */
function squaredErrorReward(): PathReward {
  return {
    logReward(tokens, { observed }) {
      const values = np.sum(np.multiply(tokens, np.array(Float32Array.from(VALUES))), 2); // [B, H]
      const error = np.subtract(values, observed); // [B, H]
      return np.multiply(np.sum(np.multiply(error, error), 1), -BETA / H); // [B]
    },
  };
}

function contextOf(category: number, observed: readonly number[]): SuiteContext {
  return { past: [], context: oneHotRows([category], SHIFTS.length), observed };
}

function categoryOf({ context }: SuiteContext): number {
  return SHIFTS.findIndex((_, category) => context![category] === 1);
}

/** The distribution of a token near each of the two modes, [K] each. */
function modesOf(category: number): Float64Array[] {
  return [-1, 1].map((mode) => {
    const weights = VALUES.map((value) =>
      Math.exp(-(((value - mode - SHIFTS[category]) / DEVIATION) ** 2) / 2),
    );
    return normaliseRows(Float64Array.from(weights), K);
  });
}

/** The optimum of the squared loss: the mean of log R over futures, for each path. */
function meanLogReward(category: number): Float64Array {
  const moment = (power: number) =>
    modesOf(category).reduce(
      (sum, mode) => sum + mode.reduce((total, share, k) => total + share * VALUES[k] ** power, 0) / 2,
      0,
    );
  const [mean, square] = [moment(1), moment(2)];
  return Float64Array.from({ length: K ** H }, (_, number) =>
    pathOf(number, K, H).reduce(
      (sum, token) => sum - (BETA / H) * (VALUES[token] ** 2 - 2 * VALUES[token] * mean + square),
      0,
    ),
  );
}

/** The probabilities of all paths of the process. */
function trueDistributionOf(category: number): Float64Array {
  const modes = modesOf(category);
  return Float64Array.from({ length: K ** H }, (_, number) =>
    modes.reduce(
      (sum, mode) => sum + pathOf(number, K, H).reduce((product, token) => product * mode[token], 0.5),
      0,
    ),
  );
}
