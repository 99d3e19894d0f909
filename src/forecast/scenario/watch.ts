// A condition as array functions on token paths: how far a path misses it, and how it stands at every step.
//
// Every clause is a margin that must not be above 0, or below it: a total over steps, or the least or the most of them.
// Margins are in units of how much the quantity varies, so missing by one means the same for all clauses. A token
// stands for one number here, whatever the spread of its bin; drawn numbers are checked exactly at the end.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { Arrays } from "../flow/problem.ts";
import { type Clause, type Condition, quantityOf } from "./condition.ts";

export interface WatchOptions {
  readonly condition: Condition;
  /** K */
  readonly tokens: number;
  /** Steps of a path, n = H·M. */
  readonly steps: number;
  /** M, and which of them the condition is about. */
  readonly targets: number;
  readonly target: number;
}

export interface Watch {
  /** Arrays of one context: `margins` [C, H, K] and `ahead` [C, n]. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** The arrays, from what each token stands for, [n, K], and paths of the target as the law draws them. */
  arrays(values: Float64Array, drawn: readonly Float64Array[]): Record<string, TypedArray>;
  /** Numbers that tell how the condition stands, F. */
  readonly features: number;
  /** How far whole paths miss the condition, 0 if they meet it; one-hot [B, n, K] to [B]. */
  miss(tokens: np.Array, inputs: Arrays): np.Array;
  /** How it stands before step t, after the path's first t tokens: [B, F]. */
  at(t: number, path: readonly np.Array[], inputs: Arrays): np.Array;
  /** The same before every step of whole paths: [B, n, F]. */
  all(tokens: np.Array, inputs: Arrays): np.Array;
}

/** Margins beyond this are all alike to the network. */
const FAR = 4;

/** What of the margins counts: their total, the most, the least, or for crossing both ends. */
type Part = "total" | "most" | "least";

