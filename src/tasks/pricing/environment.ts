// The environment of the task `pricing`: the policy sets the premium of a customer each month, and the customer answers at
// random.
//
// A month has two steps. In the first step, the action is a premium, under stick noise. In the second step, the outcome is
// the answer of the customer. An environment has the same number of actions in all steps, so the second step has actions
// too, but all of them have the same distribution of outcomes. The path of a customer contains premiums and answers,
// because the profit depends on both.

import { numpy as np } from "@jax-js/jax";
import { type Enumeration, enumerationFrom, terminalTarget } from "../../gfn/environment/enumeration.ts";
import type { EnumerableEnvironment, State } from "../../gfn/environment/environment.ts";
import { checkStick, stickNoise } from "../../gfn/environment/stick-noise.ts";
import { checkSizes } from "../../nn/checks.ts";
import { int32 } from "../../nn/hash.ts";
import { oneHotIndices } from "../../nn/one-hot.ts";
import {
  ANSWERS,
  answerDistribution,
  LEVELS as C,
  CLAIM_RATES,
  type CustomerOptions,
  leaveProbability,
} from "./customer.ts";
import { customerFromPath, pathFeatures } from "./features.ts";
import { formatPath, type PathIndex, parsePath, pathIndex } from "./paths.ts";

export interface PricingOptions extends CustomerOptions {
  readonly months: number;
  /** Probability that the environment replaces the chosen premium by a uniform draw among the three. */
  readonly stick: number;
}

export interface PricingEnvironment extends EnumerableEnvironment {
  readonly months: number;
  readonly paths: PathIndex;
}

