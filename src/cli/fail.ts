// How the command line ends when something is wrong: one sentence on stderr and a non-zero exit code.

import { RunNameError } from "../run/run-error.ts";

/** A mistake in what the user typed. Its message may list several, one per line. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** What a command ends with. */
export const EXIT_CODES = {
  /** It was asked for something that can be, and failed. */
  failed: 1,
  /** What was typed or configured must be changed. */
  usage: 2,
} as const;

/** What the disk says of a name that was typed wrong. Errors of a run's own files are RunErrors. */
const NAME_ERRORS = ["ENOENT", "EISDIR", "ENOTDIR"];

/** Says what went wrong, and gives the exit code. `GFLOWNET_DEBUG=1` adds where. */
export function report(error: unknown): number {
  const message = error instanceof Error ? explain(error) : String(error);
  process.stderr.write(`gflownet: ${message}\n`);
  if (process.env.GFLOWNET_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  const typed =
    error instanceof UsageError ||
    error instanceof RunNameError ||
    NAME_ERRORS.includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
  return typed ? EXIT_CODES.usage : EXIT_CODES.failed;
}

/** File-system and memory errors in plain words; our own errors already are. */
export function explain(error: Error): string {
  const { code, path: source, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const path = dest ?? source;
  switch (code) {
    case "ENOENT":
      return `${path} does not exist.`;
    case "EACCES":
    case "EPERM":
      return `${path} cannot be accessed: permission denied.`;
    case "EISDIR":
      return `${path} is a folder, not a file.`;
    case "ENOTDIR":
      return `${path} is not in a folder.`;
    case "ENOSPC":
      return `the disk is full; ${path ?? "the output"} was not written.`;
    case "EROFS":
      return `${path} is on a disk that cannot be written.`;
    default:
      break;
  }
  if (
    /Array buffer allocation failed|Invalid typed array length|bad.?alloc|Failed to allocate|memory32|Memory\.grow|out of memory/i.test(
      error.message,
    )
  ) {
    return "there is too little memory for this; use a smaller network or batch.";
  }
  return error instanceof UsageError ? error.message : error.message.split("\n")[0];
}
