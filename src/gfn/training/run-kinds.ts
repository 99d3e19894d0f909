// Kinds of the length of a run and of the intervals in it, for `train` and for the keys of a config.
//
// The module imports no networks, because `--help` loads it.

import { number, whole } from "../../settings/kinds.ts";

export const RUN_KINDS = {
  iterations: whole(1, Number.MAX_SAFE_INTEGER),
  seconds: number({ above: 0 }),
  evaluateEvery: whole(0),
  checkpointEvery: whole(0),
} as const;
