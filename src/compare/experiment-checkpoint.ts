// The checkpoint of an experiment: everything that another process needs to continue it bit-identically, as bytes.

import type { DiscoveryTracker } from "../baselines/discovery-tracker.ts";
import { arrayOf, decodeState, encodeState } from "../formats/saved-state.ts";
import type { MethodRun } from "./method-run.ts";
import type { RunningMeans } from "./running-means.ts";

/** How far an experiment is. */
export interface Position {
  iteration: number;
  /** Number of the next record. */
  nextRecord: number;
  /** Seconds that it has run so far. */
  seconds: number;
  callsToHalf: number | null;
  callsToAll: number | null;
  /** Seconds at which the steps began and should end, for a budget of seconds. */
  clock: { start: number; deadline: number };
}

/** The parts of an experiment that have a state. */
export interface ExperimentParts {
  readonly run: MethodRun;
  readonly tracker: DiscoveryTracker;
  readonly means: RunningMeans;
}

const KIND = "experiment";

export async function saveExperiment(
  position: Position,
  { run, tracker, means }: ExperimentParts,
): Promise<Uint8Array> {
  const { seen, topTerminals, topScores, window, calls, sampled } = tracker.save();
  const arrays = {
    method: await run.save(),
    seen,
    topTerminals: Int32Array.from(topTerminals),
    topScores: Float64Array.from(topScores),
    // The rest of the window is empty.
    window: window.subarray(0, Math.min(sampled, window.length)),
    means: means.save(),
  };
  return encodeState(KIND, { arrays, data: { position, calls, sampled } });
}

/** Restores the parts and returns the position. Throws if the checkpoint is damaged or does not fit. */
export function restoreExperiment(bytes: Uint8Array, { run, tracker, means }: ExperimentParts): Position {
  const where = "the checkpoint of the experiment";
  const state = decodeState(KIND, bytes, where);
  const { position, calls, sampled } = state.data as {
    readonly position: Position;
    readonly calls: number;
    readonly sampled: number;
  };
  const { window } = tracker.save();
  window.set(arrayOf(state, "window", Int32Array, where));
  tracker.restore({
    ...{ calls, sampled, window },
    seen: arrayOf(state, "seen", Uint8Array, where),
    topTerminals: [...arrayOf(state, "topTerminals", Int32Array, where)],
    topScores: [...arrayOf(state, "topScores", Float64Array, where)],
  });
  means.restore(arrayOf(state, "means", Float64Array, where));
  run.restore(arrayOf(state, "method", Uint8Array, where));
  return position;
}
