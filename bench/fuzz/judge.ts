// Which errors are refusals, said in a way that a user understands, and which are faults of the program.

import { ConfigError } from "../../src/cli/config/error.ts";
import { UsageError } from "../../src/cli/fail.ts";
import { EngineError, InputError, ModelFileError, NonFiniteError } from "../../src/engine/errors.ts";
import { RunError } from "../../src/run/run-error.ts";
import { BindingTableError } from "../../src/tasks/tfbind8/binding-table.ts";

const OURS = [
  UsageError,
  RunError,
  ModelFileError,
  BindingTableError,
  NonFiniteError,
  EngineError,
  RangeError,
];

/** RangeErrors that the language throws, and nobody meant. */
const NATIVE =
  /^Invalid (typed |)array length|^Invalid (string length|array buffer|code point|time value|count value|offset)|call stack|allocation failed|out of bounds|out of range|maximum size|must be between|should be a multiple/;

const LONGEST_LINE = 500;

/** Where an error comes from decides which ones are refusals. */
export interface Source {
  /** Numbers out of a file that the engine itself refuses. */
  readonly state?: boolean;
}

/** What is wrong with an error as a refusal; undefined if nothing is. */
export function faultOf(error: unknown, { state }: Source = {}): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  const allowed = [...OURS, ...(state ? [InputError] : [])];
  const named = `${error.name}: ${error.message}`;
  if (!allowed.some((type) => error instanceof type)) return `unexpected ${named} ${placeOf(error)}`;
  if (error instanceof RangeError && NATIVE.test(error.message))
    return `unexpected ${named} ${placeOf(error)}`;
  const fault = faultOfMessage(error.message, error instanceof ConfigError ? error.problems : undefined);
  return fault && `${fault} in ${JSON.stringify(named.slice(0, 1000))}`;
}

/** One clean sentence, or several problems with one each. */
export function faultOfMessage(message: string, problems?: readonly string[]): string | undefined {
  const lines = message.split("\n");
  const most = problems && problems.length > 1 ? 1 + problems.length : 1;
  if (message.trim() === "" || problems?.length === 0) return "nothing is said";
  if (lines.length > most) return "several lines";
  if (problems?.some((problem) => problem.trim() === "")) return "an empty line";
  if (lines.some((line) => line.length > LONGEST_LINE)) return "too long a line";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(message)) return "control characters";
  const leak = /\bundefined\b|\[object |\bat \S+:\d+:\d+|node:internal|file:\/\/|\.[tj]s:\d+/.exec(
    message,
  )?.[0];
  return leak && `${JSON.stringify(leak)}`;
}

/** Path of the first number that is none, or too large to be one; undefined if all are finite. */
export function nonFinite(value: unknown, path = ""): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float32Array;
    const at = numbers.findIndex((number) => !Number.isFinite(number));
    return at < 0 ? undefined : `${path}[${at}] is ${numbers[at]}`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = nonFinite(each, path === "" ? name : `${path}.${name}`);
    if (found) return found;
  }
  return undefined;
}

/** The first line of a stack that is in the project. */
function placeOf({ stack = "" }: Error): string {
  const line = stack.split("\n").find((each) => /[/\\](src|bench)[/\\]/.test(each));
  return line ? `(${line.replace(/^.*[/\\](src|bench)[/\\]/, "$1/").replace(/\)$/, "")})` : "";
}
