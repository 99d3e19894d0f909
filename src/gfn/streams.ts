// The random streams that train, by name: saved and restored together.

import { type RandomState, RandomStream } from "../engine/index.ts";
import { LESSON_STREAMS } from "./lessons.ts";

export const STREAMS = ["rollout", ...LESSON_STREAMS] as const;
export type Streams = Record<(typeof STREAMS)[number], RandomStream>;
export type SavedStreams = Readonly<Record<string, RandomState>>;

export function streamsOf(seed: number): Streams {
  const root = RandomStream.fromSeed(seed);
  const lessons = root.split("lessons");
  return {
    rollout: root.split("rollout"),
    uniform: lessons.split("uniform"),
    offline: lessons.split("offline"),
    replay: lessons.split("replay"),
    dynamics: lessons.split("dynamics"),
  };
}

export function saveStreams(streams: Streams): SavedStreams {
  return Object.fromEntries(STREAMS.map((name) => [name, streams[name].save()]));
}

/** Puts saved streams in the place of these; whoever draws from the record draws from them. */
export function restoreStreams(streams: Streams, saved: SavedStreams): void {
  for (const name of STREAMS) streams[name] = RandomStream.restore(saved[name]);
}
