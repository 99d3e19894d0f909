// A condition as array functions on token paths: how likely a path meets it, and how it stands at every step.
//
// Every clause is a margin that must not be above 0, or below it: a total over steps, or the least or the most of them.
// Margins are in units of how much the quantity varies, so missing by one means the same for all clauses. A token is
// many numbers, so a path of tokens meets a clause with a probability: that of extremes is exact, that of totals about
// right (their numbers are taken as one bell). Drawn numbers are checked exactly at the end.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { Arrays } from "../flow/problem.ts";
import { type Clause, type Condition, quantityOf } from "./condition.ts";
import type { LawContext } from "./law.ts";

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
  /** Arrays of one context. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** From what tokens stand for and paths of the target as the law draws them. */
  arrays(
    context: Pick<LawContext, "values" | "spreads" | "below">,
    drawn: readonly Float64Array[],
  ): Record<string, TypedArray>;
  /** Numbers that tell how the condition stands, F. */
  readonly features: number;
  /**
   * log of the probability that whole paths meet the condition, one-hot [B, n, K] to [B]; but never less than −HARD for
   * each unit by which they miss a clause, which is what leads there from afar.
   */
  logMet(tokens: np.Array, inputs: Arrays): np.Array;
  /** How it stands before step t, after the path's first t tokens: [B, F]. */
  at(t: number, path: readonly np.Array[], inputs: Arrays): np.Array;
  /** The same before every step of whole paths: [B, n, F]. */
  all(tokens: np.Array, inputs: Arrays): np.Array;
}

/** Margins beyond this are all alike to the network. */
const FAR = 4;
/** Nats per unit by which a clause is missed. */
const HARD = 20;
/** Added to what a clause is missed by, so that near the bound the probability decides. */
const NEAR = 0.1;
/** Log probabilities below this are as good as none. */
const NEVER = -200;
/** A logistic curve of this slope is about the normal distribution function. */
const BELL = 1.702;

/** What of the margins counts: their total, the most, the least, or for crossing both ends. */
type Part = "total" | "most" | "least";

