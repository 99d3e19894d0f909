// The error of a formula that cannot be parsed, and the limits of formulas.

import { UserError } from "../issues.ts";

/** Most characters of a formula. */
export const MOST_CHARACTERS = 500;
/** How deep parentheses, calls, signs and powers may be nested. */
export const MOST_NESTED = 50;

/** Thrown for a formula that cannot be parsed. The message is one sentence with the position and what is allowed there. */
export class ExpressionError extends UserError {
  override readonly name: string = "ExpressionError";
  /** The character at which the mistake begins, counted from 1. */
  readonly position: number;

  constructor(message: string, position: number, path: string) {
    super([{ path, code: "syntax", message }]);
    this.position = position;
  }
}
