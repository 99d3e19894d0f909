// The constants, functions and operators that a formula may use.
//
// A value that is not a number (NaN) stays one: comparisons and conditions of NaN are NaN, so that no formula hides a
// division of zero by zero.

type Operation = (...values: number[]) => number;

export const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

/** A function with the number of its arguments; min and max take any number from 1 on. */
export interface NamedFunction {
  readonly arity: number | "any";
  readonly of: Operation;
}

export const FUNCTIONS: Readonly<Record<string, NamedFunction>> = {
  abs: { arity: 1, of: Math.abs },
  ceil: { arity: 1, of: Math.ceil },
  cos: { arity: 1, of: Math.cos },
  exp: { arity: 1, of: Math.exp },
  floor: { arity: 1, of: Math.floor },
  log: { arity: 1, of: Math.log },
  max: { arity: "any", of: Math.max },
  min: { arity: "any", of: Math.min },
  // The result has the sign of the divisor, so that mod(x, n) lies in [0, n) for negative x, too.
  mod: { arity: 2, of: (a, b) => a - b * Math.floor(a / b) },
  pow: { arity: 2, of: Math.pow },
  round: { arity: 1, of: Math.round },
  sign: { arity: 1, of: Math.sign },
  sin: { arity: 1, of: Math.sin },
  sqrt: { arity: 1, of: Math.sqrt },
  tan: { arity: 1, of: Math.tan },
  tanh: { arity: 1, of: Math.tanh },
};

/** Operators between two values, by their binding strength: those of a later level bind more closely. */
export const COMPARISONS: Readonly<Record<string, Operation>> = {
  "<": comparison((a, b) => a < b),
  "<=": comparison((a, b) => a <= b),
  ">": comparison((a, b) => a > b),
  ">=": comparison((a, b) => a >= b),
  "==": comparison((a, b) => a === b),
  "!=": comparison((a, b) => a !== b),
};
export const SUMS: Readonly<Record<string, Operation>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
};
export const PRODUCTS: Readonly<Record<string, Operation>> = {
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

export const negative: Operation = (a) => -a;
export const not: Operation = (a) => (Number.isNaN(a) ? Number.NaN : Number(a === 0));

/** 1 if the comparison holds, 0 if not, and NaN if a side is NaN. */
function comparison(holds: (a: number, b: number) => boolean): Operation {
  return (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Number(holds(a, b)));
}
