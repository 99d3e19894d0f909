// What the verbs of `gflownet forecast` do alike: they can be stopped, and say what is wrong with what they were given.

import { TableError } from "../../../forecast/data/index.ts";
import { UsageError } from "../../fail.ts";
import { Stop } from "../../stop.ts";
import { inDataFlags } from "./data-flags.ts";

/** How much a command prints. */
export interface Printing {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs a command until it is done or stopped. Mistakes in its files and flags become what the user is to change. */
export async function working(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new Stop();
  try {
    await stop.whileListening(() => work(stop.signal));
  } catch (error) {
    if (!stop.reason) throw asUsageError(error);
    process.exitCode = stop.reason.exitCode;
    const why = stop.reason.failure ?? "stopped";
    if (!stop.reason.closed) process.stderr.write(`gflownet: ${why}; nothing was written\n`);
  }
}

/** For people, unless they want none of it. */
export function say({ json, quiet }: Printing, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}

/** Remarks beside the results, which change nothing; of very many the first. */
export function remark({ quiet }: Printing, notes: readonly string[]): void {
  if (quiet) return;
  for (const note of notes.slice(0, MOST_REMARKS)) process.stderr.write(`gflownet: ${note}\n`);
  const more = notes.length - MOST_REMARKS;
  if (more > 0)
    process.stderr.write(`gflownet: and ${more} more remark${more === 1 ? "" : "s"} of this kind\n`);
}

const MOST_REMARKS = 10;

function asUsageError(error: unknown): unknown {
  if (error instanceof TableError) return new UsageError(inDataFlags(error.message), { cause: error });
  // Our own sentences begin with what they are about; those of the language do not.
  const own = error instanceof RangeError && OWN_SENTENCE.test(error.message);
  return own ? new UsageError(error.message.replace(OWN_NAME, ""), { cause: error }) : error;
}

/** What a value must be and what it was, or why no path meets a condition. */
const OWN_SENTENCE = /^[\w-]+: .*, got |^scenario: |^condition ".*": /s;
/** Nobody has typed these. */
const OWN_NAME = /^(forecast|backtest|verify|scenario|infill): /;
