// Expressions: formulas that users write, such as "exp(-4 * x1) + (x2 > .5)", parsed and evaluated as numbers.
//
// This is the only grammar of formulas in the project. Text is never run as code: a parser turns it into a tree, and the
// tree into nested functions. `docs/expressions.md` describes the grammar.

import { CONSTANTS, FUNCTIONS } from "./functions.ts";
import { type FormulaNode, parseTree } from "./parser.ts";

export { ExpressionError, MOST_CHARACTERS, MOST_NESTED } from "./expression-error.ts";

/** A parsed formula of some variables. */
export interface Expression {
  readonly text: string;
  /** The names that the formula may use, in the order in which `evaluate` takes their values. */
  readonly variables: readonly string[];
  /**
   * The value for these values of the variables. Nothing is thrown for a formula without a finite value: 1/0 is Infinity
   * and 0/0 is NaN, as for numbers of JavaScript, so the caller checks the result.
   */
  evaluate(values: ArrayLike<number>): number;
}

/**
 * Parses a formula of these variables. Throws an `ExpressionError`, a UserError for the option `path` whose message is
 * one sentence with the position of the mistake and what is allowed there.
 *
 * @example
 * ```ts
 * const formula = parseExpression("x1^2 + max(x2, .5)", ["x1", "x2"]);
 * formula.evaluate([3, 0]); // 9.5
 * ```
 */
export function parseExpression(text: string, variables: readonly string[], path = ""): Expression {
  checkVariables(variables);
  const evaluate = evaluatorOf(parseTree(text, variables, path));
  return {
    text,
    variables,
    evaluate(values) {
      if (values.length === variables.length) return evaluate(values);
      throw new RangeError(
        `expression "${text}": there must be ${variables.length} values, one for each variable, got ${values.length}`,
      );
    },
  };
}

/** Names of variables come from programs, so a wrong one is a mistake in a program and not of a user. */
function checkVariables(variables: readonly string[]): void {
  const taken = (name: string, i: number) =>
    !/^[A-Za-z_]\w*$/.test(name) || RESERVED.has(name) || variables.indexOf(name) !== i;
  const wrong = variables.find(taken);
  if (wrong === undefined) return;
  throw new RangeError(
    `parseExpression: a variable must have a name of its own that no function or constant has, got ${JSON.stringify(wrong)}`,
  );
}

const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(CONSTANTS),
  ...Object.keys(FUNCTIONS),
  "if",
  "and",
  "or",
  "not",
]);

type Evaluator = (values: ArrayLike<number>) => number;

/** The function that a tree stands for. Conditions decide which branches are evaluated; see `docs/expressions.md`. */
function evaluatorOf(tree: FormulaNode): Evaluator {
  switch (tree.kind) {
    case "number": {
      const { value } = tree;
      return () => value;
    }
    case "variable": {
      const { index } = tree;
      return (values) => values[index];
    }
    case "if": {
      const [condition, yes, no] = tree.arguments.map(evaluatorOf);
      return (values) => {
        const holds = condition(values);
        if (Number.isNaN(holds)) return Number.NaN;
        return holds === 0 ? no(values) : yes(values);
      };
    }
    case "and":
    case "or": {
      const [left, right] = tree.arguments.map(evaluatorOf);
      const decided = tree.kind === "or";
      return (values) => {
        const first = left(values);
        if (Number.isNaN(first)) return Number.NaN;
        if ((first !== 0) === decided) return Number(decided);
        const second = right(values);
        return Number.isNaN(second) ? Number.NaN : Number(second !== 0);
      };
    }
    case "call": {
      const { of } = tree;
      const parts = tree.arguments.map(evaluatorOf);
      const [first, second] = parts;
      if (parts.length === 1) return (values) => of(first(values));
      if (parts.length === 2) return (values) => of(first(values), second(values));
      return (values) => of(...parts.map((part) => part(values)));
    }
  }
}
