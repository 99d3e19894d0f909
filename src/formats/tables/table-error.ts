// The error of a table or panel that cannot be used: one sentence with the location, the rule and the value found.

import { shorten, UserError } from "../../issues.ts";

export interface TableErrorOptions {
  /** The option that is wrong, such as `timeColumn`. Default: "", the file itself. */
  readonly path?: string;
  /** Identifier of the broken rule. Default: `table`. */
  readonly code?: string;
  /** How to correct the mistake; appended to the message. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** A file of time series has a problem that the user must solve. */
export class TableError extends UserError {
  override readonly name: string = "TableError";
  /** The message without the remedy. */
  readonly problem: string;

  constructor(problem: string, { path = "", code = "table", remedy, cause }: TableErrorOptions = {}) {
    super([{ path, code, message: remedy === undefined ? problem : `${problem}; ${remedy}` }], { cause });
    this.problem = problem;
  }
}

/** A text from a file, for a message: quoted, on one line, at most 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** Quoted names, for a message: the first 12, and how many more there are. */
export function nameList(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names.slice(0, 12).map(quote).join(", ");
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}
