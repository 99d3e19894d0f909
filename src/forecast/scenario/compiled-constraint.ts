// A condition compiled to array functions on token paths: the probability that a path meets it, and features of the state
// of each clause at every step.
//
// A clause bounds a margin, the quantity minus the bound, from above or below by 0. The quantity is a total over steps,
// a minimum or a maximum. Margins are divided by the standard deviation of the quantity, so that they are comparable. A
// token stands for a range of values, so a path of tokens meets a clause with a probability. This probability is exact
// for minima and maxima, and a normal approximation for totals. Sampled values are checked exactly in the end.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import { mean, variance } from "../../math/statistics.ts";
import type { NamedArrays } from "../flow/problem.ts";
import { type Clause, type Condition, quantityOf } from "./condition.ts";
import type { PathContext } from "./path-distribution.ts";

export interface CompileConstraintOptions {
  readonly condition: Condition;
  /** K */
  readonly tokens: number;
  /** n = H·M: steps of a path. */
  readonly steps: number;
  /** M: number of targets. */
  readonly targets: number;
  /** Index of the target that the condition applies to. */
  readonly target: number;
}

export interface CompiledConstraint {
  /** Specs of the arrays that the constraint adds to a context. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** Computes these arrays from the values of tokens and from sampled paths of the target, [H] each. */
  inputsOf(
    context: Pick<PathContext, "tokenMeans" | "tokenDeviations" | "shareBelow">,
    paths: readonly Float64Array[],
  ): Record<string, TypedArray>;
  /** F: number of features. */
  readonly featureCount: number;
  /**
   * Log-probability that paths meet the condition, one-hot [B, n, K] to [B]. It is bounded below by −SLOPE per unit of the
   * violated margin, so that training has a gradient toward the condition from far away.
   */
  logProbability(tokens: np.Array, inputs: NamedArrays): np.Array;
  /** Features before step t, after the first t tokens of the path, one-hot [B, K] each: [B, F]. */
  featuresAtStep(t: number, path: readonly np.Array[], inputs: NamedArrays): np.Array;
  /** Features before every step of complete paths, one-hot [B, n, K]: [B, n, F]. */
  featuresAtAllSteps(tokens: np.Array, inputs: NamedArrays): np.Array;
}

/** Features are clamped to [−MAX_MARGIN, MAX_MARGIN]. */
const MAX_MARGIN = 4;
/** Nats per unit of a violated margin. */
const SLOPE = 20;
/** Added to the violation, so that near the bound the probability exceeds the soft bound and is used instead. */
const VIOLATION_OFFSET = 0.1;
/** Smallest log-probability of a token. */
const LOG_MIN = -200;
/** The logistic function with this slope approximates the normal distribution function. */
const LOGISTIC_SLOPE = 1.702;

/** How a clause aggregates the margins of its steps. A crossing uses both maximum and minimum. */
type Aggregate = "total" | "max" | "min";

