// V12, a negative control: R = exp(−β MSE(x, y)) with the one future y that was seen is not a reward. Its flow learns a
// bell around the conditional mean, whatever the process does, and the case passes by showing just that.

import { numpy as np } from "@jax-js/jax";
import type { PathReward } from "../flow/problem.ts";
import { oneHot, pathOf, type SuiteContext } from "./contexts.ts";
import { drawToken, normalised } from "./processes.ts";
import { problemOf, repeat, type SuiteCase, USUAL } from "./suite-case.ts";

const [K, H] = [9, 2];
const BETA = 1;
/** What tokens stand for. */
const VALUES = repeat(K, (k) => -2 + k / 2);
/** A category moves both of a process's two places, −1 and 1; a path stays near one of them. */
const SHIFTS = [-0.5, 0, 0.5];
const SPREAD = 0.25;

export function squaredErrorControl(): SuiteCase {
  const heldOut = SHIFTS.map((_, category) =>
    contextOf(
      category,
      repeat(H, () => 0),
    ),
  );
  return {
    id: "V12",
    name: "squared error to one seen future",
    what: "why not: the geometric mean of rewards, not the law",
    problem: problemOf(K, H, heldOut[0], { reward: squaredErrorReward() }),
    // Rewards are random here, so residuals never vanish: many at a time, and slowly.
    settings: { ...USUAL, objective: {}, contexts: 512, learningRate: 3e-3, iterations: 2500 },
    draw(stream) {
      const category = stream.integer(SHIFTS.length);
      const places = placesOf(category)[stream.integer(2)];
      return contextOf(
        category,
        repeat(H, () => VALUES[drawToken(places, K, 0, stream)]),
      );
    },
    heldOut,
    logRewards: (context) => meanLogReward(categoryOf(context)),
    truth: (context) => lawOfTruth(categoryOf(context)),
  };
}

/** −β / H Σ (x_t − y_t)². */
function squaredErrorReward(): PathReward {
  return {
    log(tokens, { observed }) {
      const values = np.sum(np.multiply(tokens, np.array(Float32Array.from(VALUES))), 2); // [B, H]
      const error = np.subtract(values, observed); // [B, H]
      return np.multiply(np.sum(np.multiply(error, error), 1), -BETA / H); // [B]
    },
  };
}

function contextOf(category: number, observed: readonly number[]): SuiteContext {
  return { earlier: [], context: oneHot(category, SHIFTS.length), observed };
}

function categoryOf({ context }: SuiteContext): number {
  return context!.indexOf(1);
}

/** Laws of a token near either place, [K] each. */
function placesOf(category: number): Float64Array[] {
  return [-1, 1].map((place) => {
    const bell = VALUES.map((value) => Math.exp(-(((value - place - SHIFTS[category]) / SPREAD) ** 2) / 2));
    return normalised(Float64Array.from(bell), K);
  });
}

/** Where squared residuals end: the mean of log R over futures, path by path. */
function meanLogReward(category: number): Float64Array {
  const moment = (power: number) =>
    placesOf(category).reduce(
      (sum, law) => sum + law.reduce((total, share, k) => total + share * VALUES[k] ** power, 0) / 2,
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

function lawOfTruth(category: number): Float64Array {
  const places = placesOf(category);
  return Float64Array.from({ length: K ** H }, (_, number) =>
    places.reduce(
      (sum, law) => sum + pathOf(number, K, H).reduce((product, token) => product * law[token], 0.5),
      0,
    ),
  );
}