export function pricingEnvironment(options: PricingOptions): PricingEnvironment {
  const { months, stick } = options;
  checkSizes("pricingEnvironment", { months });
  checkStick("pricingEnvironment", stick);
  const paths = pathIndex(months);
  const { states, firstState, firstLeaving, firstStaying } = paths;
  const T = 2 * months;
  const features = pathFeatures(months);

  return {
    name: `premiums of ${months} ${months === 1 ? "month" : "months"}`,
    months,
    paths,
    actions: C,
    hasStop: false,
    outcomes: C,
    maxSteps: T,
    states,
    features: features.size,
    featureBlock: C,
    stick: largestStick(options),
    noiseDescription: `stick ${stick} and a customer who answers by chance`,
    backwardActions: C,
    tree: true,

    start(batch): State {
      return {
        index: np.zeros([batch], { dtype: np.int32 }), // [B]
        features: np.tile(np.array(features.ofPath([])).reshape([1, features.size]), [batch, 1]), // [B, F]
        running: np.ones([batch]), // [B]
      };
    },
    allowed: () => np.ones([1, C], { dtype: np.bool }), // [1, C]
    sampleOutcome(state, t, action, uniform) {
      if (t % 2 === 0) return stickNoise(action, np.ones([1, C]), uniform, stick); // [B, C]
      const { premium, loyalty, claims } = features.answerInputs(state.features, t);
      const byLoyalty = np.matmul(premium, leaveTable((t - 1) / 2)); // [B, C]
      const leaves = np.sum(np.multiply(byLoyalty, loyalty), 1, { keepdims: true }); // [B, 1]
      const rate = np.matmul(claims, column(CLAIM_RATES)); // [B, 1]
      const gone = np.add(leaves, np.multiply(np.subtract(1, leaves), rate)); // [B, 1], leaves or claims
      const [chance] = np.split(uniform, [1], 1); // [B, 1]
      const isLeaving = np.less(chance, leaves); // [B, 1]
      const isClaim = np.logicalAnd(np.less(chance, gone), np.logicalNot(isLeaving)); // [B, 1]
      const isQuiet = np.logicalNot(np.less(chance, gone)); // [B, 1]
      return np.concatenate([isQuiet, isClaim, isLeaving], 1).astype(np.float32); // [B, C]
    },
    advance(state, t, _, outcome) {
      const [batch] = outcome.shape;
      const runs = np.less(0.5, state.running); // [B]
      const place = np.subtract(state.index, int32(firstState(t))); // [B]
      const digit = oneHotIndices(outcome).astype(np.int32); // [B]
      const [, rest] = np.split(outcome, [ANSWERS.leaves], 1); // [B, 1]
      const isPremium = t % 2 === 0;
      const staysFrom = t === T - 1 ? firstStaying : firstState(t + 1);
      const stays = np.add(np.add(np.multiply(place, int32(isPremium ? C : 2)), digit), int32(staysFrom)); // [B]
      const left = np.less(0.5, rest.reshape([batch])); // [B]
      const leaving = isPremium ? stays : np.add(place, int32(firstLeaving((t - 1) / 2))); // [B]
      const child = np.where(left, leaving, stays); // [B]
      const goesOn = isPremium ? state.running : np.where(left, 0, state.running); // [B]
      return {
        index: np.where(runs, child, state.index), // [B]
        features: np.where(
          runs.reshape([batch, 1]),
          features.next(state.features, t, outcome),
          state.features,
        ), // [B, F]
        running: t === T - 1 ? np.zeros([batch]) : goesOn, // [B]
      };
    },
    terminalIndex: ({ index }) => np.subtract(index, int32(states)), // [B]
    backwardAllowed(state, t) {
      // In the second step of a month, every action can lead to every answer. In the first step without noise, each
      // premium is reached only by its own action.
      if (t % 2 === 1 || stick > 0) return np.ones([1, C], { dtype: np.bool }); // [1, C]
      const premium = features.block(state.features, t); // [B, C]
      const ended = np.less(np.sum(premium, 1, { keepdims: true }), 0.5); // [B, 1]
      return np.logicalOr(np.less(0.5, premium), ended); // [B, C]
    },
    backwardAction: (_, action) => action, // [B, C]
    sameParent: () => null,

    describe: formatPath,
    trajectoryOf: (text) => parsePath("pricingEnvironment", text, months),
    enumerate: () => enumeratePaths(options, paths),
    sampleTrajectoryTo: (index) => paths.outcomesOf(states + index),
    featuresOf(indices) {
      const rows = new Float32Array(indices.length * features.size);
      for (let row = 0; row < indices.length; row++) {
        rows.set(features.ofPath(paths.outcomesOf(indices[row])), row * features.size);
      }
      return rows;
    },
  };

  /** Probability of leaving in a month, by premium and loyalty, [C, C]. */
  function leaveTable(month: number): np.Array {
    const probabilities = Float32Array.from({ length: C * C }, (_, i) =>
      leaveProbability(options, month, Math.floor(i / C), i % C),
    );
    return np.array(probabilities).reshape([C, C]); // [C, C]
  }
}

function enumeratePaths(options: PricingOptions, paths: PathIndex): Enumeration {
  const { stick } = options;
  const { states, terminals } = paths;
  return enumerationFrom({ states, terminals, actions: C, outcomes: C }, (state, action) => {
    const path = paths.outcomesOf(state);
    const t = path.length;
    const distribution =
      t % 2 === 0
        ? Array.from({ length: C }, (_, premium) => (premium === action ? 1 - stick : 0) + stick / C)
        : answerDistribution(options, (t - 1) / 2, path[t - 1], customerFromPath(path));
    return distribution.flatMap((probability, outcome) => {
      const child = paths.child(state, t, outcome);
      const target = child < states ? child : terminalTarget(child - states);
      return probability > 0 ? [{ target, outcome, probability }] : [];
    });
  });
}

/**
 * The largest probability that the answer differs from a desired answer. `Environment.stick` reports it as the noise
 * level.
 */
function largestStick(options: PricingOptions): number {
  const levels = Array.from({ length: C }, (_, level) => level);
  const probabilities = Array.from({ length: options.months }, (_, month) =>
    levels.flatMap((premium) =>
      levels.flatMap((loyalty) =>
        levels.flatMap((claims) => answerDistribution(options, month, premium, { loyalty, claims })),
      ),
    ),
  );
  return 1 - Math.min(...probabilities.flat());
}

function column(values: readonly number[]): np.Array {
  return np.array(Float32Array.from(values)).reshape([values.length, 1]); // [C, 1]
}
