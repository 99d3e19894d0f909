// Splits a formula into numbers, names and signs, each with its position.

import { shorten } from "../issues.ts";
import { ExpressionError } from "./expression-error.ts";

export interface Token {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
  /** The first character, counted from 1. */
  readonly position: number;
}

// A number ends before a name: "2e" is the number 2 and the name e, which the parser refuses with a better message.
const TOKEN =
  /\s+|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign><=|>=|==|!=|[-+*/^(),<>])/y;

/** What users of other languages write, and what it is here. */
const INSTEAD: readonly (readonly [string, string])[] = [
  ["&&", '"and"'],
  ["||", '"or"'],
  ["&", '"and"'],
  ["|", '"or"'],
  ["!", '"not"'],
  ["=", '"==" to compare'],
  ["%", "mod(a, b)"],
  ["[", "parentheses ( )"],
  ["{", "parentheses ( )"],
  ["×", '"*"'],
  ["·", '"*"'],
  ["÷", '"/"'],
  ["−", '"-"'],
  ["≤", '"<="'],
  ["≥", '">="'],
  ["≠", '"!="'],
  ["π", "pi"],
];

export function tokensOf(text: string, path: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) throw unexpected(text, at, path);
    const { number, name, sign } = match.groups!;
    const kind = number !== undefined ? "number" : name !== undefined ? "name" : "sign";
    if (number ?? name ?? sign) tokens.push({ kind, text: match[0], position: at + 1 });
    at += match[0].length;
  }
  return [...tokens, { kind: "end", text: "", position: text.length + 1 }];
}

function unexpected(text: string, at: number, path: string): ExpressionError {
  const rest = text.slice(at);
  const known = INSTEAD.find(([sign]) => rest.startsWith(sign));
  const sign = known?.[0] ?? String.fromCodePoint(rest.codePointAt(0)!);
  const remedy = known
    ? `write ${known[1]}`
    : "use numbers, names, parentheses and the operators + - * / ^ < <= > >= == != and or not";
  return new ExpressionError(
    `unexpected ${shorten(JSON.stringify(sign))} at character ${at + 1}; ${remedy}`,
    at + 1,
    path,
  );
}
