// Kinds of the length of a run, of the intervals in it and of what it reports, for `train` and for the keys of a config.
//
// The module imports no networks, because `--help` loads it.

import { boolean, number, whole } from "../../settings/kinds.ts";

/** A year. Longer times are slips of the pen. */
const MOST_SECONDS = 365 * 24 * 60 * 60;

export const RUN_KINDS = {
  iterations: whole(1, Number.MAX_SAFE_INTEGER),
  seconds: number({ above: 0, to: MOST_SECONDS }),
  evaluateEvery: whole(0),
  checkpointEvery: whole(0),
  residuals: boolean(),
} as const;
