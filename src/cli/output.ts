// Standard output, which may fail at any time: its reader closes it, as `head` does, or the disk is full.

import { once } from "node:events";
import { formatEvent } from "../run/event-lines.ts";
import { reportError } from "./report-error.ts";

type Listener = (error: NodeJS.ErrnoException) => void;

let lost = false;
let listener: Listener = (error) => process.exit(isClosed(error) ? 0 : reportError(error));

/** Installs the error handlers; call it once. By default the process ends when its output fails. */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (lost) return; // every further write fails as well
    lost = true;
    listener(error);
  });
  // If stderr fails, an error message cannot be shown anywhere.
  process.stderr.on("error", () => {});
}

/** Replaces the default action, for a command that must save its state first. */
export function onLostOutput(action: Listener): void {
  listener = action;
}

/** Whether the reader has closed the output, which is not a failure. */
export function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "EIO"; // EIO: a terminal that was closed
}

/** Writes to standard output, and waits while its buffer is full. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text) && !lost) await once(process.stdout, "drain");
}

/** Prints one line of JSON. Numbers that are not finite become the strings "NaN", "Infinity" and "-Infinity". */
export function printJson(value: object): void {
  process.stdout.write(formatEvent(value));
}
