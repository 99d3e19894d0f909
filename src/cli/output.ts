// Standard output, which may be lost before everything is said: its reader ends, as `head` does, or its disk is full.

import { once } from "node:events";
import { writeLine } from "../run/metrics-lines.ts";
import { report } from "./fail.ts";

type Listener = (error: NodeJS.ErrnoException) => void;

let lost = false;
let listener: Listener = (error) => process.exit(isClosed(error) ? 0 : report(error));

/** To be called once: from then on, a command ends when its output is lost. */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (lost) return; // every further write fails too
    lost = true;
    listener(error);
  });
  // There is nobody left to be told.
  process.stderr.on("error", () => {});
}

/** Calls this instead, for a command that has more to do than to print. */
export function onLostOutput(action: Listener): void {
  listener = action;
}

/** Whether nobody reads any more, which is no failure. */
export function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "EIO"; // EIO: a terminal that was closed
}

/** Writes, and waits if the reader is slow. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text) && !lost) await once(process.stdout, "drain");
}

/** One line of JSON; numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity". */
export function printJson(value: object): void {
  process.stdout.write(writeLine(value));
}
