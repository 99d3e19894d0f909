// Reports an error of the command line: one sentence on stderr, and an exit code that the class of the error decides.

import { RunNameError } from "../disk/run-error.ts";
import {
  fileProblem,
  isFileProblem,
  messageOf,
  type NameOf,
  type Remediable,
  type Remedy,
  UserError,
} from "../issues.ts";
import { commandLine } from "./command-name.ts";
import { flagOf } from "./config-flags.ts";
import { shellPath } from "./paths.ts";

export const EXIT_CODES = {
  /** The command was valid, but failed. */
  failed: 1,
  /** The user must change a flag, a config or a name. */
  usage: 2,
} as const;

/** Codes of file-system errors for paths that the user gave. (Errors for the files of a run are RunErrors.) */
const NAME_ERRORS = ["ENOENT", "EISDIR", "ENOTDIR", "IS_DEVICE", "IS_PIPE", "IS_SOCKET"];

const WRITE_ERRORS = ["ENOSPC", "EDQUOT", "EFBIG", "EROFS"];

/** Prints the error with the flags of the command, and returns the exit code. `GFLOWNET_DEBUG=1` adds the stack. */
export function reportError(error: unknown, nameOf?: NameOf): number {
  const message =
    error instanceof Error ? `${explain(error, nameOf)}${remedyText(error as Remediable)}` : String(error);
  process.stderr.write(`gflownet: ${message}\n`);
  if (process.env.GFLOWNET_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  const isUserError =
    error instanceof UserError ||
    error instanceof RunNameError ||
    NAME_ERRORS.includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
  return isUserError ? EXIT_CODES.usage : EXIT_CODES.failed;
}

/** The command that follows the message of an error with a remedy. */
function remedyText({ remedy }: Remediable): string {
  return remedy ? `: ${remedyCommand(remedy)}` : "";
}

function remedyCommand(remedy: Remedy): string {
  switch (remedy.action) {
    case "train":
      return commandLine("train");
    case "resume":
      return commandLine("train", "--resume", shellPath(remedy.folder));
    case "fit":
      return commandLine("forecast", "fit", "FILE");
    default:
      return remedy satisfies never;
  }
}

/** Translates file-system and memory errors into sentences. Errors of this project already are sentences. */
export function explain(error: Error, nameOf: NameOf = flagOf): string {
  if (error instanceof UserError) return explainUserError(error, nameOf);
  if (isFileProblem(error)) return explainFileProblem(error);
  if (isOutOfMemory(error)) return "there is too little memory for this; use a smaller network or batch.";
  return error.message.split("\n")[0];
}

/** A sentence whose subject is the file: "FILE does not exist.", or "FILE cannot be written: the disk is full." */
function explainFileProblem(error: NodeJS.ErrnoException & { readonly dest?: string }): string {
  const { code = "", path, dest } = error;
  const file = dest ?? path ?? "the output";
  const problem = fileProblem(error);
  const verb = WRITE_ERRORS.includes(code) ? "written" : "accessed";
  return problem.startsWith("it is") || problem.startsWith("it does")
    ? `${file}${problem.slice("it".length)}.`
    : `${file} cannot be ${verb}: ${problem}.`;
}

/** Options of the command line are shown as flags, those of a file by their keys. */
function explainUserError({ issues, source }: UserError, nameOf: NameOf): string {
  if (source !== undefined) return messageOf(issues, source);
  return messageOf(issues, issues.length > 1 ? "the command line" : undefined, nameOf);
}

/** JavaScript engines and ONNX Runtime report a failed allocation by text only. */
function isOutOfMemory({ message }: Error): boolean {
  return /Array buffer allocation failed|Invalid typed array length|bad.?alloc|Failed to allocate|memory32|Memory\.grow|out of memory/i.test(
    message,
  );
}
