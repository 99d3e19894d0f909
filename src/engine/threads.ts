// Checks the setting `threads` against the largest number of threads that this machine allows.

import type { Issue } from "../issues.ts";
import { chooseEngine } from "./choose-engine.ts";
import type { EngineName } from "./engine-name.ts";

/**
 * An issue if there are too many threads, else an empty list. The engine `jax` ignores them, and `web` checks them when it
 * compiles. Without `engine`, the engine that `chooseEngine` returns is checked.
 */
export async function threadIssues(threads: number, engine?: EngineName): Promise<Issue[]> {
  if ((engine ?? (await chooseEngine())) !== "native") return [];
  // Imported only when needed, so that browsers can load this module.
  const { MAX_THREADS } = await import("./native.ts");
  if (threads <= MAX_THREADS) return [];
  const message = `must be at most ${MAX_THREADS} on this machine, got ${threads}`;
  return [{ path: "threads", code: "range", message }];
}
