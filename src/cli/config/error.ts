// What is wrong with a config, all of it at once.

import { UsageError } from "../fail.ts";

/** Where a config comes from that was typed: a single problem of it says by itself where it is. */
export const COMMAND_LINE = "the command line";

/** A config cannot be used. `problems` has one line for each reason, and begins with the key it is about. */
export class ConfigError extends UsageError {
  override readonly name: string = "ConfigError";
  /** Where the config comes from: a file, the command line. */
  readonly where: string;
  readonly problems: readonly string[];

  constructor(where: string, reasons: readonly string[], options?: ErrorOptions) {
    const problems = reasons.map(printable);
    const list = problems.map((problem) => `\n  ${problem}`).join("");
    const single = where === COMMAND_LINE ? problems[0] : `${where}: ${problems[0]}`;
    super(problems.length === 1 ? single : `${where} has ${problems.length} problems:${list}`);
    if (options?.cause !== undefined) this.cause = options.cause;
    this.where = where;
    this.problems = problems;
  }
}

/** A value as an error shows it: short, whatever it is. */
export function show(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // It holds itself, or a bigint.
  }
  const shown = text ?? (typeof value === "object" ? "an object" : String(value));
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}

/** A name as an error shows it: short, whatever it is. */
export function showName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 57)}...` : name;
}

/** Without what would move the cursor, or worse: files may hold anything. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
