import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { ExpressionError, parseExpression } from "./expression.ts";

const value = (text: string) => parseExpression(text, []).evaluate([]);

describe("a formula has the value of", () => {
  test.each([
    ["numbers", "1", 1],
    ["decimals and exponents", ".5 + 1.25e1 + 2. + 1E-2", 15.01],
    ["products before sums", "2 + 3 * 4 - 6 / 4", 12.5],
    ["sums and products from the left", "10 - 3 - 2 + 16 / 4 / 2", 7],
    ["powers from the right", "2 ^ 3 ^ 2", 512],
    ["a power before its sign", "-2 ^ 2", -4],
    ["a sign in a power", "2 ^ -1 * -3", -1.5],
    ["repeated signs", "--2 - -+3", 5],
    ["parentheses", "(2 + 3) * (4 - (6 / 2))", 5],
    ["constants", "cos(pi) + log(e)", 0],
    ["comparisons", "(1 < 2) + 10 * (2 <= 2) + 100 * (1 > 2) + 1000 * (2 >= 3)", 11],
    ["equality", "(1 == 1) + 10 * (1 != 1)", 1],
    ["sums before comparisons", "1 + 1 == 2", 1],
    ["and before or", "1 or 0 and 0", 1],
    ["not before and, after comparisons", "not 1 == 2 and not 0", 1],
    ["and and or of any numbers", "(5 and -2) + 10 * (0 or 0) + 100 * (0 or .1)", 101],
    ["if", "if(1 > 0, 3, 4) + 10 * if(0, 1, 2)", 23],
    ["functions of one value", "abs(-2) + ceil(1.2) + floor(-1.2) + round(2.5) + sign(-7) + sqrt(16)", 8],
    ["exponential functions", "exp(0) + tanh(0) + sin(0) + tan(0)", 1],
    ["the least and the largest of any count", "min(3, 1, 2) + 10 * max(4) + 100 * max(1, 5, 2, 4)", 541],
    ["pow and mod", "pow(2, 5) + 100 * mod(-1, 8) + 1000 * mod(9, 4)", 1732],
  ])("%s", (_, text, expected) => {
    expect(value(text)).toBeCloseTo(expected, 12);
  });

  test("its variables, in their order", () => {
    const formula = parseExpression("x1 - 10 * x2_b", ["x1", "x2_b"]);
    expect(formula.evaluate([7, 2])).toBe(-13);
    expect(formula.evaluate(Float64Array.of(1, 0))).toBe(1);
    expect(formula).toMatchObject({ text: "x1 - 10 * x2_b", variables: ["x1", "x2_b"] });
    expect(() => formula.evaluate([1])).toThrow("there must be 2 values, one for each variable, got 1");
  });
});

