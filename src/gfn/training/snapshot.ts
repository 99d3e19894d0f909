// The complete state of a run after an iteration, as plain data. A run that continues from it gives bit-identical results.

import { crc32 } from "../../formats/crc32.ts";
import type { Environment } from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import type { Model } from "../policy/model.ts";
import type { SavedScores, ScoreFunction } from "../reward/cached-score-function.ts";
import type { SavedBuffers } from "../sampling/off-policy-data.ts";
import type { SavedSizing } from "./batch-sizing.ts";
import { fixedSettings } from "./fixed-settings.ts";
import type { SavedMatching } from "./mean-matching.ts";
import { fixedPlan, type Plan } from "./plan.ts";
import { type SavedStreams, STREAM_NAMES } from "./random-streams.ts";
import type { Settings } from "./settings.ts";

/** The state of a trainer between two steps. */
export interface TrainerState {
  /** Properties that must be equal in the trainer that restores this state, see `fingerprintOf`. */
  readonly fingerprint: Readonly<Record<string, string>>;
  /** Parameters, and the moments and steps of the optimiser. */
  readonly tensors: Readonly<Record<string, Float32Array | Int32Array>>;
  readonly streams: SavedStreams;
  readonly buffers: SavedBuffers;
  /** Objects that the score function has scored; null if scores come from a table. */
  readonly oracle: SavedScores | null;
  /** The state of mean matching, if the run uses it. */
  readonly matching?: SavedMatching;
  /** What decides about the size of the next program, if that depends on earlier batches. */
  readonly sizing?: SavedSizing;
}

/** The state of a run after an iteration. */
export interface Snapshot extends TrainerState {
  /** Completed iterations. */
  readonly iteration: number;
  /** Number of iterations, if it was fixed from the start; else null, and there is a plan. */
  readonly iterations: number | null;
  /** The plan of a run by seconds or of a run that was prolonged; empty before the first decision. */
  readonly plan?: Plan;
  /** Time spent so far. */
  readonly seconds: number;
  /** Whether the evaluation after this iteration is done, so that it is not repeated. */
  readonly evaluated: boolean;
}

/** The plan that a run was following. */
export function recordedPlan(
  { iterations, plan }: Pick<Snapshot, "iterations" | "plan">,
  evaluateEvery: number,
): Plan {
  return plan ?? (iterations === null ? [] : [fixedPlan(iterations, evaluateEvery)]);
}

/** What a checkpoint depends on besides the settings of training. */
export interface Problem {
  /** Options of the problem that the environment and the scores may not show, by name. Default: none. */
  readonly problem?: Readonly<Record<string, string>>;
  readonly scores: Float64Array | ScoreFunction;
  readonly largestScore?: number;
  readonly seed: number;
}

/** The properties without which a checkpoint means something else: the problem, the seed, the fixed settings, and the
 * shapes of the parameters. Other settings, such as learning rates, may change. */
export function fingerprintOf(
  { environment, policyLayout, dynamicsLayout }: Model,
  options: Settings & Problem,
  { learnsDynamics }: { readonly learnsDynamics: boolean },
): Record<string, string> {
  const { problem, scores, largestScore, seed } = options;
  const layouts = { policy: policyLayout, ...(learnsDynamics && { dynamics: dynamicsLayout }) };
  const shapes = Object.entries(layouts).flatMap(([net, { entries }]) =>
    entries.map(({ path, shape }) => [`${net}.${path}`, `[${shape.join(", ")}]`]),
  );
  return {
    ...problem,
    environment: environment.name,
    ...environmentSizes(environment),
    ...(scores instanceof Float64Array
      ? { scores: "a table", "scores.crc32": checksumOf(scores) }
      : { scores: "a function" }),
    ...(isPreference(environment) && {
      "objectives.crc32": environment.objectives.map(checksumOf).join(" "),
    }),
    ...(largestScore !== undefined && { largestScore: `${largestScore}` }),
    seed: `${seed}`,
    ...fixedSettings(options),
    ...Object.fromEntries(shapes),
  };
}

function checksumOf({ buffer, byteOffset, byteLength }: Float64Array): string {
  return crc32(new Uint8Array(buffer, byteOffset, byteLength))
    .toString(16)
    .padStart(8, "0");
}

const SIZES = ["actions", "outcomes", "maxSteps", "states", "features", "backwardActions", "stick"] as const;

function environmentSizes(environment: Environment): Record<string, string> {
  return Object.fromEntries(SIZES.map((size) => [`environment.${size}`, `${environment[size]}`]));
}

/** Throws an error that names the first difference if a saved state has another fingerprint, or lacks a part. */
export function checkCompatible(
  saved: TrainerState,
  fingerprint: Readonly<Record<string, string>>,
  tensors: readonly string[],
): void {
  const refuse = (reason: string): never => {
    throw new RangeError(`the checkpoint does not fit this run: ${reason}`);
  };
  const [stored, current] = [saved.fingerprint, fingerprint];
  for (const key of new Set([...Object.keys(current), ...Object.keys(stored)])) {
    if (stored[key] === current[key]) continue;
    refuse(
      `${key} is ${stored[key] ?? "absent"} in the checkpoint and ${current[key] ?? "absent"} in this run`,
    );
  }
  for (const [kind, names, found] of [
    ["tensor", tensors, saved.tensors],
    ["random stream", STREAM_NAMES, saved.streams],
  ] as const) {
    for (const name of names) if (!Object.hasOwn(found, name)) refuse(`it lacks the ${kind} ${name}`);
    for (const name of Object.keys(found)) {
      if (!(names as readonly string[]).includes(name)) refuse(`this run does not use its ${kind} ${name}`);
    }
  }
  const { oracle } = saved;
  if (fingerprint.scores === "a function" && !oracle) refuse("it lacks the scores of the score function");
  if (oracle && oracle.objects.length !== oracle.scores.length) {
    refuse(`it has ${oracle.scores.length} scores for ${oracle.objects.length} objects`);
  }
}