export function watch({ condition, tokens: K, steps: n, targets: M, target: j }: WatchOptions): Watch {
  const { clauses } = condition;
  const C = clauses.length;
  const H = n / M;
  const parts = clauses.flatMap((clause, c) => partsOf(clause).map((part) => ({ c, part })));

  /** What a table [B, C, H, K] says of the target's tokens, one-hot [B, h, K]: [B, C, h]. */
  const picked = (table: np.Array, tokens: np.Array) => {
    const [B, h] = tokens.shape;
    return np.sum(np.multiply(table.slice([], [], [0, h]), tokens.reshape([B, 1, h, K])), 3); // [B, C, h]
  };
  const ofTarget = (tokens: np.Array) => {
    const [B] = tokens.shape;
    return M === 1 ? tokens : tokens.reshape([B, H, M, K]).slice([], [], j); // [B, H, K]
  };
  const tamed = (x: np.Array) => np.minimum(np.maximum(x, -FAR), FAR); // [...]

  return {
    inputs: {
      margins: spec([C, H, K]), // of the mean of each token
      below: spec([C, H, K]), // log of the share of its numbers that is below the bound; of totals their variance
      above: spec([C, H, K]), // and that is not
      ahead: spec([C, n]), // what margins of the steps from here on are expected to come to
    },
    arrays({ values, spreads, below: shareBelow }, drawn) {
      const [margins, below, above] = [0, 0, 0].map(() => new Float32Array(C * H * K));
      const ahead = new Float32Array(C * n);
      const expected = Float64Array.from({ length: H }, (_, h) => meanOf(drawn.map((path) => path[h])));
      clauses.forEach((clause, c) => {
        const { bound } = clause;
        const unit = deviation(drawn.map((path) => quantityOf(clause, path))) || deviation(values) || 1;
        const isTotal = partsOf(clause)[0] === "total";
        const share = Float64Array.from({ length: H }, (_, h) => shareOf(clause, h, H));
        // A total is split over its steps, so that they sum to quantity less bound.
        const each = isTotal ? bound / share.reduce((sum, weight) => sum + weight, 0) : bound;
        const margin = (h: number, value: number) => (share[h] * (value - each)) / unit;
        for (let h = 0; h < H; h++) {
          for (let k = 0; k < K; k++) {
            const [at, of] = [(c * H + h) * K + k, (h * M + j) * K + k];
            margins[at] = margin(h, values[of]);
            const less = shareBelow(h * M + j, k, bound);
            below[at] = isTotal ? ((share[h] * spreads[of]) / unit) ** 2 : logOf(less);
            above[at] = isTotal ? 0 : logOf(1 - less);
          }
        }
        for (let t = 0; t < n; t++) {
          for (let h = seenBefore(t); h < H; h++) ahead[c * n + t] += margin(h, expected[h]);
        }
      });
      return { margins, below, above, ahead };
    },
    features: parts.length,
    logMet(tokens, inputs) {
      const own = ofTarget(tokens); // [B, H, K]
      const [margins, below, above] = [inputs.margins, inputs.below, inputs.above].map((table) =>
        picked(table, own),
      ); // [B, C, H] each
      const all = clauses.map((clause, c) => {
        const [margin, less, more] = [margins, below, above].map((table) => table.slice([], c)); // [B, H] each
        const missed = np.add(missOf(clause, margin), NEAR); // [B]
        const soft = np.multiply(missed, -HARD); // [B]
        return np.maximum(logMetOf(clause, margin, less, more), soft); // [B]
      });
      return all.reduce((sum, log) => np.add(sum, log)); // [B]
    },
    at(t, path, inputs) {
      const [B] = inputs.ahead.shape;
      const own = path.filter((_, step) => step % M === j); // h × [B, K]
      const margins = own.length > 0 ? picked(inputs.margins, np.stack(own, 1)) : null; // [B, C, h]
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
      const margins = picked(inputs.margins, ofTarget(tokens)); // [B, C, H]
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

/** log of the probability that tokens of a path meet a clause, [B]; from what is picked for them, [B, H] each. */
function logMetOf(clause: Clause, margins: np.Array, below: np.Array, above: np.Array): np.Array {
  const [allBelow, allAbove] = [np.sum(below, 1), np.sum(above, 1)]; // [B] each
  const logNot = (...logs: np.Array[]) => {
    const others = logs.map((log) => np.exp(log)).reduce((sum, chance) => np.add(sum, chance)); // [B]
    return np.log(np.maximum(np.subtract(1, others), 1e-30)); // [B]
  };
  if (clause.quantity === "crosses") return logNot(allBelow, allAbove); // [B]
  const isBelow = clause.operator.startsWith("<");
  switch (partsOf(clause)[0]) {
    case "most":
      return isBelow ? allBelow : logNot(allBelow); // [B]
    case "least":
      return isBelow ? logNot(allAbove) : allAbove; // [B]
    default: {
      const z = np.divide(np.sum(margins, 1), np.sqrt(np.add(allBelow, 1e-6))); // [B]
      const x = np.multiply(z, isBelow ? BELL : -BELL); // [B]
      // −log(1 + eˣ), written so that nothing overflows.
      const size = np.maximum(x, np.negative(x)); // [B]
      return np.negative(np.add(np.maximum(x, 0), np.log(np.add(1, np.exp(np.negative(size)))))); // [B]
    }
  }
}

function logOf(share: number): number {
  return Math.max(NEVER, Math.log(share));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

function deviation(numbers: ArrayLike<number>): number {
  const all = Array.from(numbers);
  const mean = meanOf(all);
  return Math.sqrt(meanOf(all.map((x) => (x - mean) ** 2)));
}
