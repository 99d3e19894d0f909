// The named random streams of training, which a snapshot saves and restores together.

import { type RandomState, RandomStream } from "../../engine/index.ts";
import { OFF_POLICY_STREAMS } from "../sampling/off-policy-data.ts";

export const STREAM_NAMES = ["rollout", ...OFF_POLICY_STREAMS] as const;
export type TrainingStreams = Record<(typeof STREAM_NAMES)[number], RandomStream>;
export type SavedStreams = Readonly<Record<string, RandomState>>;

export function createStreams(seed: number): TrainingStreams {
  const root = RandomStream.fromSeed(seed);
  // The name of a stream determines its random numbers. This old name stays, so that runs remain reproducible.
  const offPolicy = root.split("lessons");
  return {
    rollout: root.split("rollout"),
    uniform: offPolicy.split("uniform"),
    offline: offPolicy.split("offline"),
    replay: offPolicy.split("replay"),
    dynamics: offPolicy.split("dynamics"),
  };
}

export function saveStreams(streams: TrainingStreams): SavedStreams {
  return Object.fromEntries(STREAM_NAMES.map((name) => [name, streams[name].save()]));
}

/** Replaces the streams in the record itself, so that all code with a reference to the record uses the restored ones. */
export function restoreStreams(streams: TrainingStreams, saved: SavedStreams): void {
  for (const name of STREAM_NAMES) streams[name] = RandomStream.restore(saved[name]);
}
