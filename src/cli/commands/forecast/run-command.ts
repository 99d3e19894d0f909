// The common part of all `gflownet forecast` commands: they can be interrupted, and print notes.

import { UserError } from "../../../issues.ts";
import { Stop } from "../../stop.ts";

/** Options that control the output of a command: JSON lines, or errors only. */
export interface PrintOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Largest number of notes that are printed. */
const MAX_NOTES = 10;

/** Runs a command until it ends or is interrupted. */
export async function runCommand(command: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new Stop();
  try {
    await stop.whileListening(() => command(stop.signal));
  } catch (error) {
    if (!stop.reason) throw error;
    process.exitCode = stop.reason.exitCode;
    const reason = stop.reason.failure ?? "stopped";
    if (!stop.reason.closed) process.stderr.write(`gflownet: ${reason}; nothing was written\n`);
  }
}

/** Prints text on stdout, except with --json or --quiet. */
export function print({ json, quiet }: PrintOptions, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}

/** Prints notes about the results on stderr. */
export function printNotes({ quiet }: PrintOptions, notes: readonly string[]): void {
  if (quiet) return;
  for (const note of notes.slice(0, MAX_NOTES)) process.stderr.write(`gflownet: ${note}\n`);
  const more = notes.length - MAX_NOTES;
  if (more > 0) process.stderr.write(`gflownet: and ${more} more note${more === 1 ? "" : "s"}\n`);
}

/** A UserError about one option, for rules that only the command line has. */
export function flagError(option: string, message: string): UserError {
  return new UserError([{ path: option, code: "conflict", message }]);
}
