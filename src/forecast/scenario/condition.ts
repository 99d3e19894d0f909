// Conditions on the values of a path, written as text: "sum <= 1000 and max < 90", "value[3] >= 5", "crosses 0".
//
// A condition consists of clauses joined by `and`. Steps are counted from 1 up to the horizon.

import { type Issue, UserError } from "../../issues.ts";
import { sum } from "../../math/statistics.ts";

const QUANTITIES = ["sum", "mean", "min", "max", "last", "first", "value"] as const;
export const OPERATORS = ["<=", ">=", "<", ">"] as const;

export type Quantity = (typeof QUANTITIES)[number];
export type Operator = (typeof OPERATORS)[number];

/** One inequality of a condition. */
export type Clause =
  | {
      readonly quantity: Quantity;
      /** Only for `value`. */
      readonly step?: number;
      readonly operator: Operator;
      readonly bound: number;
    }
  /** Two consecutive steps lie on different sides of the bound. A value equal to the bound counts as above it. */
  | { readonly quantity: "crosses"; readonly bound: number };

/** A condition on paths: all its clauses must hold. */
export interface Condition {
  readonly text: string;
  readonly clauses: readonly Clause[];
}

/**
 * Parses a condition on paths. Throws a UserError for the option `path` that names the position of a syntax error and
 * what is expected there.
 *
 * @example
 * ```ts
 * import { scenarios } from "gflownet/forecast";
 *
 * const condition = scenarios.parseCondition("sum <= 10 and min > 0");
 * console.log(scenarios.meetsCondition(condition, [1, 2, 3]), scenarios.meetsCondition(condition, [0, 2, 3])); // true false
 * ```
 */
export function parseCondition(text: string, path = "condition"): Condition {
  const words = [...text.matchAll(WORD)].map((match) => ({ word: match[0], at: match.index + 1 }));
  let next = 0;
  const fail = (expected: string): never => {
    const found = words[next];
    const position = found?.at ?? text.length + 1;
    const got = found ? `"${found.word}"` : "the end";
    const message = `condition "${text}": ${expected} is expected at character ${position}, got ${got}`;
    throw new UserError([{ path, code: "syntax", message }]);
  };
  const take = <T extends string>(allowed: readonly T[], expected: string): T => {
    const word = words[next]?.word.toLowerCase() as T;
    if (!allowed.includes(word)) fail(expected);
    next++;
    return word;
  };
  const number = (): number => {
    const value = NUMBER.test(words[next]?.word ?? "") ? Number(words[next].word) : Number.NaN;
    if (!Number.isFinite(value)) fail("a number");
    next++;
    return value;
  };
  const step = (): number => {
    take(["["], "[ with a step, as in value[3],");
    const value = Number(words[next]?.word);
    if (!Number.isInteger(value) || value < 1) fail("a step, counted from 1,");
    next++;
    take(["]"], "]");
    return value;
  };
  const clauses: Clause[] = [];
  do {
    const quantity = take(
      [...QUANTITIES, "crosses"] as const,
      `one of ${[...QUANTITIES, "crosses"].join(", ")}`,
    );
    if (quantity === "crosses") {
      clauses.push({ quantity, bound: number() });
      continue;
    }
    const place = quantity === "value" ? { step: step() } : {};
    const operator = take(OPERATORS, `one of ${OPERATORS.join(", ")}`);
    clauses.push({ quantity, ...place, operator, bound: number() });
  } while (next < words.length && take(["and"], "and"));
  return { text, clauses };
}

const WORD = /<=|>=|[<>[\]]|[^\s<>=[\]]+|=/g;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The conjunction of two conditions. */
export function joinConditions(one: Condition | null, other: Condition): Condition {
  if (!one) return other;
  return { text: `${one.text} and ${other.text}`, clauses: [...one.clauses, ...other.clauses] };
}

/** Clauses that refer to steps beyond the horizon. */
export function conditionIssues({ text, clauses }: Condition, horizon: number, path = "condition"): Issue[] {
  return clauses.flatMap((clause): Issue[] => {
    if (clause.quantity === "value" && clause.step! > horizon) {
      const message = `condition "${text}": a step must be at most ${horizon}, the horizon, got ${clause.step}`;
      return [{ path, code: "range", message }];
    }
    if (clause.quantity === "crosses" && horizon < 2) {
      const message = `condition "${text}": a crossing needs at least two steps, got a horizon of ${horizon}`;
      return [{ path, code: "range", message }];
    }
    return [];
  });
}

/** Whether a path of values meets the condition. */
export function meetsCondition({ clauses }: Condition, values: ArrayLike<number>): boolean {
  return clauses.every((clause) => {
    if (clause.quantity === "crosses") {
      const { min, max } = extremes(values);
      return min < clause.bound && max >= clause.bound;
    }
    const value = quantityOf(clause, values);
    switch (clause.operator) {
      case "<=":
        return value <= clause.bound;
      case ">=":
        return value >= clause.bound;
      case "<":
        return value < clause.bound;
      case ">":
        return value > clause.bound;
      default:
        return clause.operator satisfies never;
    }
  });
}

/** The quantity that a clause compares with its bound; for `crosses` the centre between minimum and maximum. */
export function quantityOf(clause: Clause, values: ArrayLike<number>): number {
  const n = values.length;
  switch (clause.quantity) {
    case "sum":
      return sum(values);
    case "mean":
      return sum(values) / n;
    case "min":
      return extremes(values).min;
    case "max":
      return extremes(values).max;
    case "first":
      return values[0];
    case "last":
      return values[n - 1];
    case "value":
      return values[clause.step! - 1];
    case "crosses": {
      const { min, max } = extremes(values);
      return (min + max) / 2;
    }
    default:
      return clause satisfies never;
  }
}

function extremes(values: ArrayLike<number>): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    min = Math.min(min, values[i]);
    max = Math.max(max, values[i]);
  }
  return { min, max };
}
