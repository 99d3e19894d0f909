// All that a run is at one moment: plain data, from which it continues as if it had never stopped.

import { isAlways } from "./course.ts";
import type { Environment } from "./environment.ts";
import type { SavedBuffers } from "./lessons.ts";
import type { Model } from "./model.ts";
import type { SavedScores } from "./oracle.ts";
import type { Settings } from "./settings.ts";
import { type SavedStreams, STREAMS } from "./streams.ts";

/** A trainer between two steps. */
export interface TrainerState {
  /** What it belongs to, in words: it fits a trainer that says the same of itself. */
  readonly about: Readonly<Record<string, string>>;
  /** Weights, and the optimiser's moments and steps. */
  readonly tensors: Readonly<Record<string, Float32Array | Int32Array>>;
  readonly streams: SavedStreams;
  readonly buffers: SavedBuffers;
  /** What the score function was asked so far; null if scores stand in a table. */
  readonly oracle: SavedScores | null;
}

/** A run after some iterations. */
export interface Snapshot extends TrainerState {
  /** Iterations made. */
  readonly iteration: number;
  /** Iterations that the run was to make; null for a run by seconds. */
  readonly iterations: number | null;
  /** What the run took so far. */
  readonly seconds: number;
  /** Whether the evaluation after this iteration has been made, so that it is not made again. */
  readonly evaluated: boolean;
}

/** What must not change if a run continues. What else it was told, such as its learning rates, may. */
export function aboutOf(
  { environment, policyLayout, dynamicsLayout }: Model,
  { mixture, replay, dynamicsReplay, seed }: Settings & { readonly seed: number },
  { learnsDynamics, asks }: { readonly learnsDynamics: boolean; readonly asks: boolean },
): Record<string, string> {
  const layouts = { policy: policyLayout, ...(learnsDynamics && { dynamics: dynamicsLayout }) };
  const shapes = Object.entries(layouts).flatMap(([net, { entries }]) =>
    entries.map(({ path, shape }) => [`${net}.${path}`, `[${shape.join(", ")}]`]),
  );
  return {
    environment: environment.name,
    ...environmentSizes(environment),
    scores: asks ? "a function" : "a table",
    seed: `${seed}`,
    ...(!isAlways(mixture.replay, 0) && { "replay.capacity": `${replay.capacity}` }),
    ...(dynamicsReplay && { "dynamicsReplay.capacity": `${dynamicsReplay.capacity}` }),
    ...Object.fromEntries(shapes),
  };
}

const SIZES = ["actions", "outcomes", "maxSteps", "states", "features", "backwardClasses", "stick"] as const;

function environmentSizes(environment: Environment): Record<string, string> {
  return Object.fromEntries(SIZES.map((size) => [`environment.${size}`, `${environment[size]}`]));
}

/** Throws one sentence that says what differs if a saved state belongs to something else, or is not whole. */
export function checkFit(
  saved: TrainerState,
  about: Readonly<Record<string, string>>,
  tensors: readonly string[],
): void {
  const refuse = (reason: string): never => {
    throw new RangeError(`the checkpoint does not fit this run: ${reason}`);
  };
  const [there, here] = [saved.about, about];
  for (const key of new Set([...Object.keys(here), ...Object.keys(there)])) {
    if (there[key] === here[key]) continue;
    refuse(`${key} is ${there[key] ?? "not there"} in the checkpoint and ${here[key] ?? "not there"} here`);
  }
  for (const [what, names, found] of [
    ["state", tensors, saved.tensors],
    ["random stream", STREAMS, saved.streams],
  ] as const) {
    for (const name of names) if (!Object.hasOwn(found, name)) refuse(`it lacks the ${what} ${name}`);
    for (const name of Object.keys(found)) {
      if (!(names as readonly string[]).includes(name)) refuse(`its ${what} ${name} is not known here`);
    }
  }
  const { oracle } = saved;
  if (about.scores === "a function" && !oracle) refuse("it lacks the scores that were asked for");
  if (oracle && oracle.objects.length !== oracle.scores.length) {
    refuse(`it knows ${oracle.scores.length} scores of ${oracle.objects.length} objects`);
  }
}
