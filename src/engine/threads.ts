// The limit on threads of this machine, as issues of the setting `threads`.

import type { Issue } from "../issues.ts";
import { chooseEngine } from "./choose-engine.ts";
import type { EngineName } from "./engine-name.ts";

/** The issue of too many threads. Only the native engine uses threads. Default of the engine: the one that is chosen. */
export async function threadIssues(threads: number, engine?: EngineName): Promise<Issue[]> {
  if ((engine ?? (await chooseEngine())) !== "native") return [];
  // Imported here, so that browsers can load this module.
  const { MAX_THREADS } = await import("./native.ts");
  if (threads <= MAX_THREADS) return [];
  const message = `must be at most ${MAX_THREADS} on this machine, got ${threads}`;
  return [{ path: "threads", code: "range", message }];
}
