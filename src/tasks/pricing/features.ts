// What networks see of a path, on the device and on the host: one-hot blocks for every step of it, and for what it says
// of the customer: loyalty, claims, and the competitor's price of the month.

import { numpy as np } from "@jax-js/jax";
import {
  ANSWERS,
  LEVELS as C,
  type Customer,
  competitorLevel,
  customerAfter,
  NEW_CUSTOMER,
} from "./customer.ts";

/** Blocks after those of the path: loyalty, claims, competitor's price. */
const TRAITS = 3;

export interface PathFeatures {
  /** Numbers in all. */
  readonly size: number;
  /** Of an unfinished or finished path. */
  after(way: readonly number[]): Float32Array;
  /** Of paths that go on, after step t, [B, size]. */
  next(features: np.Array, t: number, outcome: np.Array): np.Array;
  /** What stands at step t, one-hot [B, C], or all 0 if nothing does. */
  at(features: np.Array, t: number): np.Array;
  /** What decides the answer at step t, each one-hot [B, C]. */
  seen(
    features: np.Array,
    t: number,
  ): { readonly premium: np.Array; readonly loyalty: np.Array; readonly claims: np.Array };
}

export function pathFeatures(months: number): PathFeatures {
  const T = 2 * months;
  const F = (T + TRAITS) * C;
  return { size: F, after, next, at, seen };

  function after(way: readonly number[]): Float32Array {
    const features = new Float32Array(F);
    way.forEach((outcome, t) => {
      features[t * C + outcome] = 1;
    });
    const { loyalty, claims } = customerOf(way);
    const left = way.length % 2 === 0 && way.at(-1) === ANSWERS.leaves;
    const month = Math.floor(way.length / 2) - (left ? 1 : 0);
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
    const { premium, loyalty, claims } = seen(features, t);
    const [, claim, leaves] = np.split(outcome, C, 1); // [B, 1] each
    const [discount, standard, surcharge] = np.split(premium, C, 1); // [B, 1] each
    const moved = weighed([
      [discount, up(loyalty)],
      [standard, loyalty],
      [surcharge, down(loyalty)],
    ]); // [B, C]
    const counted = weighed([
      [claim, up(claims)],
      [np.subtract(1, claim), claims],
    ]); // [B, C]
    const price = np.broadcastTo(oneHot(competitorLevel((t + 1) / 2)), outcome.shape); // [B, C]
    const stayed = np.concatenate([path, moved, counted, price], 1); // [B, F]
    // Who has left sees no other month.
    return np.where(np.less(0.5, leaves), written, stayed); // [B, F]
  }

  /** A block of features, [B, C]. */
  function at(features: np.Array, block: number): np.Array {
    const last = block === T + TRAITS - 1;
    const [, rest] = block > 0 ? np.split(features, [block * C], 1) : [null, features];
    return last ? rest : np.split(rest, [C], 1)[0]; // [B, C]
  }

  function seen(features: np.Array, t: number) {
    return { premium: at(features, t - 1), loyalty: at(features, T), claims: at(features, T + 1) };
  }
}

/** What a path says of the customer. */
export function customerOf(way: readonly number[]): Customer {
  let customer = NEW_CUSTOMER;
  for (let t = 0; t + 1 < way.length; t += 2) customer = customerAfter(customer, way[t], way[t + 1]);
  return customer;
}

/** Sum of arrays [B, C] or [1, C], each times its weight [B, 1]. */
function weighed(parts: readonly (readonly [np.Array, np.Array])[]): np.Array {
  return parts.map(([weight, array]) => np.multiply(weight, array)).reduce((a, b) => np.add(a, b)); // [B, C]
}

/** The level above, and the highest for the highest: one-hot [B, C]. */
function up(level: np.Array): np.Array {
  return np.matmul(level, np.array(Float32Array.of(0, 1, 0, 0, 0, 1, 0, 0, 1)).reshape([C, C])); // [B, C]
}

/** The level below, and the lowest for the lowest: one-hot [B, C]. */
function down(level: np.Array): np.Array {
  return np.matmul(level, np.array(Float32Array.of(1, 0, 0, 1, 0, 0, 0, 1, 0)).reshape([C, C])); // [B, C]
}

function oneHot(level: number): np.Array {
  return np.array(Float32Array.from({ length: C }, (_, i) => +(i === level))).reshape([1, C]); // [1, C]
}
