// Distinguishes refusals (an error class of this library with a clear message) from faults of the program.

import { RunError } from "../../src/disk/run-error.ts";
import { EngineError, InputError, ModelFileError, NonFiniteError } from "../../src/engine/errors.ts";
import { issueText, UserError } from "../../src/issues.ts";

const REFUSALS = [UserError, RunError, ModelFileError, NonFiniteError, EngineError, RangeError];

/** Messages of RangeErrors that the JavaScript runtime throws. */
const RUNTIME_RANGE_ERROR =
  /^Invalid (typed |)array length|^Invalid (string length|array buffer|code point|time value|count value|offset)|call stack|allocation failed|out of bounds|out of range|maximum size|must be between|should be a multiple/;

const MAX_LINE_LENGTH = 500;

/** The kind of input that caused an error, which determines the error classes that count as refusals. */
export interface ErrorSource {
  /** Whether the input is a checkpoint. The engine may refuse the arrays of a checkpoint with an InputError. */
  readonly checkpoint?: boolean;
}

/** The reason why an error is not a valid refusal of the input. Undefined if it is a valid refusal. */
export function errorProblem(error: unknown, { checkpoint: state }: ErrorSource = {}): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  const allowed = [...REFUSALS, ...(state ? [InputError] : [])];
  const text = `${error.name}: ${error.message}`;
  if (!allowed.some((type) => error instanceof type)) return `unexpected ${text} ${stackLine(error)}`;
  if (error instanceof RangeError && RUNTIME_RANGE_ERROR.test(error.message))
    return `unexpected ${text} ${stackLine(error)}`;
  const fault = messageProblem(
    error.message,
    error instanceof UserError ? error.issues.map((issue) => issueText(issue)) : undefined,
  );
  return fault && `${fault} in ${JSON.stringify(text.slice(0, 1000))}`;
}

/**
 * The fault of an error message, which must be one clear line, or one line for each of several problems. Undefined if
 * the message has no fault.
 */
export function messageProblem(message: string, problems?: readonly string[]): string | undefined {
  const lines = message.split("\n");
  const maxLines = problems && problems.length > 1 ? 1 + problems.length : 1;
  if (message.trim() === "" || problems?.length === 0) return "empty message";
  if (lines.length > maxLines) return "several lines";
  if (problems?.some((problem) => problem.trim() === "")) return "empty line";
  if (lines.some((line) => line.length > MAX_LINE_LENGTH)) return "line too long";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for control characters
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(message)) return "control characters";
  const leak = /\bundefined\b|\[object |\bat \S+:\d+:\d+|node:internal|file:\/\/|\.[tj]s:\d+/.exec(
    message,
  )?.[0];
  return leak && `${JSON.stringify(leak)}`;
}

/** Describes the first number that is NaN or infinite, with its path. Undefined if all are finite. */
export function findNonFinite(value: unknown, path = ""): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float32Array;
    const at = numbers.findIndex((number) => !Number.isFinite(number));
    return at < 0 ? undefined : `${path}[${at}] is ${numbers[at]}`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = findNonFinite(each, path === "" ? name : `${path}.${name}`);
    if (found) return found;
  }
  return undefined;
}

/** The first line of the stack trace that refers to a file of this project. */
function stackLine({ stack = "" }: Error): string {
  const line = stack.split("\n").find((each) => /[/\\](src|bench)[/\\]/.test(each));
  return line ? `(${line.replace(/^.*[/\\](src|bench)[/\\]/, "$1/").replace(/\)$/, "")})` : "";
}