export function compileConstraint({
  condition,
  tokens: K,
  steps: n,
  targets: M,
  target: j,
}: CompileConstraintOptions): CompiledConstraint {
  const { clauses } = condition;
  const C = clauses.length;
  const H = n / M;
  const features = clauses.flatMap((clause, c) =>
    aggregatesOf(clause).map((aggregate) => ({ c, aggregate })),
  );

  /** The entries of a table [B, C, H, K] at tokens of the target, one-hot [B, h, K]: [B, C, h]. */
  const lookUp = (table: np.Array, tokens: np.Array) => {
    const [B, h] = tokens.shape;
    return np.sum(np.multiply(table.slice([], [], [0, h]), tokens.reshape([B, 1, h, K])), 3); // [B, C, h]
  };
  const targetTokens = (tokens: np.Array) => {
    const [B] = tokens.shape;
    return M === 1 ? tokens : tokens.reshape([B, H, M, K]).slice([], [], j); // [B, H, K]
  };
  const clamp = (x: np.Array) => np.minimum(np.maximum(x, -MAX_MARGIN), MAX_MARGIN); // [...]

  return {
    inputs: {
      margins: spec([C, H, K]), // margin of the mean of each token
      below: spec([C, H, K]), // log share of its values below the bound; for totals their variance
      above: spec([C, H, K]), // log share of its values above the bound
      ahead: spec([C, n]), // expected total of the margins from each step on
    },
    inputsOf({ tokenMeans, tokenDeviations, shareBelow }, paths) {
      const [margins, below, above] = [0, 0, 0].map(() => new Float32Array(C * H * K));
      const ahead = new Float32Array(C * n);
      const expected = Float64Array.from({ length: H }, (_, h) => mean(paths.map((path) => path[h])));
      clauses.forEach((clause, c) => {
        const { bound } = clause;
        const unit =
          Math.sqrt(variance(paths.map((path) => quantityOf(clause, path)))) ||
          Math.sqrt(variance(tokenMeans)) ||
          1;
        const isTotal = aggregatesOf(clause)[0] === "total";
        const weights = Float64Array.from({ length: H }, (_, h) => stepWeight(clause, h, H));
        // The bound of a total is divided among its steps, so that their margins sum to quantity minus bound.
        const stepBound = isTotal ? bound / weights.reduce((sum, weight) => sum + weight, 0) : bound;
        const margin = (h: number, value: number) => (weights[h] * (value - stepBound)) / unit;
        for (let h = 0; h < H; h++) {
          for (let k = 0; k < K; k++) {
            const [to, from] = [(c * H + h) * K + k, (h * M + j) * K + k];
            margins[to] = margin(h, tokenMeans[from]);
            const share = shareBelow(h * M + j, k, bound);
            below[to] = isTotal ? ((weights[h] * tokenDeviations[from]) / unit) ** 2 : logOf(share);
            above[to] = isTotal ? 0 : logOf(1 - share);
          }
        }
        for (let t = 0; t < n; t++) {
          for (let h = timesBefore(t); h < H; h++) ahead[c * n + t] += margin(h, expected[h]);
        }
      });
      return { margins, below, above, ahead };
    },
    featureCount: features.length,
    logProbability(tokens, inputs) {
      const ofTarget = targetTokens(tokens); // [B, H, K]
      const [margins, below, above] = [inputs.margins, inputs.below, inputs.above].map((table) =>
        lookUp(table, ofTarget),
      ); // [B, C, H] each
      const all = clauses.map((clause, c) => {
        const [margin, logBelow, logAbove] = [margins, below, above].map((table) => table.slice([], c)); // [B, H] each
        const violation = np.add(violationOf(clause, margin), VIOLATION_OFFSET); // [B]
        const softBound = np.multiply(violation, -SLOPE); // [B]
        return np.maximum(clauseLogProbability(clause, margin, logBelow, logAbove), softBound); // [B]
      });
      return all.reduce((sum, log) => np.add(sum, log)); // [B]
    },
    featuresAtStep(t, path, inputs) {
      const [B] = inputs.ahead.shape;
      const ofTarget = path.filter((_, step) => step % M === j); // h × [B, K]
      const margins = ofTarget.length > 0 ? lookUp(inputs.margins, np.stack(ofTarget, 1)) : null; // [B, C, h]
      const values = features.map(({ c, aggregate }) => {
        const clause = margins?.slice([], c); // [B, h]
        if (aggregate === "max") return clause ? np.max(clause, 1) : np.full([B], -MAX_MARGIN); // [B]
        if (aggregate === "min") return clause ? np.min(clause, 1) : np.full([B], MAX_MARGIN); // [B]
        const rest = inputs.ahead.slice([], c, t); // [B]
        return clause ? np.add(np.sum(clause, 1), rest) : rest; // [B]
      });
      return clamp(np.stack(values, 1)); // [B, F]
    },
    featuresAtAllSteps(tokens, inputs) {
      const [B] = tokens.shape;
      const margins = lookUp(inputs.margins, targetTokens(tokens)); // [B, C, H]
      const flags = Float32Array.from({ length: n * H }, (_, i) => +(i % H < timesBefore(Math.floor(i / H))));
      const isPast = np.array(flags, { shape: [n, H] }); // [n, H]
      const values = features.map(({ c, aggregate }) => {
        const clause = margins.slice([], c); // [B, H]
        if (aggregate === "total") {
          return np.add(np.matmul(clause, np.transpose(isPast)), inputs.ahead.slice([], c)); // [B, n]
        }
        const wide = np.broadcastTo(clamp(clause).reshape([B, 1, H]), [B, n, H]); // [B, n, H]
        const mask = np.less(0.5, isPast); // [n, H]
        return aggregate === "max"
          ? np.max(np.where(mask, wide, -MAX_MARGIN), 2) // [B, n]
          : np.min(np.where(mask, wide, MAX_MARGIN), 2); // [B, n]
      });
      return clamp(np.stack(values, 2)); // [B, n, F]
    },
  };

  /** How many times of the target lie before step t. */
  function timesBefore(t: number): number {
    return Math.max(0, Math.min(H, Math.ceil((t - j) / M)));
  }
}

