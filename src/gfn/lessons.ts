// Which rows of a batch follow objects from elsewhere, and what of the batch is kept for later.

import type { RandomStream } from "../engine/index.ts";
import { courseAt, isAlways } from "./course.ts";
import { type Environment, isEnumerable, listingOf } from "./environment.ts";
import { EpisodeBuffer, type EpisodeNumbers, type SavedEpisodes } from "./episode-buffer.ts";
import { GivenRows } from "./given.ts";
import type { Settings } from "./settings.ts";

export interface Lessons {
  readonly given: GivenRows;
  /** Chooses the given rows of the next iteration. */
  choose(progress: number): void;
  /** Draws stored episodes for the dynamics model, [rounds, steps, episodes]; −1 throughout while there are none. */
  drawStored(): EpisodeNumbers | null;
  /** Keeps the rows that were drawn and not given. */
  keep(episodes: EpisodeNumbers, scoreOf: (row: number) => number): void;
  /** What was kept, by the buffer's name. */
  save(): SavedBuffers;
  restore(buffers: SavedBuffers): void;
}

export type SavedBuffers = Readonly<Partial<Record<BufferName, SavedEpisodes>>>;
export type BufferName = "replay" | "dynamics";

/** Random streams of the lessons. Whoever made the record may put others in their place. */
export type LessonStreams = Readonly<Record<(typeof LESSON_STREAMS)[number], RandomStream>>;
export const LESSON_STREAMS = ["uniform", "offline", "replay", "dynamics"] as const;

export interface LessonOptions extends Pick<Settings, "batch" | "mixture" | "replay" | "dynamicsReplay"> {
  /** Objects known from elsewhere. */
  readonly known?: readonly string[];
}

/** Whether any rows are given in the course of a run. */
export function usesGiven({ mixture }: Pick<Settings, "mixture">): boolean {
  return Object.values(mixture).some((share) => !isAlways(share, 0));
}

/** Whether episodes are kept. */
export function keepsEpisodes({
  mixture,
  dynamicsReplay,
}: Pick<Settings, "mixture" | "dynamicsReplay">): boolean {
  return !isAlways(mixture.replay, 0) || dynamicsReplay !== undefined;
}

export function lessons(environment: Environment, options: LessonOptions, streams: LessonStreams): Lessons {
  const { batch, mixture, replay, dynamicsReplay, known = [] } = options;
  const { maxSteps } = environment;
  if (!isAlways(mixture.offline, 0) && known.length === 0) {
    throw new RangeError("mixture.offline: no known objects were given; give some, or set the share to 0");
  }
  const uniformWay = isAlways(mixture.uniform, 0) ? undefined : uniformWays(environment);
  const given = new GivenRows(environment, batch);
  // Texts that are no objects of this environment are found here, before anything is trained.
  for (const text of known) environment.wayOf(text, streams.offline.split("check"));
  const episodes = isAlways(mixture.replay, 0) ? undefined : new EpisodeBuffer(replay.capacity, maxSteps);
  const forDynamics = dynamicsReplay && new EpisodeBuffer(dynamicsReplay.capacity, maxSteps);
  const buffers: [BufferName, EpisodeBuffer | undefined][] = [
    ["replay", episodes],
    ["dynamics", forDynamics],
  ];

  return {
    given,
    choose(progress) {
      given.clear();
      let room = batch;
      const rows = (share: Settings["mixture"][keyof Settings["mixture"]]) => {
        const count = Math.min(Math.round(courseAt(share, progress) * batch), room);
        room -= count;
        return count;
      };
      for (let i = rows(mixture.uniform); uniformWay && i > 0; i--) given.addWay(uniformWay(streams.uniform));
      for (let i = rows(mixture.offline); i > 0; i--) {
        given.addWay(environment.wayOf(known[streams.offline.integer(known.length)], streams.offline));
      }
      for (const slot of episodes?.draw(rows(mixture.replay), replay.priority, streams.replay) ?? []) {
        given.addEpisode(episodes as EpisodeBuffer, slot);
      }
    },
    drawStored() {
      if (!dynamicsReplay || !forDynamics) return null;
      const { rounds, episodes: perRound } = dynamicsReplay;
      const size = maxSteps * perRound;
      const stored = {
        actions: new Int32Array(rounds * size).fill(-1),
        outcomes: new Int32Array(rounds * size).fill(-1),
      };
      for (let round = 0; round < rounds; round++) {
        const part = {
          actions: stored.actions.subarray(round * size, (round + 1) * size),
          outcomes: stored.outcomes.subarray(round * size, (round + 1) * size),
        };
        forDynamics.draw(perRound, 0, streams.dynamics).forEach((slot, row) => {
          forDynamics.copyTo(slot, part, row);
        });
      }
      return stored;
    },
    keep(drawn, scoreOf) {
      for (let row = 0; row < batch; row++) {
        if (given.rows[row] === 1) continue;
        episodes?.add(drawn, row, scoreOf(row));
        forDynamics?.add(drawn, row, 0);
      }
    },
    save: () =>
      Object.fromEntries(buffers.flatMap(([name, buffer]) => (buffer ? [[name, buffer.save()]] : []))),
    restore(saved) {
      for (const [name, buffer] of buffers) {
        const kept = saved[name];
        if (!buffer !== !kept) {
          const problem = kept ? "is not used here" : "is missing";
          throw new RangeError(`the checkpoint does not fit this run: its ${name} buffer ${problem}`);
        }
        if (kept) buffer?.restore(kept);
      }
    },
  };
}

/** Ways to objects drawn uniformly from all that there are. */
function uniformWays(environment: Environment): (stream: RandomStream) => readonly number[] {
  if (!isEnumerable(environment)) {
    throw new RangeError(
      `mixture.uniform: the objects of ${environment.name} are not listed; set the share to 0 and exploration.epsilon above 0`,
    );
  }
  const { terminals } = listingOf(environment);
  return (stream) => environment.wayTo(stream.integer(terminals), stream);
}
