// Conditions on a whole path, as people write them: "sum <= 1000 and max < 90", "value[3] >= 5", "crosses 0".
//
// A condition is clauses joined by `and`. Steps are counted from 1, as far as the forecast goes.

export const QUANTITIES = ["sum", "mean", "min", "max", "last", "first", "value"] as const;
export const OPERATORS = ["<=", ">=", "<", ">"] as const;

export type Quantity = (typeof QUANTITIES)[number];
export type Operator = (typeof OPERATORS)[number];

export type Clause =
  | {
      readonly quantity: Quantity;
      /** Of `value` only. */
      readonly step?: number;
      readonly operator: Operator;
      readonly bound: number;
    }
  /** Two steps that follow each other lie on different sides of the bound; a value on it counts as above. */
  | { readonly quantity: "crosses"; readonly bound: number };

export interface Condition {
  readonly text: string;
  readonly clauses: readonly Clause[];
}

/** Reads a condition; throws one sentence that says where it is wrong and what was expected there. */
export function parseCondition(text: string): Condition {
  const words = [...text.matchAll(WORD)].map((match) => ({ word: match[0], at: match.index + 1 }));
  let next = 0;
  const fail = (expected: string): never => {
    const found = words[next];
    throw new RangeError(
      `condition "${text}": ${expected} must stand at character ${found?.at ?? text.length + 1}, got ${found ? `"${found.word}"` : "its end"}`,
    );
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

/** Both conditions at once. */
export function bothConditions(one: Condition | null, other: Condition): Condition {
  if (!one) return other;
  return { text: `${one.text} and ${other.text}`, clauses: [...one.clauses, ...other.clauses] };
}

/** Throws one sentence if the condition speaks of steps that paths do not have. */
export function checkSteps({ text, clauses }: Condition, horizon: number): void {
  for (const clause of clauses) {
    if (clause.quantity === "value" && clause.step! > horizon) {
      throw new RangeError(
        `condition "${text}": a step must be at most ${horizon}, the horizon, got ${clause.step}`,
      );
    }
    if (clause.quantity === "crosses" && horizon < 2) {
      throw new RangeError(
        `condition "${text}": a path that crosses must have two steps, got a horizon of ${horizon}`,
      );
    }
  }
}

/** Whether a path of values meets the condition. */
export function holds({ clauses }: Condition, values: ArrayLike<number>): boolean {
  return clauses.every((clause) => {
    if (clause.quantity === "crosses") {
      const { least, most } = extremes(values);
      return least < clause.bound && most >= clause.bound;
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

/** What a clause compares with its bound; of `crosses` the middle between least and most. */
export function quantityOf(clause: Clause, values: ArrayLike<number>): number {
  const n = values.length;
  switch (clause.quantity) {
    case "sum":
      return sumOf(values);
    case "mean":
      return sumOf(values) / n;
    case "min":
      return extremes(values).least;
    case "max":
      return extremes(values).most;
    case "first":
      return values[0];
    case "last":
      return values[n - 1];
    case "value":
      return values[clause.step! - 1];
    case "crosses": {
      const { least, most } = extremes(values);
      return (least + most) / 2;
    }
    default:
      return clause satisfies never;
  }
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}

function extremes(values: ArrayLike<number>): { least: number; most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]);
    most = Math.max(most, values[i]);
  }
  return { least, most };
}