describe("a formula without a finite value", () => {
  test.each([
    ["1 / 0", Number.POSITIVE_INFINITY],
    ["log(0)", Number.NEGATIVE_INFINITY],
    ["0 / 0", Number.NaN],
    ["sqrt(-1)", Number.NaN],
    ["exp(1000)", Number.POSITIVE_INFINITY],
    ["1e400", Number.POSITIVE_INFINITY],
  ])("%s is %d", (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  test.each([
    "0/0 < 1",
    "0/0 == 0/0",
    "not 0/0",
    "0/0 and 1",
    "1 and 0/0",
    "0/0 or 1",
    "if(0/0, 1, 2)",
    "max(1, 0/0)",
  ])("stays NaN in %s", (text) => {
    expect(value(text)).toBeNaN();
  });

  test("may be guarded by a condition, because only what a condition chooses is evaluated", () => {
    expect(value("if(1, 2, 0/0) + (0 and 0/0) + (1 or 0/0)")).toBe(3);
  });
});

describe("a mistake is one sentence with its position and what is allowed:", () => {
  test.each([
    ["", 1, "a formula must not be empty; use x1, x2, pi or e"],
    ["1 + foo", 5, 'unknown name "foo" at character 5; use x1, x2, pi or e'],
    [
      "sqr(x1)",
      1,
      'unknown function "sqr" at character 1; use one of if, abs, ceil, cos, exp, floor, log, max, min, mod, pow, round, sign, sin, sqrt, tan, tanh',
    ],
    ["x1(2)", 1, 'unknown function "x1" at character 1'],
    ["constructor", 1, 'unknown name "constructor" at character 1'],
    ["toString(1)", 1, 'unknown function "toString" at character 1'],
    ["sin + 1", 1, 'the function "sin" at character 1 needs its arguments in parentheses, as in sin(a)'],
    ["if(1, 2)", 1, 'the function "if" at character 1 takes 3 arguments, as in if(a, b, c), got 2'],
    ["2 + abs()", 5, 'the function "abs" at character 5 takes 1 argument, as in abs(a), got 0'],
    ["max()", 1, 'the function "max" at character 1 takes at least 1 argument, as in max(a, b), got 0'],
    ["1 +", 4, "a number, a name or ( is expected at character 4, got the end"],
    ["1 + and 2", 5, 'a number, a name or ( is expected at character 5, got "and"'],
    ["(1 + 2", 7, "an operator or ) is expected at character 7, got the end"],
    ["max(1, 2", 9, "an operator, a comma or ) is expected at character 9, got the end"],
    ["1)", 2, 'an operator or the end is expected at character 2, got ")"'],
    ["2 x1", 3, 'an operator or the end is expected at character 3, got "x1"; write * for a product'],
    ["2e", 2, 'an operator or the end is expected at character 2, got "e"; write * for a product'],
    ["0,5", 2, 'an operator or the end is expected at character 2, got ","; write decimals with a point'],
    ["x1 ** 2", 5, 'unexpected "**" at character 4; write "^" for a power'],
    ["0 < x1 < 1", 8, 'a second comparison at character 8; join comparisons by "and", as in 0 < a and a < 1'],
    ["x1 && x2", 4, 'unexpected "&&" at character 4; write "and"'],
    ["x1 = 1", 4, 'unexpected "=" at character 4; write "==" to compare'],
    ["x1 − 1", 4, 'unexpected "−" at character 4; write "-"'],
    [
      "x1; x2",
      3,
      'unexpected ";" at character 3; use numbers, names, parentheses and the operators + - * / ^ < <= > >= == != and or not',
    ],
    ["x1 + 😀", 6, 'unexpected "😀" at character 6; use numbers'],
    ["`x1`", 1, 'unexpected "`" at character 1; use numbers'],
  ])("%j", (text, position, message) => {
    const error = mistakeIn(text, ["x1", "x2"]);
    expect(error.message).toContain(`reward: ${message}`);
    expect(error.issues).toHaveLength(1);
    expect(error.issues[0]).toMatchObject({ path: "reward", code: "syntax" });
    expect(error.position).toBe(position);
  });

  test("many variables are shown by the first and the last", () => {
    const names = Array.from({ length: 24 }, (_, i) => `x${i + 1}`);
    expect(mistakeIn("y", names).message).toBe(
      'reward: unknown name "y" at character 1; use x1, x2, x3, x4, …, x24, pi or e',
    );
  });
});

describe("a formula has limits:", () => {
  test("500 characters", () => {
    expect(value(`1${"+1".repeat(249)}+`.slice(0, 499))).toBe(250);
    expect(value("1".padEnd(500))).toBe(1);
    expect(mistakeIn("1".padEnd(501)).message).toContain(
      "a formula must have at most 500 characters, got 501",
    );
    expect(mistakeIn(`${"(".repeat(1000)}1${")".repeat(1000)}`).message).toContain("got 2001");
  });

  test.each([
    ["parentheses", (n: number) => `${"(".repeat(n)}1${")".repeat(n)}`],
    ["calls", (n: number) => `${"abs(".repeat(n)}1${")".repeat(n)}`],
    ["signs", (n: number) => `${"-".repeat(n)}1`],
    ["not", (n: number) => `${"not ".repeat(n)}1`],
    ["powers", (n: number) => `1${"^1".repeat(n)}`],
  ])("%s nested 50 deep", (_, nested) => {
    expect(value(nested(50))).toBe(1);
    expect(mistakeIn(nested(51)).message).toContain(
      "a formula must be nested at most 50 deep, got more at character",
    );
  });
});

test("a variable needs a valid name of its own", () => {
  for (const names of [["1x"], ["e"], ["sin"], ["and"], ["a", "a"], [""]]) {
    expect(() => parseExpression("1", names)).toThrow("parseExpression: a variable must have a name");
  }
});

function mistakeIn(text: string, variables: readonly string[] = []): ExpressionError {
  try {
    parseExpression(text, variables, "reward");
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError);
    expect(error).toBeInstanceOf(UserError);
    return error as ExpressionError;
  }
  throw new Error(`"${text}" was parsed`);
}