export function watch({ condition, tokens: K, steps: n, targets: M, target: j }: WatchOptions): Watch {
  const { clauses } = condition;
  const C = clauses.length;
  const H = n / M;
  const parts = clauses.flatMap((clause, c) => partsOf(clause).map((part) => ({ c, part })));

  /** Margins of the target's tokens, [B, C, h]; tokens one-hot [B, h, K]. */
  const marginsOf = (tokens: np.Array, { margins }: Arrays) => {
    const [B, h] = tokens.shape;
    return np.sum(np.multiply(margins.slice([], [], [0, h]), tokens.reshape([B, 1, h, K])), 3); // [B, C, h]
  };
  const ofTarget = (tokens: np.Array) => {
    const [B] = tokens.shape;
    return M === 1 ? tokens : tokens.reshape([B, H, M, K]).slice([], [], j); // [B, H, K]
  };
  const tamed = (x: np.Array) => np.minimum(np.maximum(x, -FAR), FAR); // [...]

  return {
    inputs: { margins: spec([C, H, K]), ahead: spec([C, n]) },
    arrays(values, drawn) {
      const margins = new Float32Array(C * H * K);
      const ahead = new Float32Array(C * n);
      const expected = Float64Array.from({ length: H }, (_, h) => meanOf(drawn.map((path) => path[h])));
      clauses.forEach((clause, c) => {
        const unit = deviation(drawn.map((path) => quantityOf(clause, path))) || deviation(values) || 1;
        const share = Float64Array.from({ length: H }, (_, h) => shareOf(clause, h, H));
        // A total is split over its steps, so that they sum to quantity less bound.
        const shares = share.reduce((sum, weight) => sum + weight, 0);
        const margin = (h: number, value: number) =>
          partsOf(clause)[0] === "total"
            ? (share[h] * (value - clause.bound / shares)) / unit
            : (value - clause.bound) / unit;
        for (let h = 0; h < H; h++) {
          for (let k = 0; k < K; k++) margins[(c * H + h) * K + k] = margin(h, values[(h * M + j) * K + k]);
        }
        for (let t = 0; t < n; t++) {
          for (let h = seenBefore(t); h < H; h++) ahead[c * n + t] += margin(h, expected[h]);
        }
      });
      return { margins, ahead };
    },
    features: parts.length,
    miss(tokens, inputs) {
      const margins = marginsOf(ofTarget(tokens), inputs); // [B, C, H]
      const misses = clauses.map((clause, c) => missOf(clause, margins.slice([], c))); // C × [B]
      return misses.reduce((sum, miss) => np.add(sum, miss)); // [B]
    },
    at(t, path, inputs) {
      const [B] = inputs.ahead.shape;
      const own = path.filter((_, step) => step % M === j); // h × [B, K]
      const margins = own.length > 0 ? marginsOf(np.stack(own, 1), inputs) : null; // [B, C, h]
      const seen = parts.map(({ c, part }) => {
        const clause = margins?.slice([], c); // [B, h]
        if (part === "most") return clause ? np.max(clause, 1) : np.full([B], -FAR); // [B]
        if (part === "least") return clause ? np.min(clause, 1) : np.full([B], FAR); // [B]
        const rest = inputs.ahead.slice([], c, t); // [B]
        return clause ? np.add(np.sum(clause, 1), rest) : rest; // [B]
      });
      return tamed(np.stack(seen, 1)); // [B, F]
    },
    all(tokens, inputs) {
      const [B] = tokens.shape;
      const margins = marginsOf(ofTarget(tokens), inputs); // [B, C, H]
      const flags = Float32Array.from({ length: n * H }, (_, i) => +(i % H < seenBefore(Math.floor(i / H))));
      const seen = np.array(flags, { shape: [n, H] }); // [n, H]
      const all = parts.map(({ c, part }) => {
        const clause = margins.slice([], c); // [B, H]
        if (part === "total") {
          return np.add(np.matmul(clause, np.transpose(seen)), inputs.ahead.slice([], c)); // [B, n]
        }
        const wide = np.broadcastTo(tamed(clause).reshape([B, 1, H]), [B, n, H]); // [B, n, H]
        const known = np.less(0.5, seen); // [n, H]
        return part === "most"
          ? np.max(np.where(known, wide, -FAR), 2) // [B, n]
          : np.min(np.where(known, wide, FAR), 2); // [B, n]
      });
      return tamed(np.stack(all, 2)); // [B, n, F]
    },
  };

  /** Times of the target that stand before step t. */
  function seenBefore(t: number): number {
    return Math.max(0, Math.min(H, Math.ceil((t - j) / M)));
  }
}

function partsOf({ quantity }: Clause): readonly Part[] {
  if (quantity === "crosses") return ["most", "least"];
  if (quantity === "max") return ["most"];
  return quantity === "min" ? ["least"] : ["total"];
}

/** How much of step h, counted from 0, a total has. */
function shareOf(clause: Clause, h: number, H: number): number {
  switch (clause.quantity) {
    case "mean":
      return 1 / H;
    case "first":
      return +(h === 0);
    case "last":
      return +(h === H - 1);
    case "value":
      return +(h === clause.step! - 1);
    default:
      return 1;
  }
}

/** By how much margins [B, H] miss a clause, [B]. */
function missOf(clause: Clause, margins: np.Array): np.Array {
  const above = (x: np.Array) => np.maximum(x, 0); // [B]
  if (clause.quantity === "crosses") {
    return np.add(above(np.negative(np.max(margins, 1))), above(np.min(margins, 1))); // [B]
  }
  const [part] = partsOf(clause);
  const value =
    part === "total" ? np.sum(margins, 1) : part === "most" ? np.max(margins, 1) : np.min(margins, 1); // [B]
  return above(clause.operator.startsWith("<") ? value : np.negative(value)); // [B]
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

function deviation(numbers: ArrayLike<number>): number {
  const all = Array.from(numbers);
  const mean = meanOf(all);
  return Math.sqrt(meanOf(all.map((x) => (x - mean) ** 2)));
}
