// Errors as data: the problems of an input as a list of issues, which a program can process and a person can read.
//
// The library reports problems by the path of the option (`uniformShare`). The command line shows the same issues with
// the name of the flag (`--uniform-share`). The class of an error decides the exit code, never its wording.

/** One thing that is wrong with an input. */
export interface Issue {
  /** The option that is wrong, such as `batch` or `learningRate`; "" if the issue concerns the whole input. */
  readonly path: string;
  /** A short identifier of the broken rule, such as `range`, `unknown` or `conflict`. */
  readonly code: string;
  /** The rule, the value and a remedy, without the path: "must divide `encoderWidth`, got 3 heads". Names of other
   * options are in backticks, so that the command line can show them as flags. */
  readonly message: string;
}

/** What the user can do about an error. The library names no commands; the command line turns this into one. */
export type Remedy =
  | { readonly action: "train" | "fit" }
  /** Continue the training of the run in this folder. */
  | { readonly action: "resume"; readonly folder: string };

/** An error whose message ends so that a command can follow: "…; train it first". */
export interface Remediable {
  readonly remedy?: Remedy;
}

export interface UserErrorOptions extends Remediable {
  /** The source of the input, such as the path of a file. The message starts with it. */
  readonly source?: string;
  readonly cause?: unknown;
}

/**
 * The user must change an input: a setting, a flag, a file or a name. The command line exits with code 2.
 *
 * @example
 * ```ts
 * import { hypergridTask, UserError } from "gflownet";
 *
 * try {
 *   hypergridTask({ stick: 2, side: 8 });
 * } catch (error) {
 *   if (!(error instanceof UserError)) throw error;
 *   for (const { path, message } of error.issues) console.log(path, message);
 * }
 * ```
 */
export class UserError extends Error implements Remediable {
  override readonly name: string = "UserError";
  /** Everything that is wrong with the input. */
  readonly issues: readonly Issue[];
  /** The source of the input, such as the path of a file. */
  readonly source: string | undefined;
  /** What the user can do, for a front end that turns it into a command. */
  readonly remedy?: Remedy;

  constructor(issues: readonly Issue[] | string, { source, cause, remedy }: UserErrorOptions = {}) {
    const list = typeof issues === "string" ? [{ path: "", code: "invalid", message: issues }] : issues;
    super(messageOf(list, source), cause === undefined ? undefined : { cause });
    this.issues = list;
    this.source = source;
    if (remedy) this.remedy = remedy;
  }
}

/** Throws a UserError if there are issues. */
export function throwIssues(issues: readonly Issue[], options?: UserErrorOptions): void {
  if (issues.length > 0) throw new UserError(issues, options);
}

/**
 * Adds a source to a UserError that has none, if `isFrom` is true for the path of every issue. By default it is true
 * for every option. Returns other errors unchanged.
 */
export function withSource(
  error: unknown,
  source: string,
  isFrom: (path: string) => boolean = (path) => path !== "",
): unknown {
  if (!(error instanceof UserError) || error.source !== undefined) return error;
  if (!error.issues.every(({ path }) => isFrom(path))) return error;
  return new UserError(error.issues, { source, cause: error });
}

/** Translates the path of an option, for example into the name of a flag. */
export type NameOf = (path: string) => string;

/** One line for an issue. */
export function issueText({ path, message }: Issue, nameOf?: NameOf): string {
  const text = nameOf ? translateNames(message, nameOf) : message;
  return printable(path === "" ? text : `${nameOf ? nameOf(path) : path}: ${text}`);
}

/** Replaces the names in backticks. */
export function translateNames(text: string, nameOf: NameOf): string {
  return text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? nameOf(part) : part))
    .join("");
}

/** The message of several issues: one sentence, or a list below the source. */
export function messageOf(issues: readonly Issue[], source?: string, nameOf?: NameOf): string {
  const lines = issues.map((issue) => issueText(issue, nameOf));
  if (lines.length === 1) return source === undefined ? lines[0] : `${source}: ${lines[0]}`;
  return `${source ?? "the input"} has ${lines.length} problems:${lines.map((line) => `\n  ${line}`).join("")}`;
}

/** Description of a problem with a file, by the code of the file-system error. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EFBIG: "it would exceed the file size limit (see ulimit -f)",
  EIO: "the disk reports an error",
  ELOOP: "it is a symbolic link that leads nowhere",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open (see ulimit -n)",
  ENFILE: "too many files are open on this machine",
  // Codes of `src/formats/regular-file.ts`.
  IS_DEVICE: "it is a device; give a regular file",
  IS_PIPE: "it is a pipe; give a regular file",
  IS_SOCKET: "it is a socket; give a regular file",
};

/** Completes "FILE cannot be read: …" for a file-system error. For another error it is the first line of its message. */
export function fileProblem(error: unknown): string {
  const { message } = error as Error;
  return isFileProblem(error) ? FILE_PROBLEMS[codeOf(error)] : message.split("\n")[0];
}

/** Whether an error is a file-system error that `fileProblem` explains. */
export function isFileProblem(error: unknown): boolean {
  return Object.hasOwn(FILE_PROBLEMS, codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code);
}

/** A value as an error message shows it: at most 60 characters. */
export function show(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // JSON.stringify throws if the value contains itself or a bigint.
  }
  const shown = text ?? (typeof value === "object" ? "an object" : String(value));
  return shorten(shown);
}

/** A name from a file or the command line, cut to at most 60 characters. */
export function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 57)}...` : name;
}

const [BEL, ESC, CSI] = ["\u0007", "\u001b", "\u009b"];
/** Sequences by which programs colour their output, move the cursor and name the window. */
const TERMINAL_SEQUENCE = new RegExp(
  `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?|(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
  "gu",
);
/** Most characters of what a program or a service says. */
const LONGEST_LINE = 300;

/** What a program or a service shortLine, as a part of a message: one line without control characters or terminal sequences, cut
 * to at most 300 characters. */
export function shortLine(text: string, most = LONGEST_LINE): string {
  // Cut twice, because texts may be very long, and characters are escaped.
  const line = text
    .slice(0, 20 * most)
    .replaceAll(TERMINAL_SEQUENCE, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const shown = printable(line.toWellFormed());
  return shown.length > most ? `${shown.slice(0, most - 3).toWellFormed()}...` : shown;
}

/** Escapes control characters, and those that change the direction of writing: input files may contain sequences that move
 * the cursor. */
function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
