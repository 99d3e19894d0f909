// A recursive-descent parser of formulas: text to a tree.
//
// From loose to close binding: or; and; not; comparisons, which do not chain; + and -; * and /; a sign; ^, whose right
// side may have a sign and groups from the right. So -2^2 is -4, and 2^3^2 is 2^9.

import { shorten } from "../issues.ts";
import { ExpressionError, MOST_CHARACTERS, MOST_NESTED } from "./expression-error.ts";
import { COMPARISONS, CONSTANTS, FUNCTIONS, negative, not, PRODUCTS, SUMS } from "./functions.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** A node of the tree of a formula. */
export type FormulaNode =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "variable"; readonly index: number }
  /** Of these the values decide which arguments are evaluated. */
  | { readonly kind: "if" | "and" | "or"; readonly arguments: readonly FormulaNode[] }
  | {
      readonly kind: "call";
      readonly of: (...values: number[]) => number;
      readonly arguments: readonly FormulaNode[];
    };

export function parseTree(text: string, variables: readonly string[], path: string): FormulaNode {
  if (text.length > MOST_CHARACTERS) {
    const message = `a formula must have at most ${MOST_CHARACTERS} characters, got ${text.length}`;
    throw new ExpressionError(message, MOST_CHARACTERS + 1, path);
  }
  const parser = new Parser(tokensOf(text, path), variables, path);
  return parser.whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #variables: readonly string[];
  readonly #path: string;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], variables: readonly string[], path: string) {
    this.#tokens = tokens;
    this.#variables = variables;
    this.#path = path;
  }

  whole(): FormulaNode {
    const first = this.#token;
    if (first.kind === "end") throw this.#error(`a formula must not be empty; use ${this.#names()}`);
    const tree = this.#or();
    if (this.#token.kind !== "end") throw this.#error(this.#afterValue("an operator or the end"));
    return tree;
  }

  get #token(): Token {
    return this.#tokens[this.#next];
  }

  #or(): FormulaNode {
    return this.#logical("or", () => this.#logical("and", () => this.#not()));
  }

  #logical(word: "and" | "or", operand: () => FormulaNode): FormulaNode {
    let tree = operand();
    while (this.#take("name", word)) tree = { kind: word, arguments: [tree, operand()] };
    return tree;
  }

  #not(): FormulaNode {
    if (!this.#take("name", "not")) return this.#comparison();
    return this.#deeper(() => ({ kind: "call", of: not, arguments: [this.#not()] }));
  }

  #comparison(): FormulaNode {
    const left = this.#sum();
    const of = this.#operator(COMPARISONS);
    if (!of) return left;
    const tree: FormulaNode = { kind: "call", of, arguments: [left, this.#sum()] };
    if (Object.hasOwn(COMPARISONS, this.#token.text)) {
      throw this.#error(
        `a second comparison at character ${this.#token.position}; join comparisons by "and", as in 0 < a and a < 1`,
      );
    }
    return tree;
  }

  #sum(): FormulaNode {
    return this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#signed()));
  }

  #chain(operators: Readonly<Record<string, Operation>>, operand: () => FormulaNode): FormulaNode {
    let tree = operand();
    for (let of = this.#operator(operators); of; of = this.#operator(operators)) {
      tree = { kind: "call", of, arguments: [tree, operand()] };
    }
    return tree;
  }

  #signed(): FormulaNode {
    if (this.#take("sign", "-")) {
      return this.#deeper(() => ({ kind: "call", of: negative, arguments: [this.#signed()] }));
    }
    if (this.#take("sign", "+")) return this.#deeper(() => this.#signed());
    const base = this.#value();
    if (!this.#take("sign", "^")) return base;
    return this.#deeper(() => ({ kind: "call", of: Math.pow, arguments: [base, this.#signed()] }));
  }

  #value(): FormulaNode {
    const { kind, text } = this.#token;
    if (kind === "number") {
      this.#next++;
      return { kind: "number", value: Number(text) };
    }
    if (kind === "name") return this.#named();
    if (this.#take("sign", "(")) {
      const tree = this.#deeper(() => this.#or());
      this.#expect(")", "an operator or )");
      return tree;
    }
    if (kind === "sign" && text === "*" && this.#tokens[this.#next - 1]?.text === "*") {
      throw this.#error(`unexpected "**" at character ${this.#token.position - 1}; write "^" for a power`);
    }
    throw this.#error(this.#expected("a number, a name or ("));
  }

  #named(): FormulaNode {
    const name = this.#token;
    const isCall = this.#tokens[this.#next + 1].text === "(";
    const index = this.#variables.indexOf(name.text);
    const isFunction = name.text === "if" || Object.hasOwn(FUNCTIONS, name.text);
    if (isCall) {
      if (!isFunction) throw this.#error(this.#unknown("function"));
      return this.#call(name);
    }
    if (isFunction) {
      throw this.#error(
        `the function "${name.text}" at character ${name.position} needs its arguments in parentheses, as in ${exampleOf(name.text)}`,
      );
    }
    if (index < 0 && !Object.hasOwn(CONSTANTS, name.text)) {
      const isOperator = ["and", "or", "not"].includes(name.text);
      throw this.#error(isOperator ? this.#expected("a number, a name or (") : this.#unknown("name"));
    }
    this.#next++;
    return index < 0 ? { kind: "number", value: CONSTANTS[name.text] } : { kind: "variable", index };
  }

  #call(name: Token): FormulaNode {
    this.#next += 2;
    const list: FormulaNode[] = [];
    if (!this.#take("sign", ")")) {
      do list.push(this.#deeper(() => this.#or()));
      while (this.#take("sign", ","));
      this.#expect(")", "an operator, a comma or )");
    }
    const { arity, of } = name.text === "if" ? { arity: 3, of: undefined } : FUNCTIONS[name.text];
    if (arity === "any" ? list.length === 0 : list.length !== arity) {
      const count = arity === "any" ? "at least 1 argument" : `${arity} argument${arity === 1 ? "" : "s"}`;
      const message = `the function "${name.text}" at character ${name.position} takes ${count}, as in ${exampleOf(name.text)}, got ${list.length}`;
      throw new ExpressionError(message, name.position, this.#path);
    }
    return of ? { kind: "call", of, arguments: list } : { kind: "if", arguments: list };
  }

  #take(kind: Token["kind"], text: string): boolean {
    const found = this.#token.kind === kind && this.#token.text === text;
    if (found) this.#next++;
    return found;
  }

  #operator(operators: Readonly<Record<string, Operation>>): Operation | undefined {
    const { kind, text } = this.#token;
    if (kind !== "sign" || !Object.hasOwn(operators, text)) return undefined;
    this.#next++;
    return operators[text];
  }

  #expect(text: string, expected: string): void {
    if (!this.#take("sign", text)) throw this.#error(this.#afterValue(expected));
  }

  #deeper<T>(parse: () => T): T {
    if (this.#depth === MOST_NESTED) {
      throw this.#error(
        `a formula must be nested at most ${MOST_NESTED} deep, got more at character ${this.#token.position}`,
      );
    }
    this.#depth++;
    const result = parse();
    this.#depth--;
    return result;
  }

  /** What is wrong with the token after a value. */
  #afterValue(expected: string): string {
    const { kind, text } = this.#token;
    if (kind === "number" || kind === "name" || text === "(") {
      return `${this.#expected(expected)}; write * for a product`;
    }
    return text === ","
      ? `${this.#expected(expected)}; write decimals with a point`
      : this.#expected(expected);
  }

  #expected(what: string): string {
    const { kind, text, position } = this.#token;
    const got = kind === "end" ? "the end" : `"${shorten(text)}"`;
    return `${what} is expected at character ${position}, got ${got}`;
  }

  #unknown(what: "function" | "name"): string {
    const { text, position } = this.#token;
    const names = what === "name" ? this.#names() : `one of ${["if", ...Object.keys(FUNCTIONS)].join(", ")}`;
    return `unknown ${what} "${shorten(text)}" at character ${position}; use ${names}`;
  }

  /** The names of values that a formula may use; of many variables only the first and the last. */
  #names(): string {
    const names = this.#variables;
    const shown = names.length > 8 ? [...names.slice(0, 4), "…", names.at(-1)] : names;
    return [...shown, ...Object.keys(CONSTANTS)].join(", ").replace(/, ([^,]*)$/, " or $1");
  }

  #error(message: string): ExpressionError {
    return new ExpressionError(message, this.#token.position, this.#path);
  }
}

type Operation = (...values: number[]) => number;

function exampleOf(name: string): string {
  const arity = name === "if" ? 3 : FUNCTIONS[name].arity;
  return `${name}(${["a", "b", "c"].slice(0, arity === "any" ? 2 : arity).join(", ")})`;
}
