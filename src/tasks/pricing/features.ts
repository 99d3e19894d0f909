// Features of a path, computed on the device and on the host: a one-hot block for each step of the path, and three more
// for the loyalty of the customer, the claims, and the competitor's premium of the month.

import { numpy as np } from "@jax-js/jax";
import { oneHotRows } from "../../nn/one-hot.ts";
import {
  ANSWERS,
  LEVELS as C,
  type Customer,
  competitorLevel,
  NEW_CUSTOMER,
  nextCustomer,
} from "./customer.ts";

/** Number of blocks after those of the path: loyalty, claims, competitor's premium. */
const TRAITS = 3;

export interface PathFeatures {
  /** Number of features. */
  readonly size: number;
  /** Features of a path, finished or not, on the host. */
  ofPath(path: readonly number[]): Float32Array;
  /** Features of running paths after step t, [B, size]. */
  next(features: np.Array, t: number, outcome: np.Array): np.Array;
  /** One block of the features, such as the block of step t: one-hot [B, C], or all 0 if the path is shorter. */
  block(features: np.Array, t: number): np.Array;
  /** The features that the answer at step t depends on, each one-hot [B, C]. */
  answerInputs(
    features: np.Array,
    t: number,
  ): { readonly premium: np.Array; readonly loyalty: np.Array; readonly claims: np.Array };
}

export function pathFeatures(months: number): PathFeatures {
  const T = 2 * months;
  const F = (T + TRAITS) * C;
  return { size: F, ofPath, next, block, answerInputs };

  function ofPath(path: readonly number[]): Float32Array {
    const features = new Float32Array(F);
    path.forEach((outcome, t) => {
      features[t * C + outcome] = 1;
    });
    const { loyalty, claims } = customerFromPath(path);
    const hasLeft = path.length % 2 === 0 && path.at(-1) === ANSWERS.leaves;
    const month = Math.floor(path.length / 2) - (hasLeft ? 1 : 0);
    [loyalty, claims, competitorLevel(month)].forEach((level, trait) => {
      features[(T + trait) * C + level] = 1;
    });
    return features;
  }

  function next(features: np.Array, t: number, outcome: np.Array): np.Array {
    const slots: [number, number] = [t * C, F - (t + 1) * C];
    const written = np.add(features, np.pad(outcome, [[0, 0], slots])); // [B, F]
    if (t % 2 === 0) return written; // [B, F]
    const [path] = np.split(written, [T * C], 1); // [B, T·C]
    const { premium, loyalty, claims } = answerInputs(features, t);
    const [, claim, leaves] = np.split(outcome, C, 1); // [B, 1] each
    const [discount, standard, surcharge] = np.split(premium, C, 1); // [B, 1] each
    const nextLoyalty = weightedSum([
      [discount, up(loyalty)],
      [standard, loyalty],
      [surcharge, down(loyalty)],
    ]); // [B, C]
    const nextClaims = weightedSum([
      [claim, up(claims)],
      [np.subtract(1, claim), claims],
    ]); // [B, C]
    const level = np.array(oneHotRows([competitorLevel((t + 1) / 2)], C)); // [C]
    const price = np.broadcastTo(level.reshape([1, C]), outcome.shape); // [B, C]
    const stayed = np.concatenate([path, nextLoyalty, nextClaims, price], 1); // [B, F]
    // The features of a customer who has left do not change.
    return np.where(np.less(0.5, leaves), written, stayed); // [B, F]
  }

  function block(features: np.Array, index: number): np.Array {
    const isLast = index === T + TRAITS - 1;
    const [, rest] = index > 0 ? np.split(features, [index * C], 1) : [null, features];
    return isLast ? rest : np.split(rest, [C], 1)[0]; // [B, C]
  }

  function answerInputs(features: np.Array, t: number) {
    return { premium: block(features, t - 1), loyalty: block(features, T), claims: block(features, T + 1) };
  }
}

/** The customer after a path. */
export function customerFromPath(path: readonly number[]): Customer {
  let customer = NEW_CUSTOMER;
  for (let t = 0; t + 1 < path.length; t += 2) customer = nextCustomer(customer, path[t], path[t + 1]);
  return customer;
}

/** Sum of arrays [B, C] or [1, C], each multiplied by its weight [B, 1]. */
function weightedSum(parts: readonly (readonly [np.Array, np.Array])[]): np.Array {
  return parts.map(([weight, array]) => np.multiply(weight, array)).reduce((a, b) => np.add(a, b)); // [B, C]
}

/** The next higher level, at most the highest, one-hot [B, C]. */
function up(level: np.Array): np.Array {
  return np.matmul(level, np.array(Float32Array.of(0, 1, 0, 0, 0, 1, 0, 0, 1)).reshape([C, C])); // [B, C]
}

/** The next lower level, at least the lowest, one-hot [B, C]. */
function down(level: np.Array): np.Array {
  return np.matmul(level, np.array(Float32Array.of(1, 0, 0, 1, 0, 0, 0, 1, 0)).reshape([C, C])); // [B, C]
}