function aggregatesOf({ quantity }: Clause): readonly Aggregate[] {
  if (quantity === "crosses") return ["max", "min"];
  if (quantity === "max") return ["max"];
  return quantity === "min" ? ["min"] : ["total"];
}

/** The weight of step h, counted from 0, in the total of a clause. */
function stepWeight(clause: Clause, h: number, H: number): number {
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

/** By how much margins [B, H] violate a clause, [B]; 0 if they meet it. */
function violationOf(clause: Clause, margins: np.Array): np.Array {
  const positive = (x: np.Array) => np.maximum(x, 0); // [B]
  if (clause.quantity === "crosses") {
    return np.add(positive(np.negative(np.max(margins, 1))), positive(np.min(margins, 1))); // [B]
  }
  const [aggregate] = aggregatesOf(clause);
  const value =
    aggregate === "total"
      ? np.sum(margins, 1)
      : aggregate === "max"
        ? np.max(margins, 1)
        : np.min(margins, 1); // [B]
  return positive(clause.operator.startsWith("<") ? value : np.negative(value)); // [B]
}

/** Log-probability that the tokens of a path meet a clause, [B], from their table entries, [B, H] each. */
function clauseLogProbability(clause: Clause, margins: np.Array, below: np.Array, above: np.Array): np.Array {
  const [allBelow, allAbove] = [np.sum(below, 1), np.sum(above, 1)]; // [B] each
  /** log(1 − Σ eˡᵒᵍ) */
  const logNot = (...logs: np.Array[]) => {
    const others = logs.map((log) => np.exp(log)).reduce((sum, probability) => np.add(sum, probability)); // [B]
    return np.log(np.maximum(np.subtract(1, others), 1e-30)); // [B]
  };
  if (clause.quantity === "crosses") return logNot(allBelow, allAbove); // [B]
  const isBelow = clause.operator.startsWith("<");
  switch (aggregatesOf(clause)[0]) {
    case "max":
      return isBelow ? allBelow : logNot(allBelow); // [B]
    case "min":
      return isBelow ? logNot(allAbove) : allAbove; // [B]
    default: {
      const z = np.divide(np.sum(margins, 1), np.sqrt(np.add(allBelow, 1e-6))); // [B]
      const x = np.multiply(z, isBelow ? LOGISTIC_SLOPE : -LOGISTIC_SLOPE); // [B]
      // −log(1 + eˣ) in a form that cannot overflow.
      const size = np.maximum(x, np.negative(x)); // [B]
      return np.negative(np.add(np.maximum(x, 0), np.log(np.add(1, np.exp(np.negative(size)))))); // [B]
    }
  }
}

function logOf(share: number): number {
  return Math.max(LOG_MIN, Math.log(share));
}
