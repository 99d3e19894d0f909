// Setting a customer's premium month by month: an environment in which the world answers every decision.
//
// A month is two steps. In the first the policy intends a premium, which comes true but for stick noise. In the second
// the customer answers, and what the policy intends makes no difference: every intention has the same law of outcomes,
// so intentions and outcomes are three in either step, as the contract wants. Premium and answer both become part of
// the path, for the profit is made of both.

import { numpy as np } from "@jax-js/jax";
import { type Enumeration, enumeration, terminal } from "../../gfn/enumeration.ts";
import type { EnumerableEnvironment, State } from "../../gfn/environment.ts";
import { checkStick, stickNoise } from "../../gfn/noise.ts";
import { int32 } from "../../nn/prefix-index.ts";
import {
  ANSWERS,
  answerLaw,
  LEVELS as C,
  CLAIM_RATES,
  type CustomerOptions,
  leavingRate,
} from "./customer.ts";
import { customerOf, pathFeatures } from "./features.ts";
import { type PathNumbers, pathNumbers, readPath, writePath } from "./paths.ts";

export interface PricingOptions extends CustomerOptions {
  readonly months: number;
  /** Probability that a premium is replaced by one of the three, drawn alike. */
  readonly stick: number;
}

export interface PricingEnvironment extends EnumerableEnvironment {
  readonly months: number;
  readonly paths: PathNumbers;
}

/** More paths than those of six months are not worth listing. */
const MOST_MONTHS = 6;

export function pricingEnvironment(options: PricingOptions): PricingEnvironment {
  const { months, stick } = options;
  checkOptions(options);
  const paths = pathNumbers(months);
  const { states, firstState, firstLeaving, firstStaying } = paths;
  const T = 2 * months;
  const features = pathFeatures(months);

  return {
    name: `premiums of ${months} ${months === 1 ? "month" : "months"}`,
    months,
    paths,
    actions: C,
    stops: false,
    outcomes: C,
    maxSteps: T,
    states,
    features: features.size,
    featureBlock: C,
    stick: largestDoubt(options),
    noise: `stick ${stick} and a customer who answers by chance`,
    backwardClasses: C,
    tree: true,

    start(batch): State {
      return {
        index: np.zeros([batch], { dtype: np.int32 }), // [B]
        features: np.tile(np.array(features.after([])).reshape([1, features.size]), [batch, 1]), // [B, F]
        running: np.ones([batch]), // [B]
      };
    },
    allowed: () => np.ones([1, C], { dtype: np.bool }), // [1, C]
    realise(state, t, action, uniform) {
      if (t % 2 === 0) return stickNoise(action, np.ones([1, C]), uniform, stick); // [B, C]
      const { premium, loyalty, claims } = features.seen(state.features, t);
      const byLoyalty = np.matmul(premium, leavingTable((t - 1) / 2)); // [B, C]
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
      const digit = np.matmul(outcome, np.arange(C).astype(np.float32)).astype(np.int32); // [B]
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
      // Before an answer anything may have been intended, and before a premium, without noise, only that.
      if (t % 2 === 1 || stick > 0) return np.ones([1, C], { dtype: np.bool }); // [1, C]
      const written = features.at(state.features, t); // [B, C]
      const ended = np.less(np.sum(written, 1, { keepdims: true }), 0.5); // [B, 1]
      return np.logicalOr(np.less(0.5, written), ended); // [B, C]
    },
    backwardClass: (action) => action, // [B, C]
    sameParent: () => null,

    describe: writePath,
    wayOf: (text) => readPath("pricingEnvironment", text, months),
    enumerate: () => listPaths(options, paths),
    wayTo: (index) => paths.wayOf(states + index),
    featuresOf(indices) {
      const rows = new Float32Array(indices.length * features.size);
      for (let row = 0; row < indices.length; row++) {
        rows.set(features.after(paths.wayOf(indices[row])), row * features.size);
      }
      return rows;
    },
  };

  /** Rates of leaving in a month by premium and loyalty, [C, C]. */
  function leavingTable(month: number): np.Array {
    const rates = Float32Array.from({ length: C * C }, (_, i) =>
      leavingRate(options, month, Math.floor(i / C), i % C),
    );
    return np.array(rates).reshape([C, C]); // [C, C]
  }
}

function listPaths(options: PricingOptions, paths: PathNumbers): Enumeration {
  const { stick } = options;
  const { states, terminals } = paths;
  return enumeration({ states, terminals, actions: C, outcomes: C }, (state, action) => {
    const way = paths.wayOf(state);
    const t = way.length;
    const law =
      t % 2 === 0
        ? Array.from({ length: C }, (_, premium) => (premium === action ? 1 - stick : 0) + stick / C)
        : answerLaw(options, (t - 1) / 2, way[t - 1], customerOf(way));
    return law.flatMap((probability, outcome) => {
      const child = paths.child(state, t, outcome);
      const target = child < states ? child : terminal(child - states);
      return probability > 0 ? [{ target, outcome, probability }] : [];
    });
  });
}

/** How often an answer does not come that was wished for, at most. */
function largestDoubt(options: PricingOptions): number {
  const levels = Array.from({ length: C }, (_, level) => level);
  const least = Array.from({ length: options.months }, (_, month) =>
    levels.flatMap((premium) =>
      levels.flatMap((loyalty) =>
        levels.flatMap((claims) => answerLaw(options, month, premium, { loyalty, claims })),
      ),
    ),
  );
  return 1 - Math.min(...least.flat());
}

function checkOptions({ months, stick, priceSensitivity }: PricingOptions): void {
  const where = "pricingEnvironment";
  if (!Number.isInteger(months) || months < 1 || months > MOST_MONTHS) {
    throw new RangeError(`${where}: months must be a whole number from 1 to ${MOST_MONTHS}, got ${months}`);
  }
  checkStick(where, stick);
  if (!(priceSensitivity >= 0 && priceSensitivity < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `${where}: priceSensitivity must be a number that is not negative, got ${priceSensitivity}`,
    );
  }
}

function column(values: readonly number[]): np.Array {
  return np.array(Float32Array.from(values)).reshape([values.length, 1]); // [C, 1]
}
